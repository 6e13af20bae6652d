//! Rows of numbers in front of a tree of names.

use ducktrack_count_model::Tally;

use crate::quantity::average;
use crate::table::{PageTable, Table, Unit, Value};
use crate::text_lines::TextLines;
use crate::view::{Totals, eliminated};

/// The line for rows that a cut leaves out: `... 3 more callers`.
pub(crate) fn more(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("... {number} more {what}{plural}")
}

/// A name at a depth of the tree, and the part of its objects that reached the heap, where that is known.
struct Amount {
    name: String,
    executed: Tally,
    heap: Option<Tally>,
}

/// Bytes, share, objects, average, and with recorded heap bytes also the eliminated share.
pub(crate) struct AmountTable {
    table: Table<'static, Amount>,
    rows: Vec<Amount>,
}

impl AmountTable {
    pub(crate) fn new(selected: &Totals, name: &'static str) -> Self {
        let whole = selected.executed.bytes;
        let mut table = Table::<Amount>::new()
            .shown("bytes", Unit::Bytes, |row| row.executed.bytes)
            .shown("share", Unit::Share, move |row| {
                Value::share(row.executed.bytes, whole)
            })
            .shown("objects", Unit::Objects, |row| row.executed.count)
            .shown("average", Unit::Average, |row| {
                average(row.executed.bytes, row.executed.count)
            });
        if selected.materialized.is_some() {
            table = table
                .shown("reached the heap", Unit::Bytes, |row| Some(row.heap?.bytes))
                .shown("removed by the JIT", Unit::Share, |row| {
                    let gone = eliminated(row.executed, row.heap?);
                    Some(Value::share(gone.bytes, row.executed.bytes))
                });
        }
        Self {
            table: table.in_text(name, Unit::Text, |row| row.name.clone()),
            rows: Vec::new(),
        }
    }

    pub(super) fn row(&mut self, depth: usize, name: &str, executed: Tally, heap: Option<Tally>) {
        let name = format!("{}{name}", "  ".repeat(depth));
        self.rows.push(Amount {
            name,
            executed,
            heap,
        });
    }

    /// Its columns, for a page that works out the rows.
    pub(crate) fn on_page(&self) -> PageTable {
        self.table.page(&[])
    }

    pub(super) fn write(&self, out: &mut TextLines) {
        self.table.write(out, &self.rows);
    }
}
