//! Places by which two runs are compared, and the one that grew most.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;

use crate::json::{CauseDoc, SiteDoc};
use crate::off_heap::OffHeapDoc;

/// A site or a call. Lines move from version to version; what is made or called at a place of a method does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    class: String,
    method: String,
    descriptor: String,
    what: String,
    is_call: bool,
    /// Where it is in one of the runs; no part of the comparison.
    at: At,
}

/// Equal to every other one.
#[derive(Clone, Debug, Default)]
struct At(Option<String>);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Place {
    pub(super) fn of_site(site: &SiteDoc) -> Self {
        Self {
            class: site.class.clone(),
            method: site.method.clone(),
            descriptor: site.descriptor.clone(),
            what: site.ty.clone().unwrap_or_default(),
            is_call: false,
            at: At(source(site.source_file.as_deref(), site.line)),
        }
    }

    pub(super) fn of_off_heap(row: &OffHeapDoc) -> Self {
        Self {
            class: row.class.clone(),
            method: row.method.clone(),
            descriptor: String::new(),
            what: row.kind.clone(),
            is_call: false,
            at: At::default(),
        }
    }

    pub(super) fn of_cause(cause: &CauseDoc) -> Self {
        Self {
            class: cause.class.clone(),
            method: cause.method.clone(),
            descriptor: cause.descriptor.clone(),
            what: cause.target.clone(),
            is_call: true,
            at: At(source(cause.source_file.as_deref(), cause.line)),
        }
    }
}

/// `Shop.java:12`
fn source(file: Option<&str>, line: Option<u16>) -> Option<String> {
    Some(format!("{}:{}", file?, line?))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.class, self.method)?;
        if let Some(at) = &self.at.0 {
            write!(f, "({at})")?;
        }
        let verb = if self.is_call { "calls" } else { "makes" };
        write!(f, " {verb} {}", self.what)
    }
}

/// The place that grew most, and by how much. Where the same place is in both runs, the second says its line.
pub(super) fn grown_most(
    before: &BTreeMap<Place, i64>,
    after: &BTreeMap<Place, i64>,
) -> Option<(String, i64)> {
    let growth = |(place, number): (&Place, &i64)| {
        let was = before.get(place).copied().unwrap_or(0);
        (place.to_string(), number.saturating_sub(was))
    };
    let (place, growth) = after.iter().map(growth).max_by_key(|(_, growth)| *growth)?;
    (growth > 0).then_some((place, growth))
}
