//! Tables for a terminal: numbers to the right, names to the left, two spaces between. Where the
//! terminal is too narrow, names become shorter; then a row takes several lines, and so does the header.

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::fitted_names::fitted;
use crate::text_lines::TextLines;

/// Spaces before each column.
const SPACE: usize = 2;
/// Lines of a row after its first are indented by this much.
const INDENT: usize = 4;
/// A name that would have to be shorter than this goes to a line of its own.
const LEAST_NAME: usize = 30;

/// A table; columns whose name starts with `>` are numbers. The last column has names.
pub(crate) struct Printed {
    names: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Printed {
    pub(crate) fn new(names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        Self {
            names: names
                .into_iter()
                .map(|name| name.as_ref().to_owned())
                .collect(),
            rows: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    pub(crate) fn write(mut self, out: &mut TextLines) {
        let widths = self.widths();
        let Some(width) = out.width() else {
            return self.write_whole(out);
        };
        let figures: usize = widths.iter().rev().skip(1).map(|width| width + SPACE).sum();
        let last = widths.last().copied().unwrap_or(0);
        if figures + SPACE + last.min(LEAST_NAME) > width {
            return self.write_bands(out, &widths, width);
        }
        for cell in self.rows.iter_mut().filter_map(|row| row.last_mut()) {
            *cell = fitted(cell, width - figures - SPACE);
        }
        self.write_whole(out);
    }

    /// The title of a column, and whether it has numbers.
    fn title(&self, column: usize) -> (&str, bool) {
        let name = self.names.get(column).map_or("", String::as_str);
        match name.strip_prefix('>') {
            Some(title) => (title, true),
            None => (name, false),
        }
    }

    fn widths(&self) -> Vec<usize> {
        let of_column = |column: usize| {
            let cells = self.rows.iter().filter_map(|row| row.get(column));
            let cells = cells.map(|cell| cell.chars().count());
            let title = self.title(column).0.chars().count();
            cells.max().unwrap_or(0).max(title)
        };
        (0..self.names.len()).map(of_column).collect()
    }

    fn write_whole(self, out: &mut TextLines) {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.set_content_arrangement(ContentArrangement::Disabled);
        table.set_header((0..self.names.len()).map(|column| self.title(column).0));
        for (number, column) in table.column_iter_mut().enumerate() {
            column.set_padding((SPACE as u16, 0));
            if self.title(number).1 {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        for row in self.rows {
            table.add_row(row);
        }
        for line in table.lines() {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }

    /// Each row in several lines, with the columns that fit into each.
    fn write_bands(&self, out: &mut TextLines, widths: &[usize], width: usize) {
        let bands = bands(widths, width);
        let titles: Vec<String> = (0..self.names.len())
            .map(|column| self.title(column).0.to_owned())
            .collect();
        for row in std::iter::once(&titles).chain(&self.rows) {
            for (number, band) in bands.iter().enumerate() {
                let mut line = " ".repeat(if number == 0 { 0 } else { INDENT });
                for column in band.clone() {
                    let cell = row.get(column).map_or("", String::as_str);
                    self.push_cell(&mut line, cell, column, widths, width);
                }
                // A line of a row may have nothing; the first of each is there.
                if number == 0 || !line.trim().is_empty() {
                    out.push_str(line.trim_end());
                    out.push('\n');
                }
            }
        }
    }

    fn push_cell(
        &self,
        line: &mut String,
        cell: &str,
        column: usize,
        widths: &[usize],
        width: usize,
    ) {
        let room = width.saturating_sub(line.chars().count() + SPACE);
        let cell = fitted(cell, room.max(1));
        let length = widths.get(column).copied().unwrap_or(0).min(room);
        line.push_str(&match self.title(column).1 {
            true => format!("{:SPACE$}{cell:>length$}", ""),
            false => format!("{:SPACE$}{cell:<length$}", ""),
        });
    }
}

/// Which columns stand in each line of a row.
fn bands(widths: &[usize], width: usize) -> Vec<std::ops::Range<usize>> {
    let mut bands = Vec::new();
    let (mut start, mut used) = (0, 0);
    for (column, length) in widths.iter().enumerate() {
        // The last column's names become shorter, but not too short.
        let is_last = column + 1 == widths.len();
        let length = SPACE
            + if is_last {
                (*length).min(LEAST_NAME)
            } else {
                *length
            };
        if used + length > width && column > start {
            bands.push(start..column);
            (start, used) = (column, INDENT);
        }
        used += length;
    }
    bands.push(start..widths.len());
    bands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(width: Option<usize>) -> String {
        let mut table = Printed::new([">bytes", ">share of the whole", "over time", "name"]);
        for name in ["com.acme.orders.Orders.total(Orders.java:42)", "b.C.d:7"] {
            let cells = ["1,234,567 B", "12.3 %", "________________________", name];
            table.push(cells.map(str::to_owned).into());
        }
        let mut out = TextLines::new(width);
        table.write(&mut out);
        out.finish()
    }

    #[test]
    fn names_become_shorter_then_rows_take_more_lines() {
        assert!(
            table(None)
                .lines()
                .any(|line| line.ends_with("(Orders.java:42)"))
        );
        let fitting = table(Some(100));
        assert!(
            fitting.lines().all(|line| line.chars().count() <= 100),
            "{fitting}"
        );
        assert!(fitting.contains("orders.Orders.total:42"), "{fitting}");
        assert_eq!(
            table(Some(70)),
            "        bytes  share of the whole  over time\n      name\n\
            \x20 1,234,567 B              12.3 %  ________________________\n\
            \x20     com.acme.orders.Orders.total(Orders.java:42)\n\
            \x20 1,234,567 B              12.3 %  ________________________\n      b.C.d:7\n"
        );
    }
}
