//! Writes the trace file. Definitions are written before anything recorded with them.
//!
//! ```text
//! threads, classes of the heap, registry, notes ── new definitions ──┐
//!                                     counts of all blocks ──────────┴──> writer ── trace file
//! ```

use std::sync::atomic::Ordering;
use std::time::Instant;

use ducktrack_trace_format::{End, HeaderWord, Record, Run, Snapshot};
use ducktrack_trace_writer::{CountWriter, WriteError};
use parking_lot::MutexGuard;

use super::{Core, Cost};
use crate::core::phase::Phase;
use crate::options::Counters;
use crate::process::clock::{micros, unix_millis};

/// The value of [`HeaderWord::State`] after the trace has ended.
const ENDED: u64 = 1;

impl Core {
    /// Makes new definitions survive the process. Must be called before anything is recorded that refers to them: a counter increment, or
    /// an event that names a site. Returns false if that failed.
    pub(crate) fn secure_definitions(&self) -> bool {
        let mut writer = self.writer.lock();
        let Some(writer) = writer.as_mut() else {
            return false;
        };
        self.secure_new_definitions(writer)
    }

    /// The same with the writer in hand.
    pub(super) fn secure_new_definitions(&self, writer: &mut CountWriter) -> bool {
        self.write_new_definitions(writer);
        let secured = writer.secure();
        let is_secure = secured.is_ok();
        self.report(secured);
        is_secure
    }

    fn write_new_definitions(&self, writer: &mut CountWriter) {
        // While the VM starts, the facts of the run are incomplete.
        let has_run = self.phase.get() != Phase::Starting;
        if has_run && !self.run_defined.swap(true, Ordering::Relaxed) {
            self.report(writer.define(&Record::Run(self.run())));
        }
        let notes = self.notes.take().into_iter().map(Record::Note);
        for record in self
            .threads
            .take_pending()
            .into_iter()
            .chain(self.heap_classes.take_pending())
            .chain(self.registry.take_pending())
            .chain(notes)
        {
            self.report(writer.define(&record));
        }
    }

    /// Reports a failure once, since repeated failures have the same cause. The writer records the rest for the end record.
    fn report(&self, result: Result<(), WriteError>) {
        let Err(error) = result else { return };
        if let Some(number) = error.system_error() {
            self.blocks.set(HeaderWord::WriteError, number);
        }
        if !self.write_failure_said.swap(true, Ordering::Relaxed) {
            self.log.error(&error.to_string());
        }
    }

    /// The word of the mode that runs.
    pub(crate) fn mode(&self) -> &'static str {
        let lesser = self.lesser_mode.get().map(|mode| mode.word());
        lesser.unwrap_or(self.needs.mode)
    }

    fn run(&self) -> Run {
        let property = |name: &str| {
            let value = self
                .env
                .system_property(name)
                .ok()
                .flatten()
                .unwrap_or_default();
            String::from_utf8_lossy(&value).into_owned()
        };
        let facts = self.facts();
        Run {
            pid: std::process::id(),
            start_unix_millis: self.start_unix_millis,
            ready_after_millis: self.ready_after_millis.load(Ordering::Acquire),
            agent_version: env!("CARGO_PKG_VERSION").to_owned(),
            options: self.options_text.clone(),
            mode: self.mode().into(),
            counters: if self.options.counters == Counters::Path {
                "path"
            } else {
                "site"
            }
            .to_owned(),
            vm_name: property("java.vm.name"),
            vm_version: property("java.vm.version"),
            java_version: property("java.version"),
            java_home: property("java.home"),
            command: property("sun.java.command"),
            collector: facts
                .map(|facts| facts.collector.clone())
                .unwrap_or_default(),
            attached: self.attached,
            slot: facts.map_or("", |facts| facts.slot.name()).to_owned(),
            layout: facts.map(|facts| facts.layout).unwrap_or_default(),
            notes: self.notes.take(),
        }
    }

    /// Writes new records, and makes them survive the process. They are taken
    /// only if the trace goes on: the last snapshot takes what is left.
    pub(crate) fn define(&self, records: impl FnOnce() -> Vec<Record>) {
        if let Some(writer) = self.writer.lock().as_mut() {
            self.write_new_definitions(writer);
            for record in records() {
                self.report(writer.define(&record));
            }
            self.report(writer.secure());
        }
    }

    /// Writes the counts of all threads. `complete` adds what only the caller knows; `records` are written first. The writer remembers a
    /// failure and reports it at the end.
    pub(crate) fn write_snapshot(
        &self,
        cause: &str,
        complete: impl FnOnce(&mut Snapshot),
        records: impl FnOnce() -> Vec<Record>,
    ) {
        let start = Instant::now();
        let mut writer = self.writer.lock();
        let Some(writer) = writer.as_mut() else {
            return;
        };
        // Values before dictionary: then every counter with a value is in the dictionary.
        let mut snapshot = self.values(cause);
        if let Some(snapshot) = &mut snapshot {
            complete(snapshot);
        }
        self.snapshots.fetch_add(1, Ordering::Relaxed);
        self.write_new_definitions(writer);
        for record in records() {
            self.report(writer.define(&record));
        }
        if let Some(snapshot) = snapshot {
            self.report(writer.snapshot(&snapshot));
        }
        Cost::add(&self.cost.snapshot_micros, micros(start.elapsed()));
    }

    /// Blocks snapshots and definitions while values move from one block to another.
    pub(super) fn hold_writer(&self) -> MutexGuard<'_, Option<CountWriter>> {
        self.writer.lock()
    }

    /// Writes pending notes and the end record.
    pub(crate) fn end_trace(&self, cause: &str, losses: Vec<String>) {
        let mut writer = self.writer.lock();
        if let Some(mut writer) = writer.take() {
            for sentence in self.notes.take() {
                self.report(writer.define(&Record::Note(sentence)));
            }
            self.blocks.set(HeaderWord::State, ENDED);
            let finished = writer.finish(End {
                unix_millis: unix_millis(),
                cause: cause.to_owned(),
                losses,
            });
            if finished.is_ok() {
                self.blocks.remove_file();
            }
            self.report(finished);
        }
    }

    /// Ends the trace with only the run's facts and the reason. The program continues without being counted.
    pub(crate) fn give_up(&self, why: &str) {
        if !self.phase.advance(Phase::Ended) {
            return;
        }
        self.notes.add(format!("Nothing was counted: {why}."));
        if let Some(writer) = self.writer.lock().as_mut() {
            self.report(writer.define(&Record::Run(self.run())));
        }
        self.end_trace("given up", Vec::new());
    }
}
