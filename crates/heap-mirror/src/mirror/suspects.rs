//! Found objects that ended where a thread was cut: the objects that the threads were about to record when a
//! collection stopped them.
//!
//! A thread may stay stopped for more collections; its object is followed until the thread records it.

use std::collections::HashMap;

use ducktrack_trace_format::{ThreadCut, ThreadId};

use super::end_index::is_in;
use ducktrack_trace_format::{AddressRange, Survivor};

#[derive(Clone, Copy, Debug)]
struct Suspect {
    /// Where the thread was cut.
    end: u64,
    /// Where the object is now.
    address: u64,
}

/// The suspects by thread.
#[derive(Debug, Default)]
pub(crate) struct Suspects {
    suspects: HashMap<ThreadId, Suspect>,
}

impl Suspects {
    /// The current address of the object that a thread was about to record.
    pub(crate) fn take(&mut self, thread: ThreadId, end: u64) -> Option<u64> {
        let suspect = self
            .suspects
            .get(&thread)
            .filter(|known| known.end == end)?;
        let address = suspect.address;
        self.suspects.remove(&thread);
        Some(address)
    }

    /// Follows the suspects through a collection, and adds those of the threads it cut. `found` has ends and addresses of found objects;
    /// `found` and `survivors` ascend by address.
    pub(crate) fn follow(
        &mut self,
        ranges: &[AddressRange],
        survivors: &[Survivor],
        found: &[(u64, u64)],
        cuts: &[ThreadCut],
    ) {
        self.suspects.retain(|_, suspect| {
            if !is_in(ranges, suspect.address) {
                return true;
            }
            let at = survivors.binary_search_by_key(&suspect.address, |survivor| survivor.from);
            match at.ok().and_then(|index| survivors.get(index)) {
                Some(survivor) => suspect.address = survivor.to,
                None => return false,
            }
            true
        });
        for cut in cuts.iter().filter(|cut| cut.top >= 8) {
            let at = found.binary_search_by_key(&cut.top, |(end, _)| *end);
            match at.ok().and_then(|index| found.get(index)) {
                Some((end, address)) => {
                    let suspect = Suspect {
                        end: *end,
                        address: *address,
                    };
                    self.suspects.insert(cut.thread, suspect);
                }
                None => {
                    self.suspects.remove(&cut.thread);
                }
            }
        }
    }
}
