//! The answer to a question about a fleet: the rows that a database has found, with the query and the engine.

use askama::Template;
use serde::{Deserialize, Serialize};

use crate::class_name::printable;
use crate::error::ReportError;
use crate::quantity::counted;
use crate::report::Report;
use crate::table::{Table, Unit, csv_line};
use crate::text::next_command::NextCommand;
use crate::text_lines::TextLines;

/// Rows of text; numbers are whole.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct FleetAnswer {
    /// Always `ducktrack-fleet`.
    pub format: String,
    /// Version of this document.
    pub version: u32,
    /// The word of the question.
    pub question: String,
    /// What it asks, one line.
    pub about: String,
    /// Where the tables are.
    pub root: String,
    /// Who has answered: `DuckDB` or `Spark`.
    pub engine: String,
    /// Names of the columns.
    pub columns: Vec<String>,
    /// Cells; empty where there is no value.
    pub rows: Vec<Vec<String>>,
    /// The query.
    pub sql: String,
}

impl FleetAnswer {
    /// The word of [`FleetAnswer::format`].
    pub const FORMAT: &'static str = "ducktrack-fleet";
    /// The version of the document.
    pub const VERSION: u32 = 1;

    fn is_number(&self, column: usize) -> bool {
        let mut cells = self.rows.iter().filter_map(|row| row.get(column));
        cells.all(|cell| cell.is_empty() || cell.parse::<i64>().is_ok())
    }

    /// A number of a person: digits in groups.
    fn shown(&self, column: usize, cell: &str) -> String {
        match cell.parse::<i64>() {
            // A version or a line is no amount.
            Ok(number)
                if !matches!(
                    self.columns.get(column).map(String::as_str),
                    Some("line" | "version")
                ) =>
            {
                crate::quantity::grouped(number)
            }
            _ => printable(cell),
        }
    }

    fn title(&self, column: usize) -> String {
        self.columns
            .get(column)
            .map_or(String::new(), |name| name.replace('_', " "))
    }

    /// A place as other reports write it: `class.method:line`. Text that is not part of one stands apart.
    fn joined(&self, column: usize, text: String) -> String {
        let name = |column: usize| self.columns.get(column).map(String::as_str);
        match (name(column), name(column + 1)) {
            _ if text.is_empty() => text,
            (Some("class"), Some("method")) => text + ".",
            (Some("method"), _) => text,
            (Some("line"), _) => format!(":{text}  "),
            _ => text + "  ",
        }
    }

    /// Columns without any value are not shown.
    fn shown_columns(&self) -> Vec<usize> {
        let has_value = |column: &usize| {
            let mut cells = self.rows.iter().filter_map(|row| row.get(*column));
            cells.any(|cell| !cell.is_empty())
        };
        (0..self.columns.len()).filter(has_value).collect()
    }
}

impl Report for FleetAnswer {
    fn name(&self) -> &'static str {
        "fleet"
    }

    fn write(&self, out: &mut TextLines) {
        out.push_str(&format!("{}: {}\n", self.question, self.about));
        out.push_str(&format!(
            "  tables         {}, read by {}\n\n",
            printable(&self.root),
            self.engine
        ));
        if self.rows.is_empty() {
            out.push_str(
                "No row. See what is there: the tables `runs` and `counts` below that root.\n",
            );
            return;
        }
        let (numbers, names): (Vec<usize>, Vec<usize>) = self
            .shown_columns()
            .into_iter()
            .partition(|column| self.is_number(*column) && self.columns[*column] != "line");
        let mut table = Table::<Vec<String>>::new();
        for column in numbers {
            table = table.in_text(self.title(column), Unit::Number, move |row| {
                row.get(column).map(|cell| self.shown(column, cell))
            });
        }
        let titles: Vec<String> = names.iter().map(|column| self.title(*column)).collect();
        let name = |row: &Vec<String>| {
            let named = |column: &usize| self.joined(*column, printable(row.get(*column)?)).into();
            names.iter().filter_map(named).collect::<String>()
        };
        let table = table.in_text(titles.join(" "), Unit::Text, name);
        table.write(out, &self.rows);
    }

    fn next(&self) -> Vec<NextCommand> {
        vec![NextCommand::new(
            format!("fleet {} {} --sql", self.root, self.question),
            "the query, to change it",
        )]
    }

    fn json(&self) -> Result<String, ReportError> {
        let row = |row: &Vec<String>| row.iter().map(|cell| printable(cell)).collect();
        let fit_to_print = Self {
            rows: self.rows.iter().map(row).collect(),
            ..self.clone()
        };
        let text = serde_json::to_string_pretty(&fit_to_print).map_err(ReportError::NoJsonForm)?;
        Ok(text + "\n")
    }

    fn csv(&self) -> Result<String, ReportError> {
        let line = |cells: &[String]| {
            csv_line(&cells.iter().map(|cell| printable(cell)).collect::<Vec<_>>())
        };
        let rows = self.rows.iter().map(|row| line(row));
        Ok(std::iter::once(line(&self.columns)).chain(rows).collect())
    }

    fn html(&self) -> Result<String, ReportError> {
        let columns = self.shown_columns();
        let head = |column: &usize| PageCell {
            text: self.title(*column),
            is_number: self.is_number(*column),
        };
        let row = |row: &Vec<String>| {
            let cell = |column: &usize| PageCell {
                text: self.shown(*column, row.get(*column).map_or("", String::as_str)),
                is_number: self.is_number(*column),
            };
            columns.iter().map(cell).collect()
        };
        let page = Page {
            answer: self,
            facts: format!(
                "{} of {}, read by {}",
                counted(self.rows.len() as i128, "row"),
                self.root,
                self.engine
            ),
            head: columns.iter().map(head).collect(),
            rows: self.rows.iter().map(row).collect(),
            css: include_str!("../templates/report.css"),
        };
        page.render().map_err(ReportError::Page)
    }
}

struct PageCell {
    text: String,
    is_number: bool,
}

#[derive(Template)]
#[template(path = "fleet.html")]
struct Page<'a> {
    answer: &'a FleetAnswer,
    facts: String,
    head: Vec<PageCell>,
    rows: Vec<Vec<PageCell>>,
    css: &'static str,
}
