//! Events added up: what counting would have counted, in the words of the threads' blocks.
//!
//! | event | added |
//! |---|---|
//! | of a site with counters | one to its count; on the heap, one to its materialized count; where the site is measured, the bytes to both |
//! | of a site without, or with a caller or a class of its own | one, and the bytes where the site is measured, to the entry of site, caller and class |
//!
//! So snapshots, reports and the summary find everything where counting leaves it. Only the thread that decodes events writes here.

use std::sync::Arc;

use ducktrack_trace_format::{Allocation, Event, SiteFacts, ThreadId};
use ducktrack_trace_writer::Tally;

use crate::counter_block::{CounterBlock, KeyedEntry};
use crate::site_facts::{Account, SiteTable};
use crate::thread_table::BlockFinder;

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
        let Some(block) = self.block(thread) else {
            return;
        };
        let account = match (allocation.caller, allocation.klass) {
            (None, None) => self.sites.account(allocation.site),
            _ => Account::Keyed,
        };
        let bytes = allocation.bytes.unwrap_or(0);
        let on_heap = allocation.place.is_on_heap();
        match account {
            Account::Fixed(count) => {
                block.add(count, 1);
                if on_heap {
                    block.add(count + 1, 1);
                }
            }
            Account::Measured(count) => {
                block.add(count, 1);
                block.add(count + 1, bytes);
                if on_heap {
                    block.add(count + 2, 1);
                    block.add(count + 3, bytes);
                }
            }
            Account::Keyed => block.add_keyed(self.key(allocation, bytes)),
        }
    }
}

impl EventTally {
    fn key(&self, allocation: &Allocation, bytes: u64) -> KeyedEntry {
        // The size of a class is stated once, and multiplied by whoever reads the count.
        let measured = self.sites.is_measured(allocation.site);
        KeyedEntry {
            call_site: allocation.caller.map_or(0, |caller| caller.0),
            site: allocation.site.0,
            klass: allocation.klass.map_or(0, |klass| klass as usize),
            count: 1,
            bytes: if measured { bytes } else { 0 },
        }
    }
}
