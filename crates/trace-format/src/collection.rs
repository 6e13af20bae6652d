//! Content of a block of kind 17: one collection. Its moves follow in blocks of kind 18.
//!
//! The content is one [`Collection`]: its fields in the order of their declaration, encoded by the
//! rules of [`RecordStream`](crate::RecordStream) (postcard), without length and tag. Of a cycle of
//! ZGC the CPU time of the collector's workers follows, as a varint. More may be added at the end.
//!
//! Events of an epoch stand before the collection that ends it. If moves are known for a collection (it has no fault), they
//! decide the fate of every object in its `collected` ranges: an object in no run of its moves is dead. Objects outside of those
//! ranges live on at their addresses, including those allocated since the previous collection.
//!
//! A cycle of ZGC is a collection at the pause from which on it counts: Mark Start, or Mark End for one of the old generation (kind `old`).
//! Its place among events is there, although it ends later; `vm_total` is the number of cycles of its generation. Addresses are without
//! colours, and bit 47 is set in those of the old generation: at one moment, the same address may be that of an object of each generation.

use serde::{Deserialize, Serialize};

pub use ducktrack_heap_facts::{CollectionKind, MovesLevel, SpaceKind};

use crate::varint::put_varint;
use crate::{FormatError, Place, ThreadId};

/// Set in addresses of objects of ZGC's old generation. No program has such addresses.
pub const OLD_GENERATION: u64 = 1 << 47;

/// One collection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Collection {
    /// Number in the trace, from 1, and so of the epoch that begins with it.
    pub number: u32,
    /// The VM's own count of collections, this one included.
    pub vm_total: u32,
    /// The part of the heap that was collected: the young generation or all of it, for example.
    pub kind: CollectionKind,
    /// The cause, in the VM's words (`G1 Evacuation Pause`).
    pub cause: String,
    /// When the pause began, microseconds since 1970.
    pub start_unix_micros: u64,
    /// When the pause ended, microseconds since 1970.
    pub end_unix_micros: u64,
    /// Time that the agent spent inside the pause.
    pub walk_nanos: u64,
    /// How moves are known.
    pub level: MovesLevel,
    /// Spaces before the collection.
    pub before: Vec<Space>,
    /// Spaces after it.
    pub after: Vec<Space>,
    /// The collected address ranges: each object in them moved, stayed or died.
    pub collected: Vec<AddressRange>,
    /// Where each thread's allocation buffer was cut.
    pub cuts: Vec<ThreadCut>,
    /// Counts of its objects.
    pub counts: CollectionCounts,
    /// Why moves are not known for this collection; `None` when they are.
    pub fault: Option<String>,
    /// CPU time of the collector's workers, of a collection that went on while the program ran; 0: not known, or it was a pause.
    #[serde(skip)]
    pub collector_nanos: u64,
}

/// A part of the heap with objects from `bottom` to `top`.
pub type Space = ducktrack_heap_facts::Space<u64>;

/// Addresses from `start` to before `end`.
pub type AddressRange = ducktrack_heap_facts::AddressRange<u64>;

/// Where a thread's allocation buffer was cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadCut {
    /// The thread.
    pub thread: ThreadId,
    /// Top of its buffer when the collection began; 0: it had no buffer.
    pub top: u64,
    /// Top after its last event; less than 8: unknown. The bytes between the two were allocated at no recorded site.
    pub last: u64,
}

impl ThreadCut {
    /// Bytes allocated after the last event.
    pub fn tail_gap(self) -> u64 {
        match self.last {
            ..8 => 0,
            last => self.top.saturating_sub(last),
        }
    }

    /// Decides where a straddler of this size is. It was allocated before its thread was cut if the thread had allocated at least as many
    /// bytes since its last event. If that is not recorded (`allocated` is 0), the thread's buffer must have had room for it. Its address
    /// is known only if it ended at the top of that buffer: it may also be in an earlier buffer or outside of buffers, and the thread may
    /// have been cut more than once since.
    pub fn settle(cut: Option<Self>, allocated: u64, bytes: Option<u64>) -> Place {
        let at_top = cut.map_or(Place::Eliminated, |cut| cut.at_top(bytes));
        match at_top {
            _ if allocated == 0 => at_top,
            _ if bytes.is_some_and(|bytes| bytes > allocated) => Place::Eliminated,
            Place::Eliminated => Place::Straggler(0),
            place => place,
        }
    }

    /// The place of an object of this size that ended at the top, if there was room for it after the last event.
    fn at_top(self, bytes: Option<u64>) -> Place {
        let room = match self.last {
            ..8 if self.top >= 8 => u64::MAX,
            _ => self.tail_gap(),
        };
        if room > 0 && bytes.is_none_or(|bytes| bytes <= room) {
            Place::Straggler(self.top)
        } else {
            Place::Eliminated
        }
    }
}

/// The writer's counts of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CollectionCounts {
    /// Objects that survived at another address.
    pub moved: u64,
    /// Objects that survived without moving.
    pub stayed: u64,
    /// Bytes of the survivors, moved and stayed.
    pub survived_bytes: u64,
    /// Objects known to the writer that died.
    pub dead: u64,
    /// Survivors that no event explains: made by the VM or by native code.
    pub found: u64,
    /// Bytes of the found objects.
    pub found_bytes: u64,
    /// How many found objects the following blocks of kind 21 explain, by events that did not know the address.
    pub explained: u64,
    /// Objects with several possible origins: found objects that stay unexplained because of it; and, in traces of earlier builds
    /// ([`MovesLevel::Finish`]), survivors that may be other objects with other origins.
    pub ambiguous: u64,
    /// Objects that the writer knows after this collection.
    pub live: u64,
    /// Bytes of these objects.
    pub live_bytes: u64,
}

impl Collection {
    /// Whether it went on while the program ran (ZGC).
    pub fn went_on_beside(&self) -> bool {
        self.collector_nanos > 0
    }

    /// Whether each object allocated before it lay in its ranges: a cycle of ZGC judges every page that was there.
    pub fn judges_all_new(&self) -> bool {
        let judges_new = matches!(self.kind, CollectionKind::Young | CollectionKind::Full);
        self.went_on_beside() && judges_new
    }

    /// Appends the content of a block.
    pub fn encode(&self, content: &mut Vec<u8>) -> Result<(), FormatError> {
        let at = content.len();
        let bytes = postcard::to_allocvec(self).map_err(|_| FormatError::Field {
            at,
            reason: "a collection that cannot be encoded",
        })?;
        content.extend_from_slice(&bytes);
        if self.collector_nanos > 0 {
            put_varint(self.collector_nanos, content);
        }
        Ok(())
    }

    /// Decodes the content of a block.
    pub fn decode(content: &[u8]) -> Result<Self, FormatError> {
        let decoded = postcard::take_from_bytes::<Self>(content).and_then(|(collection, rest)| {
            let collector_nanos = match rest {
                [] => 0,
                rest => postcard::take_from_bytes(rest)?.0,
            };
            Ok(Self {
                collector_nanos,
                ..collection
            })
        });
        decoded.map_err(|_| FormatError::Field {
            at: 0,
            reason: "a collection that does not decode",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn collection() -> Collection {
        Collection {
            number: 3,
            cause: "G1 Evacuation Pause".into(),
            before: vec![Space {
                kind: SpaceKind::Eden,
                index: 9,
                bottom: 0x8000_0000,
                top: 0x8010_0000,
            }],
            cuts: vec![ThreadCut {
                thread: ThreadId(4),
                top: 0x8000_1000,
                last: 0x8000_0800,
            }],
            fault: Some("no".into()),
            ..Collection::default()
        }
    }

    #[test]
    fn round_trip_and_every_cut_is_an_error() {
        let mut content = Vec::new();
        collection().encode(&mut content).unwrap();
        assert_eq!(Collection::decode(&content), Ok(collection()));
        for length in 0..content.len() {
            assert!(Collection::decode(&content[..length]).is_err());
        }
    }

    #[test]
    fn the_time_of_a_cycle_follows_its_fields() {
        let cycle = Collection {
            collector_nanos: 1 << 40,
            ..collection()
        };
        let mut content = Vec::new();
        cycle.encode(&mut content).unwrap();
        assert_eq!(Collection::decode(&content), Ok(cycle));
        content.pop();
        assert!(Collection::decode(&content).is_err());
    }

    #[test]
    fn a_straddler_was_allocated_if_there_is_room_for_it() {
        let cut = |top, last| ThreadCut {
            thread: ThreadId(4),
            top,
            last,
        };
        let settle = |cut, bytes| ThreadCut::settle(Some(cut), 0, bytes);
        let at_top = Place::Straggler(0x1018);
        assert_eq!(settle(cut(0x1018, 0x1000), Some(24)), at_top);
        assert_eq!(settle(cut(0x1018, 0x1000), None), at_top);
        assert_eq!(settle(cut(0x1018, 0x1000), Some(32)), Place::Eliminated);
        assert_eq!(settle(cut(0x1000, 0x1000), Some(24)), Place::Eliminated);
        assert_eq!(settle(cut(0x1000, 0x1000), None), Place::Eliminated);
        assert_eq!(settle(cut(0, 0x1000), Some(24)), Place::Eliminated);
        assert_eq!(settle(cut(0x1018, 1), Some(24)), at_top);
        assert_eq!(settle(cut(0, 1), Some(24)), Place::Eliminated);
        assert_eq!(ThreadCut::settle(None, 0, Some(24)), Place::Eliminated);
    }

    /// What the thread had allocated decides, whether the straddler was outside of the buffer, or the thread was cut again, or the cut is
    /// lost.
    #[test]
    fn a_straddler_was_allocated_if_the_thread_had_allocated_as_much() {
        let cut = |top, last| {
            Some(ThreadCut {
                thread: ThreadId(4),
                top,
                last,
            })
        };
        let settle = |cut, allocated| ThreadCut::settle(cut, allocated, Some(24));
        assert_eq!(settle(cut(0x1018, 0x1000), 24), Place::Straggler(0x1018));
        assert_eq!(settle(cut(0x1018, 0x1000), 16), Place::Eliminated);
        assert_eq!(settle(cut(0, 0x1000), 24), Place::Straggler(0));
        assert_eq!(settle(cut(0x1000, 0x1000), 32), Place::Straggler(0));
        assert_eq!(settle(None, 24), Place::Straggler(0));
        assert_eq!(ThreadCut::settle(None, 24, None), Place::Straggler(0));
    }

    proptest! {
        #[test]
        fn changed_bytes_never_panic(at: prop::sample::Index, bytes: [u8; 9]) {
            let mut content = Vec::new();
            collection().encode(&mut content).unwrap();
            let at = at.index(content.len());
            let end = (at + bytes.len()).min(content.len());
            content[at..end].copy_from_slice(&bytes[..end - at]);
            let _ = Collection::decode(&content);
        }
    }
}
