//! `ducktrack lifetimes --objects`: one line per object.

use std::io::Write;

use anyhow::{Context, Result};
use ducktrack_analyses::ProgramClock;
use ducktrack_merlin::{Fate, Instant, Names};
use ducktrack_reports::{Filter, ObjectPlace, csv_line, place_of};

const COLUMNS: [&str; 11] = [
    "object",
    "type",
    "class",
    "method",
    "line",
    "thread",
    "bytes",
    "born",
    "lastUse",
    "unreachable",
    "collected",
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
                let line = match self.form {
                    ListForm::Csv => csv_line(&self.fields(fate, &place, names)),
                    ListForm::JsonLines => self.json(fate, &place, names),
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
            self.put(&csv_line(&COLUMNS.map(str::to_owned)))?;
        }
        Ok(())
    }

    fn put(&mut self, line: &str) -> Result<()> {
        let written = self.out.write_all(line.as_bytes());
        written.context("cannot write the list of objects")
    }

    /// Birth, last use, unreachable, collected.
    fn moments(&self, fate: &Fate) -> [Option<u64>; 4] {
        let read = |moment: Option<Instant>| moment.map(|moment| self.clock.of(moment));
        [Some(fate.born), fate.used, fate.unreachable, fate.collected].map(read)
    }

    fn fields(&self, fate: &Fate, place: &ObjectPlace, names: &Names) -> Vec<String> {
        let number = |number: Option<u64>| number.map_or_else(String::new, |n| n.to_string());
        let mut fields = vec![
            fate.object.get().to_string(),
            place.ty.clone(),
            place.class.clone(),
            place.method.clone(),
            number(place.line.map(u64::from)),
            thread_name(fate, names),
            fate.bytes.to_string(),
        ];
        fields.extend(self.moments(fate).map(number));
        fields
    }

    fn json(&self, fate: &Fate, place: &ObjectPlace, names: &Names) -> String {
        let [born, used, unreachable, collected] = self.moments(fate);
        let line = serde_json::json!({
            "object": fate.object.get(), "type": place.ty, "class": place.class, "method": place.method, "line": place.line,
            "thread": thread_name(fate, names), "bytes": fate.bytes, "born": born, "lastUse": used,
            "unreachable": unreachable, "collected": collected,
        });
        format!("{line}\n")
    }
}

fn thread_name(fate: &Fate, names: &Names) -> String {
    match names.thread(fate.thread) {
        Some(name) => name.to_owned(),
        None if fate.thread.0 == 0 => String::new(),
        None => format!("thread {}", fate.thread.0),
    }
}
