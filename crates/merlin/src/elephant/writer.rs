//! Records and deaths to lines. Deaths are not known when the records of their moment are: the caller computes all deaths
//! first, and then leads the records through the writer a second time.

use std::io::{self, Write};

use crate::elephant::ElephantForm;
use crate::names::Names;
use crate::stream::record::{ObjectId, Record, ThreadId, Time};

/// A death, as a line of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct TimedDeath {
    time: Time,
    object: ObjectId,
    thread: ThreadId,
}

/// Writes lines in the order of time. Uses are lines of ET1 (`R`); ET3 has none.
#[derive(Debug)]
pub struct ElephantWriter<W> {
    out: W,
    form: ElephantForm,
    names: Names,
    deaths: std::iter::Peekable<std::vec::IntoIter<TimedDeath>>,
    time: Time,
    /// ET3's clock: entries and exits.
    ticks: u64,
    thread: ThreadId,
}

impl<W: Write> ElephantWriter<W> {
    /// `deaths`: objects with the moment at which each was reachable last, and its thread; in any order.
    pub fn new(
        out: W,
        form: ElephantForm,
        names: Names,
        deaths: impl Iterator<Item = (ObjectId, Time, ThreadId)>,
    ) -> Self {
        let deaths = deaths.map(|(object, time, thread)| TimedDeath {
            time,
            object,
            thread,
        });
        let mut deaths: Vec<TimedDeath> = deaths.collect();
        deaths.sort_unstable();
        Self {
            out,
            form,
            names,
            deaths: deaths.into_iter().peekable(),
            time: 0,
            ticks: 0,
            thread: ThreadId::default(),
        }
    }

    /// Takes the next record of the stream.
    ///
    /// # Errors
    /// When the lines cannot be written.
    pub fn record(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Thread(thread) => self.thread = *thread,
            Record::Tick { advance, .. } => {
                self.time = self.time.saturating_add(*advance);
                self.deaths_until(self.time)?;
            }
            record if record.is_event() => {
                self.time = self.time.saturating_add(1);
                match self.form {
                    ElephantForm::Et1 => self.first(record)?,
                    ElephantForm::Et3 => self.third(record)?,
                }
                self.deaths_until(self.time)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The rest of the deaths.
    ///
    /// # Errors
    /// When the lines cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.deaths_until(Time::MAX)?;
        self.out.flush()?;
        Ok(self.out)
    }

    fn deaths_until(&mut self, time: Time) -> io::Result<()> {
        while let Some(death) = self.deaths.next_if(|death| death.time <= time) {
            let (object, thread) = (death.object.get(), death.thread.0);
            match self.form {
                ElephantForm::Et1 => writeln!(self.out, "D {object:x} {thread:x}")?,
                ElephantForm::Et3 => writeln!(self.out, "D {object} {thread} {}", self.ticks)?,
            }
        }
        Ok(())
    }

    fn first(&mut self, record: &Record) -> io::Result<()> {
        let thread = self.thread.0;
        match record {
            Record::Allocation(one) => {
                let letter = if one.length.is_some() { 'A' } else { 'N' };
                // ET1 separates fields by spaces: none within a name.
                let ty = self
                    .names
                    .ty(one.ty)
                    .map(|name| name.replace(char::is_whitespace, "_"));
                let ty = ty
                    .filter(|name| !name.is_empty())
                    .unwrap_or_else(|| format!("{:x}", one.ty.0));
                let (id, size, site) = (one.object.get(), one.bytes, one.site.0);
                let length = one.length.unwrap_or(0);
                writeln!(
                    self.out,
                    "{letter} {id:x} {size:x} {ty} {site:x} {length:x} {thread:x}"
                )
            }
            Record::Update {
                source,
                slot,
                old,
                new,
            } => {
                let (old, source, new) = (id(*old), id(*source), id(*new));
                writeln!(
                    self.out,
                    "U {old:x} {source:x} {new:x} {:x} {thread:x}",
                    slot.0
                )
            }
            Record::Store { source, slot, new } => {
                let (source, new) = (id(*source), id(*new));
                writeln!(self.out, "U 0 {source:x} {new:x} {:x} {thread:x}", slot.0)
            }
            Record::Use(object) | Record::Root { object, .. } => {
                writeln!(self.out, "R {:x} {thread:x}", object.get())
            }
            Record::Entry { method, receiver } => {
                writeln!(self.out, "M {:x} {:x} {thread:x}", method.0, id(*receiver))
            }
            Record::Exit { method, receiver } => {
                writeln!(self.out, "E {:x} {:x} {thread:x}", method.0, id(*receiver))
            }
            Record::ExceptionalExit {
                method,
                receiver,
                exception,
            } => {
                let (receiver, exception) = (id(*receiver), id(*exception));
                writeln!(
                    self.out,
                    "X {:x} {receiver:x} {exception:x} {thread:x}",
                    method.0
                )
            }
            _ => Ok(()),
        }
    }

    fn third(&mut self, record: &Record) -> io::Result<()> {
        if matches!(
            record,
            Record::Entry { .. } | Record::Exit { .. } | Record::ExceptionalExit { .. }
        ) {
            self.ticks += 1;
        }
        let ticks = self.ticks;
        match record {
            Record::Allocation(one) => {
                let letter = if one.length.is_some() { 'A' } else { 'N' };
                let (object, size, ty, site) = (one.object.get(), one.bytes, one.ty.0, one.site.0);
                let length = one.length.unwrap_or(0);
                writeln!(
                    self.out,
                    "{letter} {object} {size} {ty} {site} {length} {ticks}"
                )
            }
            Record::Update {
                source, slot, new, ..
            }
            | Record::Store { source, slot, new } => {
                writeln!(
                    self.out,
                    "U {} {} {} {ticks}",
                    id(*source),
                    id(*new),
                    slot.0
                )
            }
            Record::Entry { method, receiver } => {
                writeln!(self.out, "M {} {} {ticks}", method.0, id(*receiver))
            }
            Record::Exit { method, .. } => writeln!(self.out, "E {} {ticks}", method.0),
            Record::ExceptionalExit {
                method,
                receiver,
                exception,
            } => {
                let (receiver, exception) = (id(*receiver), id(*exception));
                writeln!(self.out, "X {} {receiver} {exception} {ticks}", method.0)
            }
            _ => Ok(()),
        }
    }
}

/// The number of a reference; 0: none.
fn id(object: Option<ObjectId>) -> u64 {
    object.map_or(0, ObjectId::get)
}
