//! Learns classes one by one, from the headers of live objects, where the world is not stopped and chains cannot be followed.
//!
//! Everything is read through the system: a class that is unloaded meanwhile is an error or no class,
//! never a crash. Between two calls of [`ClassTable::may_be_unloaded`] a row is trusted without another
//! look; after it, the first object of each class makes sure that its address still has that class.

use super::size_rule::rule_of;
use super::{ClassId, ClassTable, LoadedClass, SizeRule};
use crate::address::Address;
use crate::error::Error;
use crate::process::careful_read::read_value;

impl ClassTable {
    /// Classes may have been unloaded since the last call.
    pub(crate) fn may_be_unloaded(&mut self) {
        self.confirmed.clear();
    }

    /// The row of the class at this address.
    pub(crate) fn learn(&mut self, klass: Address) -> Result<ClassId, Error> {
        let known = self.find(klass);
        if let Some(id) = known
            && self.confirmed.get(id.0 as usize).copied().unwrap_or(false)
        {
            return Ok(id);
        }
        self.look_at(klass, known)
    }

    #[cold]
    fn look_at(&mut self, klass: Address, known: Option<ClassId>) -> Result<ClassId, Error> {
        let implausible = Error::Implausible {
            what: "the address of a class",
            value: klass.0 as u64,
        };
        if klass.is_null() || !klass.is_aligned(8) {
            return Err(implausible);
        }
        let helper = self.layout.layout_helper_of(klass)?;
        let symbol: Address = read_value(klass.plus(self.layout.name))?;
        if let Some(id) = self.unchanged(known, helper, symbol) {
            self.confirm(id);
            return Ok(id);
        }
        let name = self.layout.symbol_bytes(symbol)?;
        let rule = rule_of(helper, &name);
        if name.is_empty() || rule == SizeRule::None {
            return Err(implausible);
        }
        let id = self.add(LoadedClass {
            klass,
            rule,
            name,
            symbol,
            former: known,
        })?;
        self.confirm(id);
        Ok(id)
    }

    fn confirm(&mut self, id: ClassId) {
        let row = id.0 as usize;
        if self.confirmed.len() <= row {
            self.confirmed
                .resize(self.classes.len().max(row + 1), false);
        }
        if let Some(confirmed) = self.confirmed.get_mut(row) {
            *confirmed = true;
        }
    }
}
