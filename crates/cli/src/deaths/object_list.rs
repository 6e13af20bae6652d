//! `ducktrack lifetimes --objects`: one line per object.

use std::io::Write;

use anyhow::{Context, Result};
use ducktrack_analyses::ProgramClock;
use ducktrack_merlin::{Fate, Instant, Names};
use ducktrack_reports::{Filter, ObjectPlace, csv_line, place_of};
use serde_json::{Value, json};

/// An object with its names.
struct Line<'a> {
    fate: &'a Fate,
    place: ObjectPlace,
    thread: String,
    clock: ProgramClock,
}

impl Line<'_> {
    fn at(&self, moment: Option<Instant>) -> Value {
        json!(moment.map(|moment| self.clock.of(moment)))
    }
}

/// A name, and the value of an object.
type Column = (&'static str, fn(&Line<'_>) -> Value);

const COLUMNS: [Column; 11] = [
    ("object", |line| json!(line.fate.object.get())),
    ("type", |line| json!(line.place.ty)),
    ("class", |line| json!(line.place.class)),
    ("method", |line| json!(line.place.method)),
    ("line", |line| json!(line.place.line)),
    ("thread", |line| json!(line.thread)),
    ("bytes", |line| json!(line.fate.bytes)),
    ("born", |line| line.at(Some(line.fate.born))),
    ("lastUse", |line| line.at(line.fate.used)),
    ("unreachable", |line| line.at(line.fate.unreachable)),
    ("collected", |line| line.at(line.fate.collected)),
];

/// The form of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ListForm {
    /// CSV with a header.
    Csv,
    /// A JSON object per line; unknown values are null.
    JsonLines,
}

/// Writes objects as they become known: the dead by collection, then the living.
pub(crate) struct ObjectList {
    out: Box<dyn Write + Send>,
    form: ListForm,
    clock: ProgramClock,
    filter: Filter,
    left: usize,
    has_header: bool,
}

impl ObjectList {
    pub(crate) fn new(
        out: Box<dyn Write + Send>,
        form: ListForm,
        clock: ProgramClock,
        filter: Filter,
    ) -> Self {
        let left = filter.top.unwrap_or(usize::MAX);
        Self {
            out,
            form,
            clock,
            filter,
            left,
            has_header: false,
        }
    }

    pub(crate) fn write(&mut self, fates: &[Fate], names: &Names) -> Result<()> {
        self.header()?;
        for fate in fates {
            if self.left == 0 {
                break;
            }
            let place = place_of(names, fate.site, fate.ty);
            if place.is_wanted(&self.filter) {
                self.left -= 1;
                let line = Line {
                    fate,
                    place,
                    thread: thread_name(fate, names),
                    clock: self.clock,
                };
                let line = match self.form {
                    ListForm::Csv => csv_line(&COLUMNS.map(|(_, value)| cell(value(&line)))),
                    ListForm::JsonLines => {
                        let object = COLUMNS.map(|(name, value)| (name.to_owned(), value(&line)));
                        format!("{}\n", Value::Object(object.into_iter().collect()))
                    }
                };
                self.put(&line)?;
            }
        }
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<()> {
        self.header()?;
        self.out.flush().context("cannot write the list of objects")
    }

    fn header(&mut self) -> Result<()> {
        if self.form == ListForm::Csv && !std::mem::replace(&mut self.has_header, true) {
            self.put(&csv_line(&COLUMNS.map(|(name, _)| name.to_owned())))?;
        }
        Ok(())
    }

    fn put(&mut self, line: &str) -> Result<()> {
        let written = self.out.write_all(line.as_bytes());
        written.context("cannot write the list of objects")
    }
}

/// A value in CSV; what is not known is empty.
fn cell(value: Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text,
        value => value.to_string(),
    }
}

fn thread_name(fate: &Fate, names: &Names) -> String {
    match names.thread(fate.thread) {
        Some(name) => name.to_owned(),
        None if fate.thread.0 == 0 => String::new(),
        None => format!("thread {}", fate.thread.0),
    }
}
