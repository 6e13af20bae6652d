//! A site under the keys that it has in the counting report too.

use ducktrack_count_model::{CallIndex, CountModel, SiteIndex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::build::location;
use crate::class_name::readable_type;
use crate::filter::Filter;
use crate::view::{Caller, Location};

/// Where, what and how: what all rows about a site begin with.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct PlaceDoc {
    /// The place in the method.
    #[serde(flatten)]
    pub location: Location,
    /// The type, when the bytecode alone tells it.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// The way of allocating.
    pub kind: String,
}

impl PlaceDoc {
    /// The place of a row of the model; `None` for an index that is not of this model.
    pub(crate) fn of(model: &CountModel, site: SiteIndex) -> Option<Self> {
        let row = model.sites.get(site.get())?;
        let method = model.methods.get(row.method.get())?;
        Some(Self {
            location: location(method, row.bci, row.line),
            ty: row.ty.as_deref().map(readable_type),
            kind: row.kind.name().to_owned(),
        })
    }

    /// True when the filter wants all of the place; the type is asked only where it is always the same.
    pub(super) fn is_wanted(&self, filter: &Filter) -> bool {
        filter.wants_class(&self.location.class) && self.makes_wanted(filter)
    }

    /// The callers whose part of the place the filter wants, where it does not want all of it: those in its packages. Empty where it wants
    /// nothing.
    pub(super) fn wanted_callers<'a, C>(
        &self,
        rows: &'a [C],
        call: impl Fn(&C) -> Option<CallIndex>,
        callers: &[Caller],
        filter: &Filter,
    ) -> Vec<&'a C> {
        let is_wanted = |row: &&C| {
            let caller = call(row).and_then(|call| callers.get(call.get()));
            caller.is_some_and(|caller| filter.wants_class(&caller.location.class))
        };
        match self.makes_wanted(filter) {
            true => rows.iter().filter(is_wanted).collect(),
            false => Vec::new(),
        }
    }

    fn makes_wanted(&self, filter: &Filter) -> bool {
        self.ty.as_deref().is_none_or(|ty| filter.wants_type(ty))
    }

    /// The kind of allocation of the place, in a word.
    pub(super) fn made(&self) -> &str {
        self.ty.as_deref().unwrap_or("(several types)")
    }
}

/// The name of objects that no event explains.
pub(super) const WITHOUT_EVENT: &str = "(without an event: made by the VM or JNI)";
/// The name of a thread that is not known.
pub(super) const UNKNOWN_THREAD: &str = "(thread not known)";
/// The name of a type that the trace does not name.
pub(super) const UNKNOWN_TYPE: &str = "(type not known)";

/// A type as reports name it.
pub(super) fn type_name(descriptor: Option<&str>) -> String {
    descriptor.map_or_else(|| UNKNOWN_TYPE.to_owned(), readable_type)
}
