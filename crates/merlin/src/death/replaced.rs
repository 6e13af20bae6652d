//! Objects that the runtime replaces by equal ones, without a record of the reference that it changes.

use rustc_hash::FxHashSet;

use crate::death::fate::Fate;
use crate::death::object_table::ObjectTable;
use crate::death::references::References;
use crate::stream::record::{Definition, TypeId};

/// The type that the fact `replaced` names.
#[derive(Debug, Default)]
pub(crate) struct ReplacedType {
    name: Option<String>,
    ty: Option<TypeId>,
}

impl ReplacedType {
    pub(crate) fn define(&mut self, definition: &Definition) {
        match definition {
            Definition::Fact { key, value } if key == "replaced" => {
                self.name = Some(value.clone());
            }
            Definition::Type { ty, name } if self.name.as_ref() == Some(name) => {
                self.ty = Some(*ty);
            }
            _ => {}
        }
    }

    /// The doomed objects that another one refers to; nothing where no object is replaced.
    pub(crate) fn referred(
        &self,
        doomed: &[u32],
        objects: &ObjectTable,
        references: &References,
    ) -> FxHashSet<u32> {
        if self.ty.is_none() {
            return FxHashSet::default();
        }
        let dead = doomed.iter().filter_map(|place| objects.get(*place));
        dead.flat_map(|object| references.targets(object.references))
            .map(|target| target.place)
            .collect()
    }

    /// Whether the object was reachable after what is known of it, though
    /// nothing dead refers to it: what did so refers to another one by now.
    pub(crate) fn leaves_open(&self, fate: &Fate, is_referred: bool) -> bool {
        let outlived = fate.kept.zip(fate.unreachable);
        let outlived = outlived.is_some_and(|(kept, dead)| dead.time <= kept.time);
        self.ty == Some(fate.ty) && fate.is_key && !is_referred && outlived
    }
}
