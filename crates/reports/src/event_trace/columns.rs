//! Tables for a terminal: numbers to the right, names to the left, two spaces between.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

/// A table; columns whose name starts with `>` are numbers.
pub(super) struct Columns {
    table: Table,
}

impl Columns {
    pub(super) fn new(names: &[&str]) -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(names.iter().map(|name| name.trim_start_matches('>')));
        for (column, name) in table.column_iter_mut().zip(names) {
            column.set_padding((2, 0));
            if name.starts_with('>') {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        Self { table }
    }

    pub(super) fn row<const N: usize>(&mut self, cells: [String; N]) {
        self.table.add_row(cells);
    }

    pub(super) fn write(&self, out: &mut String) {
        for line in self.table.lines() {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
}
