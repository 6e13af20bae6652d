//! Adds up events: produces the values that counting would have produced, in the threads' blocks.
//!
//! | event | added |
//! |---|---|
//! | of a site with counters | one to its count; if on the heap, one to its materialized count; if the site is measured, the bytes to both |
//! | of a site without counters, or with its own caller or class | one, and the bytes if the site is measured, to the entry of site, caller and class |
//!
//! So snapshots, reports and the summary find everything in the same place
//! as with counting. Only the thread that decodes events writes here.

use std::sync::Arc;

use ducktrack_trace_format::{Event, SiteFacts, ThreadId};
use ducktrack_trace_writer::{EqualEvents, EventSum, Tally};

use crate::threads::counter_block::{CounterBlock, KeyedEntry};
use crate::threads::thread_table::BlockFinder;
use crate::trace::site_facts::{Account, SiteTable};

/// Adds events to the blocks of their threads.
pub(crate) struct EventTally {
    sites: Arc<SiteTable>,
    blocks: BlockFinder,
    current: Option<(ThreadId, CounterBlock)>,
}

impl EventTally {
    pub(crate) fn new(sites: Arc<SiteTable>, blocks: BlockFinder) -> Self {
        Self {
            sites,
            blocks,
            current: None,
        }
    }

    fn block(&mut self, thread: ThreadId) -> Option<CounterBlock> {
        match self.current {
            Some((current, block)) if current == thread => Some(block),
            _ => {
                let block = self.blocks.block(thread)?;
                self.current = Some((thread, block));
                Some(block)
            }
        }
    }
}

impl Tally for EventTally {
    fn add(&mut self, thread: ThreadId, event: &Event) {
        let Event::Allocation(allocation) = event else {
            return;
        };
        let bytes = allocation.bytes.unwrap_or(0);
        let on_heap = u64::from(allocation.place.is_on_heap());
        let sum = EventSum {
            executed: 1,
            executed_bytes: bytes,
            on_heap,
            on_heap_bytes: bytes * on_heap,
        };
        let alike = EqualEvents {
            site: allocation.site,
            caller: allocation.caller,
            klass: allocation.klass,
        };
        self.add_sum(thread, &alike, &sum);
    }

    fn add_sum(&mut self, thread: ThreadId, alike: &EqualEvents, sum: &EventSum) {
        let account = match (alike.caller, alike.klass) {
            (None, None) => self.sites.account(alike.site),
            _ => Account::Keyed,
        };
        let Some(block) = self.block(thread) else {
            return;
        };
        match account {
            Account::Fixed(count) => {
                block.add(count, sum.executed);
                block.add(count + 1, sum.on_heap);
            }
            Account::Measured(count) => {
                block.add(count, sum.executed);
                block.add(count + 1, sum.executed_bytes);
                block.add(count + 2, sum.on_heap);
                block.add(count + 3, sum.on_heap_bytes);
            }
            Account::Keyed => self.add_keyed(thread, alike, sum),
        }
    }
}

impl EventTally {
    fn add_keyed(&mut self, thread: ThreadId, alike: &EqualEvents, sum: &EventSum) {
        // The size of a class is recorded once; readers multiply it by the count.
        let measured = self.sites.is_measured(alike.site);
        let Some(block) = self.block(thread) else {
            return;
        };
        block.add_keyed(KeyedEntry {
            call_site: alike.caller.map_or(0, |caller| caller.0),
            site: alike.site.0,
            klass: alike.klass.unwrap_or(0) as usize,
            count: sum.executed,
            bytes: if measured { sum.executed_bytes } else { 0 },
        });
    }
}
