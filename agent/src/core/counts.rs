//! Reads the values of all blocks while their threads continue to run.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use ducktrack_trace_format::{
    AgentCost, CallSiteId, CounterId, KeyedCount, SiteId, Snapshot, ThreadCounts, ThreadId,
};

use super::Core;
use crate::process::clock::unix_millis;
use crate::process::mapped_file::Refusal;
use crate::threads::block_store::Look;
use crate::threads::counter_block::KeyedEntry;
use crate::threads::thread_table::ThreadRow;

impl Core {
    pub(super) fn values(&self, cause: &str) -> Option<Snapshot> {
        let facts = self.facts()?;
        let end = self.registry.counter_end();
        let written = self.blocks.written();
        let rows = self.threads.rows(&facts.threads);
        let allocated: u64 = rows.iter().map(|(_, bytes)| bytes).sum();
        let counted = rows.iter().filter(|(row, _)| !row.is_sum_of_folded());
        let mut threads: Vec<ThreadCounts> = counted
            .map(|(row, bytes)| self.thread_counts(row, *bytes, written.counters(row.block, end)))
            .collect();
        threads.extend(self.folded_counts());
        let shared = written
            .counters(self.shared, end)
            .filter(|(id, _)| self.registry.has_counter(*id))
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
            cost: self.agent_cost_now(),
            more: false,
        })
    }

    pub(crate) fn thread_counts(
        &self,
        row: &ThreadRow,
        allocated: u64,
        counters: impl Iterator<Item = (u32, u64)>,
    ) -> ThreadCounts {
        self.counts_of((row.id, allocated), counters, row.block.keyed())
    }

    pub(super) fn counts_of(
        &self,
        (thread, allocated): (ThreadId, u64),
        counters: impl Iterator<Item = (u32, u64)>,
        keyed: impl Iterator<Item = KeyedEntry>,
    ) -> ThreadCounts {
        ThreadCounts {
            thread,
            vm_allocated_bytes: Some(allocated),
            counters: counters
                .filter(|(id, _)| self.registry.has_counter(*id))
                .map(|(id, value)| (CounterId(id), value))
                .collect(),
            keyed: self.keyed_counts(keyed),
        }
    }

    /// Keyed entries. Classes with the same name (for example, after a reload) are added up.
    fn keyed_counts(&self, keyed: impl Iterator<Item = KeyedEntry>) -> Vec<KeyedCount> {
        let names = self.klass_names.lock();
        let mut sums: HashMap<(u32, u32, Option<String>), (u64, u64)> = HashMap::new();
        for KeyedEntry {
            call_site,
            site,
            klass,
            count,
            bytes,
        } in keyed
        {
            // Earlier sites of events are identified by name; counts of earlier probes are meaningless.
            if self.needs.counts_in_blocks && !self.registry.has_site(site) {
                continue;
            }
            let call_site = if self.registry.has_call_site(call_site) {
                call_site
            } else {
                0
            };
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

    /// Writes facts that only the agent knows to the mapped file, which is all that a reader has after the process was killed.
    pub(crate) fn note_what_is_seen(&self) {
        let Some(facts) = self.facts() else { return };
        let rows = self.threads.rows(&facts.threads);
        for (row, allocated) in &rows {
            row.block.note_vm_bytes(*allocated);
        }
        let look = Look {
            unix_millis: unix_millis(),
            vm_bytes: rows.iter().map(|(_, bytes)| bytes).sum(),
            before_ready_bytes: self.threads.before_ready_bytes(),
            cost: cost_words(&self.agent_cost(self.cost.memory_bytes.load(Ordering::Relaxed))),
        };
        self.blocks.note(self.registry.counter_end(), look);
    }

    /// Extends blocks in the file to cover every counter numbered so far, if there is room.
    pub(crate) fn cover_counters(&self) {
        let end = self.registry.counter_end();
        if let Err(refusal) = self.blocks.cover(end) {
            self.say_private_memory(&refusal);
        }
    }

    /// Reports once that a kill would lose counts.
    pub(crate) fn say_private_memory(&self, refusal: &Refusal) {
        if self.private_memory_said.swap(true, Ordering::Relaxed) {
            return;
        }
        self.log.warn(&format!(
            "{refusal}: counts of some threads are in private memory, and lost if the JVM is killed; \
             use a larger `memory=mapped:BYTES`, another `output`, or `interval=`"
        ));
        self.notes.add(format!(
            "Counts of some threads are in private memory and lost if the JVM is killed: {refusal}."
        ));
    }

    /// The cost of the agent so far, with its memory now.
    pub(crate) fn agent_cost_now(&self) -> AgentCost {
        self.agent_cost(self.look_at_memory())
    }

    fn agent_cost(&self, memory_bytes: u64) -> AgentCost {
        let load = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
        let small = |value: u64| u32::try_from(value).unwrap_or(u32::MAX);
        AgentCost {
            classes_seen: small(load(&self.cost.classes_seen)),
            classes_rewritten: small(load(&self.cost.classes_rewritten)),
            methods_rewritten: small(load(&self.cost.methods_rewritten)),
            rewrite_micros: load(&self.cost.rewrite_nanos) / 1000,
            bytecode_bytes_before: load(&self.cost.code_before),
            bytecode_bytes_after: load(&self.cost.code_after),
            counters: self.registry.counters(),
            memory_bytes,
            reinstrumented_methods: small(load(&self.cost.reinstrumented)),
            snapshot_micros: load(&self.cost.snapshot_micros),
        }
    }

    /// Losses: objects not counted, or not counted under their key, one sentence each.
    pub(crate) fn losses(&self) -> Vec<String> {
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
        let without = self.cost.threads_without_block.load(Ordering::Relaxed);
        if without > 0 {
            losses.push(format!(
                "{without} threads counted into the shared block, where updates may be lost: the agent had no memory for their own"
            ));
        }
        losses
    }
}

/// The words as the header of the mapped file holds them.
fn cost_words(cost: &AgentCost) -> [u64; 10] {
    [
        cost.classes_seen.into(),
        cost.classes_rewritten.into(),
        cost.methods_rewritten.into(),
        cost.rewrite_micros,
        cost.bytecode_bytes_before,
        cost.bytecode_bytes_after,
        cost.counters.into(),
        cost.memory_bytes,
        cost.reinstrumented_methods.into(),
        cost.snapshot_micros,
    ]
}
