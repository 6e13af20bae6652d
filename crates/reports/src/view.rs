//! The data of a report, with all names resolved and all filters applied; every renderer prints the same [`View`].
//!
//! ```text
//! View
//!   sites ─ SiteRow: one place in one method that allocates
//!             executed      all of it
//!             cells         the same, split by (type, blamed caller): cells always sum to `executed`
//!             threads       the same, split by thread
//!             materialized  what reached the heap, when it was recorded
//! ```

use std::fmt;

use ducktrack_count_model::{
    AgentCost, ChosenWindows, Increments, LengthBucket, RefusalGroup, Run, SnapshotRow, Tally,
    WindowRow,
};
use ducktrack_profile::Profile;
use serde::{Deserialize, Serialize};

use crate::class_name::readable_descriptor;
use crate::completeness::Completeness;
use crate::ending::Ending;
use crate::filter::Filter;
use crate::off_heap::row::OffHeapDoc;

/// One run, filtered and sorted.
#[derive(Clone, Debug)]
pub struct View {
    /// Where the trace was read from, as given.
    pub trace: String,
    /// The run and the VM.
    pub run: Run,
    /// The moment of the numbers; `None` when the trace has none yet.
    pub snapshot: Option<SnapshotRow>,
    /// How the run ended, and of which moment the numbers are.
    pub ending: Ending,
    /// The filter of this view.
    pub filter: Filter,
    /// Sites that executed at least once, in the filter's order; not cut to its `top`.
    pub sites: Vec<SiteRow>,
    /// Callers that cells refer to.
    pub callers: Vec<Caller>,
    /// The allocations executed from mark to mark; empty without a mark.
    pub windows: Vec<WindowRow>,
    /// The numbers are of these windows only; `None`: of the whole run.
    pub chosen_windows: Option<ChosenWindows>,
    /// The objects made by application code, and by other code that it calls; `None` where that was not recorded, or not for the kept part.
    pub caused: Option<Caused>,
    /// Memory outside of the heap, by the line that made it.
    pub off_heap: Vec<OffHeapDoc>,
    /// The kept part of the run, by whole stacks.
    pub stacks: Profile,
    /// The kept sites together.
    pub selected: Totals,
    /// The whole run.
    pub totals: Totals,
    /// How much of the VM's own count is explained.
    pub completeness: Completeness,
    /// The methods and classes that were left alone, by reason, most sites first.
    pub refusals: Vec<RefusalGroup>,
    /// How many counter increments the run took.
    pub increments: Increments,
    /// How often a method got a new version for its measured hot path.
    pub reinstrumented: usize,
    /// The cost of the agent.
    pub cost: AgentCost,
    /// The damage and the contradictions of the trace.
    pub damage: Vec<Finding>,
    /// The agent's own list of its losses while recording.
    pub losses: Vec<String>,
    /// Things a reader of the report must know.
    pub notes: Vec<String>,
}

/// Something wrong with the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file; `None` when the trace as a whole contradicts itself.
    pub file: Option<String>,
    /// A stable word.
    pub name: &'static str,
    /// One sentence.
    pub text: String,
}

/// Sums over sites.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Sites that executed at least once.
    pub sites: usize,
    /// All objects executed.
    pub executed: Tally,
    /// Objects that reached the heap, over the sites for which it was recorded; `None` when for none.
    pub materialized: Option<Tally>,
    /// The allocations executed at just those sites.
    pub executed_where_materialized: Tally,
    /// Objects whose bytes are not known, and so in no sum of bytes.
    pub bytes_unknown: i64,
}

impl Totals {
    /// Sums over the sites.
    pub fn of<'a>(sites: impl IntoIterator<Item = &'a SiteRow>) -> Self {
        let mut totals = Self::default();
        for site in sites {
            totals.sites += 1;
            totals.executed += site.executed;
            if let Some(materialized) = site.materialized {
                *totals.materialized.get_or_insert_default() += materialized;
                totals.executed_where_materialized += site.executed;
            }
            totals.bytes_unknown += site.bytes_unknown;
        }
        totals
    }
}

/// A place in a method: where an object is made, or from where the making is called.
#[derive(
    Clone,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
pub struct Location {
    /// Class with dots.
    pub class: String,
    /// Method name.
    pub method: String,
    /// Method descriptor as in the class file.
    pub descriptor: String,
    /// Bytecode index in the class file as loaded without the agent.
    pub bci: u16,
    /// Source line, when the class file has it.
    pub line: Option<u16>,
    /// Source file, when the class file has it.
    pub source_file: Option<String>,
    /// Only the descriptor tells it from a place in another method.
    #[serde(skip)]
    pub reads_alike: bool,
}

/// `java.util.ArrayList.grow(ArrayList.java:239)`, or `...grow(@17)` where there is no line; `a.B.if(int):void(@17)` where another method
/// reads alike.
impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.class, self.method)?;
        if self.reads_alike {
            f.write_str(&readable_descriptor(&self.descriptor))?;
        }
        f.write_str("(")?;
        match (self.line, &self.source_file) {
            (Some(line), Some(file)) => write!(f, "{file}:{line})"),
            (Some(line), None) => write!(f, "line {line})"),
            (None, _) => write!(f, "@{})", self.bci),
        }
    }
}

/// One allocation site.
#[derive(Clone, Debug)]
pub struct SiteRow {
    /// Where.
    pub location: Location,
    /// The type, when the bytecode alone tells it.
    pub ty: Option<String>,
    /// The way of allocating, in the words of the trace format.
    pub kind: &'static str,
    /// Executed.
    pub executed: Tally,
    /// Objects of `executed` whose bytes are not known, and so in no sum of bytes.
    pub bytes_unknown: i64,
    /// Reached the heap; `None` when not recorded, or not recorded for the part that the filter keeps.
    pub materialized: Option<Tally>,
    /// By (type, caller), largest first; sums to `executed`.
    pub cells: Vec<Cell>,
    /// By thread, largest first; sums to `executed` unless the filter keeps only some of the cells.
    pub threads: Vec<ThreadPart>,
    /// Array lengths, when recorded, shortest first.
    pub lengths: Vec<LengthBucket>,
}

/// Part of a site's objects: one type, one blamed caller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The objects made.
    pub ty: String,
    /// Who is to blame; `None` when no tracked call was under way.
    pub caller: Option<CallerId>,
    /// How much.
    pub executed: Tally,
    /// The same by thread, largest first.
    pub threads: Vec<ThreadPart>,
}

/// Index into [`View::callers`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CallerId(pub(crate) u32);

impl fmt::Debug for CallerId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "caller{}", self.0)
    }
}

/// The call that is to blame for an allocation deeper down.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Caller {
    /// Where the call is.
    pub location: Location,
    /// The tracked method that it calls, `java.util.Arrays.copyOf`.
    pub target: String,
}

/// `com.acme.Shop.open(Shop.java:12) calls java.util.HashMap.put`
impl fmt::Display for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} calls {}", self.location, self.target)
    }
}

/// Own and caused.
#[derive(Clone, Debug)]
pub struct Caused {
    /// Which code is the application's, as patterns of class names.
    pub application: Vec<String>,
    /// The objects made by its own code.
    pub own: Tally,
    /// The objects charged to its calls, each to the innermost one.
    pub charged: Tally,
    /// The objects that are charged to no call of the application.
    pub no_call: Tally,
    /// Its calls that brought something, in the filter's order.
    pub calls: Vec<CauseView>,
}

/// A call of application code.
#[derive(Clone, Debug)]
pub struct CauseView {
    /// Where it is, and what it calls.
    pub caller: Caller,
    /// The objects made while it was under way, in a recursion once.
    pub inclusive: Tally,
    /// The objects charged to it.
    pub charged: Tally,
}

impl Caused {
    /// The objects made by the application and by its calls, together.
    pub fn together(&self) -> Tally {
        let mut sum = self.own;
        sum += self.charged;
        sum
    }
}

/// One thread's part of a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadPart {
    /// The thread's name, digits written `#` when it stands for several that have ended.
    pub name: String,
    /// How much.
    pub executed: Tally,
}

/// `executed - materialized` of each number.
pub(crate) fn eliminated(executed: Tally, materialized: Tally) -> Tally {
    Tally {
        count: executed.count.saturating_sub(materialized.count),
        bytes: executed.bytes.saturating_sub(materialized.bytes),
    }
}

impl View {
    /// The rows that a format with this default number of rows shows.
    pub fn top_sites(&self, default: usize) -> &[SiteRow] {
        let top = self.filter.top.unwrap_or(default).min(self.sites.len());
        self.sites.get(..top).unwrap_or(&self.sites)
    }

    /// Milliseconds from the start of the agent to the moment of the numbers.
    pub fn duration_millis(&self) -> Option<u64> {
        let at = self.snapshot.as_ref()?.unix_millis;
        at.checked_sub(self.run.start_unix_millis)
    }

    /// Allocation sites that are not counted because their class or method was left alone.
    pub fn refused_sites(&self) -> u64 {
        self.refusals.iter().map(|group| group.sites).sum()
    }

    /// The caller of a cell.
    pub fn caller(&self, id: CallerId) -> Option<&Caller> {
        self.callers.get(id.0 as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_location_without_a_line_shows_its_bytecode_index() {
        let mut at = Location {
            class: "a.B".into(),
            method: "c".into(),
            descriptor: "()V".into(),
            bci: 7,
            line: None,
            source_file: Some("B.java".into()),
            reads_alike: false,
        };
        assert_eq!(at.to_string(), "a.B.c(@7)");
        at.line = Some(3);
        assert_eq!(at.to_string(), "a.B.c(B.java:3)");
        at.reads_alike = true;
        assert_eq!(at.to_string(), "a.B.c():void(B.java:3)");
    }
}
