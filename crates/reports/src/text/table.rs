//! Rows of numbers in front of a tree of names.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use ducktrack_count_model::Tally;

use crate::quantity::{average, bytes, objects, share};
use crate::view::{Totals, eliminated};

/// The line for rows that a cut leaves out: `... 3 more callers`.
pub(crate) fn more(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("... {number} more {what}{plural}")
}

/// Right-aligned numbers (bytes, share, objects, average, and with recorded heap bytes also the eliminated share) and
/// one left-aligned name, which may be indented.
pub(super) struct AmountTable {
    table: Table,
    whole: Tally,
    with_heap: bool,
}

impl AmountTable {
    pub(super) fn new(selected: &Totals, name: &str) -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        let with_heap = selected.materialized.is_some();
        let mut header = vec!["bytes", "share", "objects", "average"];
        if with_heap {
            header.extend(["reached the heap", "removed by the JIT"]);
        }
        let numbers = header.len();
        header.push(name);
        table.set_header(header);
        for column in table.column_iter_mut().take(numbers) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        for column in table.column_iter_mut() {
            column.set_padding((2, 0));
        }
        Self {
            table,
            whole: selected.executed,
            with_heap,
        }
    }

    /// A row at this depth of the tree. `materialized` is shown when the table has heap columns.
    pub(super) fn row(
        &mut self,
        depth: usize,
        name: &str,
        amount: Tally,
        materialized: Option<Tally>,
    ) {
        let mut row = vec![
            bytes(amount.bytes),
            share(amount.bytes, self.whole.bytes),
            objects(amount.count),
            average(amount.bytes, amount.count),
        ];
        if self.with_heap {
            row.extend(match materialized {
                Some(heap) => [
                    bytes(heap.bytes),
                    share(eliminated(amount, heap).bytes, amount.bytes),
                ],
                None => ["-".to_owned(), "-".to_owned()],
            });
        }
        row.push(format!("{}{name}", "  ".repeat(depth)));
        self.table.add_row(row);
    }

    pub(super) fn write(&self, out: &mut String) {
        for line in self.table.lines() {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
}
