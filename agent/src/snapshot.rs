//! Values to disk: all blocks are read, while their threads go on, and what is new in the dictionary goes first.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use ducktrack_jvmti::Jni;
use ducktrack_trace_format::{
    AgentCost, CallSiteId, CounterId, End, KeyedCount, Record, Run, SiteId, Snapshot, ThreadCounts,
};

use ducktrack_trace_writer::CountWriter;

use crate::agent::{Agent, Cost};
use crate::counter_block::{CounterBlock, KeyedEntry};
use crate::options::{Counters, Mode};
use crate::running_frames::add_owed;
use crate::thread_table::ThreadRow;

impl Agent {
    /// Writes a snapshot. A failure is remembered by the writer and said at the end.
    pub(crate) fn snapshot(&self, jni: Jni, cause: &str) {
        let start = Instant::now();
        self.find_site_sizes(jni);
        let mut writer = self.writer.lock();
        let Some(writer) = writer.as_mut() else {
            return;
        };
        // Values first, dictionary second: every counter that has a value is in the dictionary by then.
        let mut snapshot = self.values(cause);
        if cause == "exit"
            && let Some(snapshot) = &mut snapshot
        {
            add_owed(&mut snapshot.threads, &self.owed_by_running_frames(jni));
        }
        self.snapshots.fetch_add(1, Ordering::Relaxed);
        self.define_what_is_new(writer);
        if let Some(snapshot) = snapshot {
            self.report(writer.snapshot(&snapshot));
        }
        Cost::add(
            &self.cost.snapshot_micros,
            u64::try_from(start.elapsed().as_micros()).unwrap_or(0),
        );
    }

    /// Writes what is new in the dictionary: blocks of events name it.
    pub(crate) fn write_definitions(&self) {
        if let Some(writer) = self.writer.lock().as_mut() {
            self.define_what_is_new(writer);
        }
    }

    fn define_what_is_new(&self, writer: &mut CountWriter) {
        if !self.run_defined.swap(true, Ordering::Relaxed) {
            self.report(writer.define(&Record::Run(self.run())));
        }
        let notes = self.notes.take().into_iter().map(Record::Note);
        for record in self
            .threads
            .take_pending()
            .into_iter()
            .chain(self.collections.take_pending())
            .chain(self.registry.take_pending())
            .chain(notes)
        {
            self.report(writer.define(&record));
        }
    }

    /// Writes the last word, after everything that waits.
    pub(crate) fn end_trace(&self, cause: &str) {
        let mut writer = self.writer.lock();
        if let Some(mut writer) = writer.take() {
            for sentence in self.notes.take() {
                self.report(writer.define(&Record::Note(sentence)));
            }
            let losses = self.losses();
            self.report(writer.finish(End {
                unix_millis: unix_millis(),
                cause: cause.to_owned(),
                losses,
            }));
        }
    }

    /// Ends the trace of a run in which nothing was counted: it has the run's facts and notes only.
    pub(crate) fn end_unused_trace(&self) {
        if let Some(writer) = self.writer.lock().as_mut() {
            self.report(writer.define(&Record::Run(self.run())));
        }
        self.end_trace("given up");
    }

    /// Said once: what fails fails again for the same reason. The writer keeps account of the rest, for the end record.
    fn report(&self, result: Result<(), ducktrack_trace_writer::WriteError>) {
        if let Err(error) = result
            && !self.write_failure_said.swap(true, Ordering::Relaxed)
        {
            self.log.error(&error.to_string());
        }
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
            mode: match self.options.mode {
                Mode::Count => "count",
                Mode::Trace => "trace",
            }
            .to_owned(),
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

    fn values(&self, cause: &str) -> Option<Snapshot> {
        let facts = self.facts()?;
        let end = self.registry.counter_end();
        let rows = self.threads.rows(&facts.threads);
        let allocated: u64 = rows.iter().map(|(_, bytes)| bytes).sum();
        let threads: Vec<ThreadCounts> = rows
            .iter()
            .map(|(row, bytes)| self.thread_counts(row, *bytes, end))
            .collect();
        let shared = self
            .shared
            .counters(end)
            .map(|(id, value)| (CounterId(id), value))
            .collect();
        Some(Snapshot {
            sequence: u32::try_from(self.snapshots.load(Ordering::Relaxed)).unwrap_or(u32::MAX),
            unix_millis: unix_millis(),
            cause: cause.to_owned(),
            threads,
            shared,
            vm_allocated_bytes: Some(allocated),
            before_ready_bytes: Some(self.threads.before_ready_bytes()),
            cost: self.agent_cost(&rows),
            more: false,
        })
    }

    fn thread_counts(&self, row: &ThreadRow, allocated: u64, end: u32) -> ThreadCounts {
        ThreadCounts {
            thread: row.id,
            vm_allocated_bytes: Some(allocated),
            counters: row
                .block
                .counters(end)
                .map(|(id, value)| (CounterId(id), value))
                .collect(),
            keyed: self.keyed_counts(row.block),
        }
    }

    /// Keyed entries; those of classes with the same name (one reloaded, say) are added up.
    fn keyed_counts(&self, block: CounterBlock) -> Vec<KeyedCount> {
        let names = self.klass_names.lock();
        let mut sums: HashMap<(u32, u32, Option<String>), (u64, u64)> = HashMap::new();
        for KeyedEntry {
            call_site,
            site,
            klass,
            count,
            bytes,
        } in block.keyed()
        {
            let ty = (klass != 0).then(|| {
                names
                    .get(&klass)
                    .cloned()
                    .unwrap_or_else(|| "L(unknown);".to_owned())
            });
            let sum = sums.entry((call_site, site, ty)).or_default();
            *sum = (sum.0 + count, sum.1 + bytes);
        }
        sums.into_iter()
            .map(|((call_site, site, ty), (count, bytes))| KeyedCount {
                site: SiteId(site),
                context: (call_site != 0).then_some(CallSiteId(call_site)),
                ty,
                count,
                bytes,
            })
            .collect()
    }

    fn agent_cost(&self, rows: &[(ThreadRow, u64)]) -> AgentCost {
        let load = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        let blocks: u64 = rows.iter().map(|(row, _)| row.block.resident_bytes()).sum();
        AgentCost {
            classes_seen: small(load(&self.cost.classes_seen)),
            classes_rewritten: small(load(&self.cost.classes_rewritten)),
            methods_rewritten: small(load(&self.cost.methods_rewritten)),
            rewrite_micros: load(&self.cost.rewrite_nanos) / 1000,
            bytecode_bytes_before: load(&self.cost.code_before),
            bytecode_bytes_after: load(&self.cost.code_after),
            counters: self.registry.counter_end() - crate::counter_block::FIRST_COUNTER,
            memory_bytes: blocks + self.shared.resident_bytes(),
            reinstrumented_methods: small(load(&self.cost.reinstrumented)),
            snapshot_micros: load(&self.cost.snapshot_micros),
        }
    }

    fn losses(&self) -> Vec<String> {
        let Some(facts) = self.facts() else {
            return Vec::new();
        };
        let (mut count, mut bytes) = self.shared.lost();
        for (row, _) in self.threads.rows(&facts.threads) {
            let lost = row.block.lost();
            count += lost.0;
            bytes += lost.1;
        }
        let mut losses = Vec::new();
        if count > 0 {
            losses.push(format!("{count} objects ({bytes} bytes) could not be filed under their class or caller: the table was full"));
        }
        let native = self.uncounted_native.load(Ordering::Relaxed);
        if native > 0 {
            losses.push(format!(
                "{native} objects made by native code could not be counted: no stack was left"
            ));
        }
        let unseen = self.shared.word(crate::event_buffer::DROPPED);
        if unseen > 0 {
            losses.push(format!(
                "{unseen} allocations were executed by threads without a buffer of events"
            ));
        }
        if let Some(tracing) = self.tracing() {
            losses.extend(tracing.log().losses());
        }
        losses
    }
}

pub(crate) fn unix_millis() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .ok()
        .and_then(|time| u64::try_from(time.as_millis()).ok())
        .unwrap_or(0)
}
