//! The counters of a run that has not ended, as its threads write them: `counters.mapped` in the directory of a trace.
//!
//! The JVM has this file mapped, so its bytes are those of the counters at any moment, also after the process was killed. It is gone when the
//! trace has its end record, which then says everything. All words are little-endian and of 8 bytes; a word is written whole.
//!
//! ```text
//! 0             header: words, see HeaderWord
//! 4096          table of extents, 32 bytes each; HeaderWord::Extents says how many there are
//! HEAD_BYTES    the extents: parts of the counter blocks of threads
//!
//! extent        0   8   number of the block
//!               8   8   place in the block, bytes: below KEYED_PLACE counters, from there on keyed entries
//!              16   8   offset in the file
//!              24   8   length in bytes, 0: the extent is not in use
//!
//! block         words 0..64       header, see BlockWord
//!               words 64..        counters by their ids (CounterId), one word each
//!               KEYED_PLACE ..    keyed entries, 32 bytes each, of one extent: that which BlockWord::KeyedExtent names
//!
//! keyed entry   0   8   key: note + 32 * site, bit 0 set where the class counts; 0: not in use
//!               8   8   address of the object's class (ClassAddress), or 0
//!              16   8   objects
//!              24   8   bytes
//!
//! note          call site << 32 | (call site * 0x9E3779B1 as 32 bits) >> 1 & 0x7FFFFFE0
//! ```
//!
//! A block belongs to the thread that [`BlockWord::Owner`] names. When a thread has ended, its values may go to a
//! [`FoldedBlock`](crate::FoldedBlock) of the trace, and the block to another thread:
//!
//! ```text
//! 1. the record is appended                   the block's values of this generation count no more
//! 2. the block is zeroed
//! 3. Owner: next thread, next generation      the block counts again
//! ```
//!
//! A block that counts has all values of its thread, also those from before it had the block. So the values of a thread are those of its block, if it has
//! one whose generation was not folded, else those of its last folded block: at any moment.
//!
//! Example: block 3 belongs to thread 7, in its generation 2, and has counted 5 with counter 64. Its first extent begins at 0x21000:
//!
//! ```text
//! 21100         07 00 00 00 02 00 00 00       word 32: owner
//! 21200         05 00 00 00 00 00 00 00       word 64: counter 64
//! ```

use crate::byte_fields::take_array;
use crate::{CallSiteId, FormatError, SiteId, ThreadId};

/// The name of the file.
pub const COUNTER_FILE_NAME: &str = "counters.mapped";
/// The first word: `DUCKCTRS`.
pub const COUNTER_FILE_MAGIC: u64 = u64::from_le_bytes(*b"DUCKCTRS");
/// The second word.
pub const COUNTER_FILE_VERSION: u64 = 1;
/// Bytes of the header and the table of extents.
pub const HEAD_BYTES: usize = 128 << 10;
/// Where the table of extents begins.
pub const EXTENT_TABLE: usize = 4096;
/// The most extents.
pub const MAX_EXTENTS: usize = (HEAD_BYTES - EXTENT_TABLE) / Extent::LENGTH;
/// Words of a block's header.
pub const BLOCK_HEADER_WORDS: usize = 64;
/// Where in a block the keyed entries begin, in bytes.
pub const KEYED_PLACE: u64 = 8 << 20;
/// Bytes of a keyed entry.
pub const KEYED_ENTRY_BYTES: usize = 32;

/// Set in a key where the class is a part of the key.
const CLASS_IN_KEY: u64 = 1;

/// The words of the header, by their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum HeaderWord {
    /// [`COUNTER_FILE_MAGIC`].
    Magic = 0,
    /// [`COUNTER_FILE_VERSION`].
    Version = 1,
    /// Process id of the JVM, as the JVM sees it.
    Pid = 2,
    /// When the process started, in clock ticks since the machine did (field 22 of `/proc/PID/stat`).
    ProcessStart = 3,
    /// First half of the machine's boot id; the second follows.
    BootId = 4,
    /// When the agent looked around last, milliseconds since 1970.
    LookedAt = 6,
    /// The VM's own count of bytes allocated by all threads since counting was ready, at that moment.
    VmBytes = 7,
    /// The same before counting was ready.
    BeforeReadyBytes = 8,
    /// 0: running; 1: the VM has said that it ends.
    State = 9,
    /// The system's number of the last error that kept the trace from being written; 0: none.
    WriteError = 10,
    /// How many extents the table has.
    Extents = 11,
    /// One more than the last counter in use.
    CounterEnd = 12,
    /// What the agent has cost, ten words in the order of [`AgentCost`](crate::AgentCost).
    Cost = 16,
}

/// The words of a block's header that a reader needs, by their position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum BlockWord {
    /// Objects for which the table of keyed entries had no room; their bytes follow.
    Lost = 3,
    /// Thread in the lower half, generation in the upper.
    Owner = 32,
    /// Number of the extent that has the keyed entries.
    KeyedExtent = 33,
    /// The VM's own count of bytes that the block's threads have allocated, when the agent looked last.
    VmBytes = 34,
    /// Not 0: there was no room for more keyed entries, and from some moment on they are in memory that went with the process.
    KeyedPrivate = 35,
}

/// A part of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Number of the block.
    pub block: u64,
    /// Place in the block, bytes.
    pub place: u64,
    /// Offset in the file.
    pub offset: u64,
    /// Length in bytes; 0: not in use.
    pub length: u64,
}

impl Extent {
    /// Bytes of an extent in the table.
    pub const LENGTH: usize = 32;

    /// The words of its entry in the table.
    pub fn words(self) -> [u64; 4] {
        [self.block, self.place, self.offset, self.length]
    }

    /// Reads an entry of the table.
    pub fn decode(bytes: &[u8]) -> Result<Self, FormatError> {
        let [block, place, offset, length] = words(bytes)?;
        Ok(Self {
            block,
            place,
            offset,
            length,
        })
    }
}

/// The owner of a block and its generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockOwner {
    /// The thread; 0 is the block that threads share before they have one of their own.
    pub thread: ThreadId,
    /// How many threads had the block before it.
    pub generation: u32,
}

impl BlockOwner {
    /// As it stands in [`BlockWord::Owner`].
    pub fn word(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.thread.0)
    }

    /// The owner that a word names.
    #[allow(clippy::cast_possible_truncation, reason = "two halves of a word")]
    pub fn of(word: u64) -> Self {
        Self {
            thread: ThreadId(word as u32),
            generation: (word >> 32) as u32,
        }
    }
}

/// A keyed entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyedEntry {
    /// The caller to blame.
    pub caller: Option<CallSiteId>,
    /// The site.
    pub site: SiteId,
    /// Address of the object's class, where the site does not say the class.
    pub klass: Option<u64>,
    /// Objects.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

impl KeyedEntry {
    /// The key of what is filed under a caller (0: none) at a site; `typed`: the class counts.
    pub fn key(caller: u32, site: u32, typed: bool) -> u64 {
        let site = u64::from(site) * KEYED_ENTRY_BYTES as u64;
        note(caller).wrapping_add(site) | if typed { CLASS_IN_KEY } else { 0 }
    }

    /// The entry that four words are; `None`: it is not in use.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "sites and callers have 32 bits in a key"
    )]
    pub fn of([key, klass, count, bytes]: [u64; 4]) -> Option<Self> {
        let caller = (key >> 32) as u32;
        let site = key.wrapping_sub(note(caller)) / KEYED_ENTRY_BYTES as u64;
        (key != 0).then_some(Self {
            caller: (caller != 0).then_some(CallSiteId(caller)),
            site: SiteId(site as u32),
            klass: (key & CLASS_IN_KEY != 0).then_some(klass),
            count,
            bytes,
        })
    }
}

/// What a thread notes of a call site: the site, and where in the table its entries begin.
pub fn note(call_site: u32) -> u64 {
    let begin = (call_site.wrapping_mul(0x9E37_79B1) >> 1) & 0x7FFF_FFE0;
    u64::from(call_site) << 32 | u64::from(begin)
}

/// The first words of some bytes.
pub fn words<const N: usize>(bytes: &[u8]) -> Result<[u64; N], FormatError> {
    let mut found = [0; N];
    for (index, word) in found.iter_mut().enumerate() {
        *word = u64::from_le_bytes(take_array(bytes, index * 8)?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn owners_and_extents_are_read_as_they_are_written() {
        let owner = BlockOwner {
            thread: ThreadId(7),
            generation: 2,
        };
        assert_eq!(
            owner.word().to_le_bytes(),
            [0x07, 0, 0, 0, 0x02, 0, 0, 0],
            "as in the example above"
        );
        assert_eq!(BlockOwner::of(owner.word()), owner);
        let extent = Extent {
            block: 3,
            place: KEYED_PLACE,
            offset: 0x21000,
            length: 0x1000,
        };
        let bytes: Vec<u8> = extent
            .words()
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        assert_eq!(Extent::decode(&bytes), Ok(extent));
        assert!(Extent::decode(&bytes[1..]).is_err());
    }

    #[test]
    fn keys_give_their_parts_back() {
        for (caller, site, typed) in [(0, 16, false), (7, 3, true), (1 << 30, 1 << 20, true)] {
            let words = [KeyedEntry::key(caller, site, typed), 0x7000, 5, 80];
            let expected = KeyedEntry {
                caller: (caller != 0).then_some(CallSiteId(caller)),
                site: SiteId(site),
                klass: typed.then_some(0x7000),
                count: 5,
                bytes: 80,
            };
            assert_eq!(KeyedEntry::of(words), Some(expected));
        }
        assert_eq!(KeyedEntry::of([0, 1, 2, 3]), None);
    }
}
