//! Rows of a running program, found by their subject (a site, a type, ...).

use ducktrack_trace_format::OffHeapKind;
use rustc_hash::FxHashMap;

use crate::Tally;

/// By what totals are grouped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum LiveKind {
    /// Places in the code.
    #[default]
    Sites,
    /// Classes of the objects.
    Types,
    /// Threads that made them.
    Threads,
    /// Packages of the places.
    Packages,
    /// Calls from application code into other code (`app=`).
    Calls,
    /// Contexts that threads were in (`contexts=`): an object counts in one of each kind.
    Contexts,
    /// Lines that made memory outside of the heap: what of it is not released.
    OffHeap,
}

/// How many there are.
pub(crate) const KINDS: usize = 7;

/// The subject of a row, in the VM's own form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LiveName {
    /// A place: class, method, line, and what is made there.
    Site {
        /// Class.
        class: String,
        /// Method.
        method: String,
        /// Source line.
        line: Option<u16>,
        /// Descriptor of what is made; `None` where it differs.
        ty: Option<String>,
    },
    /// The place is not known.
    UnknownSite,
    /// A type, as a descriptor.
    Type(String),
    /// A thread.
    Thread(String),
    /// A package; empty for classes without one.
    Package(String),
    /// A context.
    Context {
        /// Its kind.
        kind: String,
        /// Its name.
        name: String,
    },
    /// Memory outside of the heap, by the line that made it.
    OffHeap {
        /// The kind of memory.
        kind: OffHeapKind,
        /// Class; empty: not known.
        class: String,
        /// Method.
        method: String,
        /// Source line.
        line: Option<u16>,
    },
    /// A call of the application.
    Call {
        /// Class.
        class: String,
        /// Method.
        method: String,
        /// Source line.
        line: Option<u16>,
        /// The called method, `java/util/Arrays.copyOf`.
        target: String,
    },
}

/// Objects and bytes of one site, type, thread or package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiveRow {
    /// Of what.
    pub name: LiveName,
    /// Since the start; of a call what is charged to it, so that the rows add up; of memory outside of the heap what is not released.
    pub total: Tally,
    /// Of a call: what was executed while it was under way.
    pub inclusive: Tally,
}

/// Rows that are found by their names.
#[derive(Clone, Debug, Default)]
pub struct LiveTable {
    /// In the order of first appearance.
    pub rows: Vec<LiveRow>,
    positions: FxHashMap<LiveName, usize>,
}

impl LiveTable {
    /// The position of a row, which is made if there is none.
    pub fn position(&mut self, name: LiveName) -> usize {
        if let Some(position) = self.positions.get(&name) {
            return *position;
        }
        let position = self.rows.len();
        self.positions.insert(name.clone(), position);
        self.rows.push(LiveRow {
            name,
            total: Tally::default(),
            inclusive: Tally::default(),
        });
        position
    }

    /// Adds objects to the row at a position.
    pub fn add(&mut self, position: usize, tally: Tally) {
        if let Some(row) = self.rows.get_mut(position) {
            row.total += tally;
        }
    }

    /// Sets all rows to nothing.
    pub fn zero(&mut self) {
        for row in &mut self.rows {
            row.total = Tally::default();
            row.inclusive = Tally::default();
        }
    }
}
