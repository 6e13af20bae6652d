//! The counters of a run that has not ended, as its threads write them: `counters.mapped` in the directory of a trace.
//!
//! The JVM has this file mapped, so its bytes are the current counters at any moment, even after the process was killed. The file is
//! deleted when the trace gets its end record, because the trace is complete then. All words are little-endian, have 8 bytes and are
//! written atomically.
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
//!               KEYED_PLACE ..    keyed entries, 32 bytes each, in the one extent that BlockWord::KeyedExtent names
//!               HISTOGRAM_PLACE   in a block of contexts: executions by bucket of their bytes (execution_bucket), one word each;
//!                                 HISTOGRAM_BYTES later, if the extent is so long, by bucket of their objects
//!
//! keyed entry   0   8   key: note + 32 * site, with bit 0 set if the class is part of the key; 0: not in use
//!               8   8   address of the object's class (ClassAddress), or 0
//!              16   8   objects
//!              24   8   bytes
//!
//! note          call site << 32 | (call site * 0x9E3779B1 as 32 bits) >> 1 & 0x7FFFFFE0
//! ```
//!
//! A block belongs to the thread that [`BlockWord::Owner`] names. After a thread has ended, its values may go to a
//! [`FoldedBlock`](crate::FoldedBlock) of the trace, and the block to another thread:
//!
//! ```text
//! 1. the record is appended                   the block's values of this generation no longer count
//! 2. the block is zeroed
//! 3. Owner: next thread, next generation      the block counts again
//! ```
//!
//! A block that counts has all values of its thread, including those from before the thread got the block. So at any moment the values of a
//! thread are those of its block, if it has one whose generation was not folded, and otherwise those of its last folded block.
//!
//! Example: block 3 belongs to thread 7, in its generation 2, and has counted 5 with counter 64. Its first extent begins at 0x21000:
//!
//! ```text
//! 21100         07 00 00 00 02 00 00 00       word 32: owner
//! 21200         05 00 00 00 00 00 00 00       word 64: counter 64
//! ```

use ducktrack_probe_vocabulary::{COUNTED_BY_CALLER, block_word};

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
pub const BLOCK_HEADER_WORDS: usize = block_word::FIRST_COUNTER;
/// Byte offset in a block at which the keyed entries begin.
pub const KEYED_PLACE: u64 = 8 << 20;
/// Byte offset in a block of contexts at which the histogram of executions begins.
pub const HISTOGRAM_PLACE: u64 = KEYED_PLACE + (1 << 20);
/// Bytes of a histogram.
pub const HISTOGRAM_BYTES: u64 = 40 << 10;
/// Bytes of a keyed entry.
pub const KEYED_ENTRY_BYTES: usize = 32;

/// Set in a key if the class is part of the key.
const CLASS_IN_KEY: u64 = 1;

/// The words of the header, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum HeaderWord {
    /// [`COUNTER_FILE_MAGIC`].
    Magic = 0,
    /// [`COUNTER_FILE_VERSION`].
    Version = 1,
    /// Process id of the JVM, as the JVM sees it.
    Pid = 2,
    /// Start of the process in clock ticks since boot (field 22 of `/proc/PID/stat`).
    ProcessStart = 3,
    /// First half of the machine's boot id; the second follows.
    BootId = 4,
    /// When the agent last updated the file, milliseconds since 1970.
    LookedAt = 6,
    /// Bytes allocated by all threads since counting was ready, by the VM's own count, at that time.
    VmBytes = 7,
    /// Bytes allocated before counting was ready, by the VM's own count.
    BeforeReadyBytes = 8,
    /// 0: running; 1: the VM has announced its end.
    State = 9,
    /// The system's error number of the last failed write of the trace; 0: none.
    WriteError = 10,
    /// Number of extents in the table.
    Extents = 11,
    /// One more than the last counter in use.
    CounterEnd = 12,
    /// The cost of the agent, ten words in the order of [`AgentCost`](crate::AgentCost).
    Cost = 16,
}

/// The words of a block's header that a reader needs, by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub enum BlockWord {
    /// Objects for which the table of keyed entries had no room; the next word has their bytes.
    Lost = block_word::KEYED_LOST,
    /// Thread in the lower half, generation in the upper.
    Owner = block_word::OWNER,
    /// Number of the extent with the keyed entries.
    KeyedExtent = block_word::KEYED_EXTENT,
    /// Bytes allocated by the block's threads, by the VM's own count, at the agent's last update.
    VmBytes = block_word::VM_BYTES,
    /// Not 0: there was no room for more keyed entries, so later ones are in private memory, which is lost with the process.
    KeyedPrivate = block_word::KEYED_PRIVATE,
    /// The context whose executions end in the block; 0: none.
    ContextEntered = block_word::CONTEXT_ENTERED,
    /// Executions that have ended.
    Executions = block_word::CONTEXT_EXECUTIONS,
    /// Their bytes by the VM's count.
    ExecutionBytes = block_word::CONTEXT_EXECUTION_BYTES,
    /// Bytes of the largest one.
    LargestExecution = block_word::CONTEXT_LARGEST,
    /// Objects of the executions that have ended, where they are counted.
    ExecutionObjects = block_word::OBJECTS_OF_EXECUTIONS,
    /// The most objects of one.
    MostObjects = block_word::OBJECTS_MOST,
}

/// A part of a block.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// The block's number.
    pub block: u64,
    /// Byte offset in the block.
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
    /// The thread; 0 for the block that threads share before they have one of their own.
    pub thread: ThreadId,
    /// How many threads owned the block before.
    pub generation: u32,
}

impl BlockOwner {
    /// The value of [`BlockWord::Owner`].
    pub fn word(self) -> u64 {
        u64::from(self.generation) << 32 | u64::from(self.thread.0)
    }

    /// Decodes the owner from a word.
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
    /// Address of the object's class, if the site does not determine the class.
    pub klass: Option<u64>,
    /// Objects.
    pub count: u64,
    /// Bytes.
    pub bytes: u64,
}

impl KeyedEntry {
    /// The key of a site with a caller (0: none); `typed`: the class is part of the key.
    pub fn key(caller: u32, site: u32, typed: bool) -> u64 {
        let site = u64::from(site) * KEYED_ENTRY_BYTES as u64;
        note(caller).wrapping_add(site) | if typed { CLASS_IN_KEY } else { 0 }
    }

    /// Decodes the four words of an entry; `None` if it is not in use, or its objects are counted by the calling method.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "sites and callers have 32 bits in a key"
    )]
    pub fn of([key, klass, count, bytes]: [u64; 4]) -> Option<Self> {
        let caller = (key >> 32) as u32;
        let site = key.wrapping_sub(note(caller)) / KEYED_ENTRY_BYTES as u64;
        (key != 0 && caller != COUNTED_BY_CALLER).then_some(Self {
            caller: (caller != 0).then_some(CallSiteId(caller)),
            site: SiteId(site as u32),
            klass: (key & CLASS_IN_KEY != 0).then_some(klass),
            count,
            bytes,
        })
    }
}

/// The note of a call site in a thread's memory: the call site, and where its entries begin in the table.
pub fn note(call_site: u32) -> u64 {
    let begin = (call_site.wrapping_mul(0x9E37_79B1) >> 1) & 0x7FFF_FFE0;
    u64::from(call_site) << 32 | u64::from(begin)
}

/// The first words in these bytes.
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
