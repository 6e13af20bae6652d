//! The facts that are exported of one run.

use std::collections::BTreeMap;

use ducktrack_count_model::{ContextName, Run, RunState};

use crate::day::Day;
use crate::{Place, SiteId};

/// Executed objects of one site under one caller, in one combination of contexts and one window.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Count {
    /// The site.
    pub site: SiteId,
    /// The call that they are filed under.
    pub caller: Option<SiteId>,
    /// The combination of contexts in which they were made: a key of [`RunFacts::contexts`]. `None`: in none.
    pub context: Option<SiteId>,
    /// Position in [`DayFacts::windows`].
    pub window: u32,
    /// Objects.
    pub objects: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Objects of the site that reached the heap, under whatever caller and in whatever
    /// context: in the row without either. `None`: not measured, or another row.
    pub materialized: Option<i64>,
}

/// From one look at the counters to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Milliseconds since 1970.
    pub start: u64,
    /// Milliseconds since 1970.
    pub end: u64,
}

/// The part of a run that falls into one day.
#[derive(Clone, Debug, PartialEq)]
pub struct DayFacts {
    pub(crate) day: Day,
    /// In order.
    pub windows: Vec<Window>,
    /// Rows that are not zero.
    pub counts: Vec<Count>,
    /// All objects.
    pub objects: i64,
    /// All bytes.
    pub bytes: i64,
    /// Bytes that the VM has allocated by its own count.
    pub vm_bytes: Option<i64>,
    /// Of these, bytes that the counts explain, at most.
    pub explained_bytes: Option<i64>,
    /// How the run stands; `None`: it goes on in the next day.
    pub state: Option<RunState>,
    /// The missing parts of the whole run, one line, in its last day.
    pub lost: Option<String>,
}

/// A run, without the days that were taken before.
#[derive(Clone, Debug)]
pub struct RunFacts {
    /// The run as the agent describes it.
    pub run: Run,
    /// Its days, in order.
    pub days: Vec<DayFacts>,
    /// All sites and callers so far.
    pub places: BTreeMap<SiteId, Place>,
    /// All combinations of contexts so far, by what they are made of.
    pub contexts: BTreeMap<SiteId, Vec<ContextName>>,
}
