//! A report's table: each column is declared once, with its name, unit, value and explanation. Text, CSV and page only render it.

mod csv;
mod printed;
mod value;

use std::borrow::{Borrow, Cow};

use serde::Serialize;

pub use csv::csv_line;
pub(crate) use printed::Printed;
pub(crate) use value::{Unit, Value};

use crate::json::AmountDoc;
use crate::text_lines::TextLines;

/// Columns of rows `R`, in the order of CSV.
pub(crate) struct Table<'a, R> {
    columns: Vec<Column<'a, R>>,
}

struct Column<'a, R> {
    /// In CSV; `None`: CSV has other columns for it.
    key: Option<Cow<'static, str>>,
    /// In text, and with a capital letter on the page.
    title: Cow<'static, str>,
    unit: Unit,
    /// Explains the figure; the page shows it.
    explanation: Cow<'static, str>,
    in_text: bool,
    on_page: bool,
    /// Text and page begin with it.
    is_first: bool,
    value: Box<dyn Fn(&R) -> Value + 'a>,
}

/// The table as the script of a page reads it.
#[derive(Serialize)]
pub(crate) struct PageTable {
    columns: Vec<PageColumn>,
    rows: Vec<Vec<Value>>,
}

#[derive(Serialize)]
struct PageColumn {
    id: String,
    name: String,
    unit: Unit,
    tip: String,
}

impl<'a, R> Table<'a, R> {
    pub(crate) fn new() -> Self {
        Self {
            columns: Vec::new(),
        }
    }

    /// A column of all forms.
    pub(crate) fn column<V: Into<Value>>(
        self,
        key: impl Into<Cow<'static, str>>,
        title: impl Into<Cow<'static, str>>,
        unit: Unit,
        value: impl Fn(&R) -> V + 'a,
    ) -> Self {
        self.with(Some(key.into()), title, unit, value)
    }

    /// A column that text and page have, and CSV has as others.
    pub(crate) fn shown<V: Into<Value>>(
        self,
        title: impl Into<Cow<'static, str>>,
        unit: Unit,
        value: impl Fn(&R) -> V + 'a,
    ) -> Self {
        self.with(None, title, unit, value)
    }

    /// A column that only CSV has.
    pub(crate) fn in_csv<V: Into<Value>>(
        self,
        key: impl Into<Cow<'static, str>>,
        value: impl Fn(&R) -> V + 'a,
    ) -> Self {
        let all = self.with(Some(key.into()), "", Unit::Count, value);
        all.last(|column| (column.in_text, column.on_page) = (false, false))
    }

    /// A column that only text has.
    pub(crate) fn in_text<V: Into<Value>>(
        self,
        title: impl Into<Cow<'static, str>>,
        unit: Unit,
        value: impl Fn(&R) -> V + 'a,
    ) -> Self {
        let all = self.with(None, title, unit, value);
        all.last(|column| column.on_page = false)
    }

    /// Objects and bytes: two columns of CSV, one of text and page.
    pub(crate) fn amount<V: Into<Option<AmountDoc>>>(
        self,
        key: &'static str,
        title: impl Into<Cow<'static, str>>,
        amount: impl Fn(&R) -> V + Copy + 'a,
    ) -> Self {
        let part = move |of: fn(AmountDoc) -> i64| move |row: &R| amount(row).into().map(of);
        self.in_csv(format!("{key}count"), part(|amount| amount.count))
            .in_csv(format!("{key}bytes"), part(|amount| amount.bytes))
            .with(None, title, Unit::Amount, move |row| amount(row).into())
    }

    /// One column of CSV for each position of a list, as many as the longest list needs; `None`: the list is in another row.
    pub(crate) fn list<'l>(
        self,
        key: &str,
        lists: impl Iterator<Item = &'l Vec<u64>>,
        list: impl Fn(&R) -> Option<&Vec<u64>> + Copy + 'a,
    ) -> Self {
        let last = |list: &Vec<u64>| list.iter().rposition(|value| *value != 0);
        let length = lists.filter_map(last).max().map_or(0, |last| last + 1);
        let value =
            move |row: &R, at: usize| list(row).map(|list| list.get(at).copied().unwrap_or(0));
        (0..length).fold(self, |table, at| {
            table.in_csv(format!("{key}_{at}"), move |row| value(row, at))
        })
    }

    /// Text and page begin with the column before.
    pub(crate) fn first(self) -> Self {
        self.last(|column| column.is_first = true)
    }

    /// Text has not the column before.
    pub(crate) fn on_page_only(self) -> Self {
        self.last(|column| column.in_text = false)
    }

    /// The amount before is shown in full.
    pub(crate) fn exact(self) -> Self {
        self.last(|column| column.unit = Unit::ExactAmount)
    }

    /// Explains the column before.
    pub(crate) fn explained(self, text: impl Into<Cow<'static, str>>) -> Self {
        self.last(|column| column.explanation = text.into())
    }

    fn with<V: Into<Value>>(
        mut self,
        key: Option<Cow<'static, str>>,
        title: impl Into<Cow<'static, str>>,
        unit: Unit,
        value: impl Fn(&R) -> V + 'a,
    ) -> Self {
        self.columns.push(Column {
            key,
            title: title.into(),
            unit,
            explanation: Cow::Borrowed(""),
            in_text: true,
            on_page: true,
            is_first: false,
            value: Box::new(move |row| value(row).into()),
        });
        self
    }

    fn last(mut self, change: impl FnOnce(&mut Column<'a, R>)) -> Self {
        self.columns.last_mut().map(change);
        self
    }

    /// For rows whose names are in the column before.
    pub(crate) fn without_last(mut self) -> Self {
        self.columns.pop();
        self
    }

    /// The columns of a form, those that it begins with first.
    fn columns_of(&self, is_in: fn(&Column<'a, R>) -> bool) -> Vec<&Column<'a, R>> {
        let mut columns: Vec<_> = self.columns.iter().filter(|one| is_in(one)).collect();
        columns.sort_by_key(|column| !column.is_first);
        columns
    }

    pub(crate) fn csv(&self, rows: impl IntoIterator<Item = impl Borrow<R>>) -> String {
        let columns = self.columns.iter();
        let columns: Vec<_> = columns
            .filter_map(|one| Some((one.key.as_ref()?, one)))
            .collect();
        let keys: Vec<&str> = columns.iter().map(|(key, _)| key.as_ref()).collect();
        let mut out = keys.join(",") + "\r\n";
        for row in rows {
            let cells = columns.iter();
            let cells = cells.map(|(_, column)| (column.value)(row.borrow()).in_csv(column.unit));
            out.push_str(&csv_line(&cells.collect::<Vec<_>>()));
        }
        out
    }

    /// Text without rows yet.
    pub(crate) fn text(&self) -> TextTable<'_, 'a, R> {
        let columns = self.columns_of(|column| column.in_text);
        let side = |unit: Unit| if unit.is_number() { ">" } else { "" };
        let titles = columns
            .iter()
            .map(|one| format!("{}{}", side(one.unit), one.title));
        TextTable {
            printed: Printed::new(titles),
            columns,
        }
    }

    /// Rows as text.
    pub(crate) fn write(
        &self,
        out: &mut TextLines,
        rows: impl IntoIterator<Item = impl Borrow<R>>,
    ) {
        let mut text = self.text();
        rows.into_iter().for_each(|row| text.row(row.borrow()));
        text.write(out);
    }

    pub(crate) fn page(&self, rows: impl IntoIterator<Item = impl Borrow<R>>) -> PageTable {
        let columns = self.columns_of(|column| column.on_page);
        let cells = |row: &R| columns.iter().map(|column| (column.value)(row)).collect();
        PageTable {
            rows: rows.into_iter().map(|row| cells(row.borrow())).collect(),
            columns: columns.iter().map(|column| column.on_page()).collect(),
        }
    }
}

impl<R> Column<'_, R> {
    fn on_page(&self) -> PageColumn {
        let mut letters = self.title.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        PageColumn {
            id: self.title.clone().into_owned(),
            name: first.into_iter().chain(letters).collect(),
            unit: self.unit,
            tip: self.explanation.clone().into_owned(),
        }
    }
}

/// Rows of a table as text.
pub(crate) struct TextTable<'t, 'a, R> {
    columns: Vec<&'t Column<'a, R>>,
    printed: Printed,
}

impl<R> TextTable<'_, '_, R> {
    pub(crate) fn row(&mut self, row: &R) {
        let cells = self.columns.iter();
        let cells = cells.map(|column| (column.value)(row).in_text(column.unit));
        self.printed.push(cells.collect());
    }

    /// A row that has only a name.
    pub(crate) fn note(&mut self, name: String) {
        let mut cells = vec![String::new(); self.columns.len() - 1];
        cells.push(name);
        self.printed.push(cells);
    }

    /// Stands for rows that are left out.
    pub(crate) fn gap(&mut self) {
        self.printed.push(vec!["...".to_owned()]);
    }

    pub(crate) fn write(self, out: &mut TextLines) {
        self.printed.write(out);
    }
}
