//! Reads the intact blocks of a file, in order, and reports what is damaged between them.
//!
//! A block is intact when its mark, lengths and checksum are right. If they are not, the reader searches for the next
//! mark at which an intact block starts and continues there. A file that was cut while it was written is
//! distinguished from damage in the middle: after the cut there is no intact block.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Take};

use ducktrack_trace_format::{
    BLOCK_MARK, BlockHeader, BlockKind, Damage, FileHeader, FormatError, MAX_CONTENT,
    decode_content,
};

use crate::StartError;
use crate::byte_window::ByteWindow;
use crate::damage_log::DamageLog;

/// Most bytes to checksum in search of intact blocks, so that a file full of false marks costs no more than this.
const SEARCH_BUDGET: usize = 256 << 20;

/// An intact block of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) kind: BlockKind,
    /// Offset in the file.
    pub(crate) at: u64,
    pub(crate) content: Vec<u8>,
}

/// An intact block as stored in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoredBlock {
    pub(crate) header: BlockHeader,
    /// Offset in the file.
    pub(crate) at: u64,
    /// Number of intact blocks before this one.
    pub(crate) index: u64,
    /// The content, compressed or not.
    pub(crate) stored: Vec<u8>,
}

/// Reads blocks one by one.
#[derive(Debug)]
pub(crate) struct BlockReader<R> {
    window: ByteWindow<R>,
    /// Blocks of other kinds are skipped and counted.
    accepts: fn(BlockKind) -> bool,
    pub(crate) damage: DamageLog,
    /// Intact blocks so far.
    count: u64,
    expected_sequence: u32,
    /// The bytes just before are not a block, so the sequence number may jump.
    after_corruption: bool,
    search_budget: usize,
    /// Where the last intact block ended, accepted or not.
    end_of_whole: u64,
    ended: bool,
    /// The file ended with a whole block.
    ended_whole: bool,
    /// A block of kind END was read (for readers of event files).
    pub(crate) has_end: bool,
    /// By the end record, the next file continues the trace.
    pub(crate) goes_on: bool,
}

/// The item at the start of the window.
enum Found {
    /// An intact block of `length` bytes.
    Block { header: BlockHeader, length: usize },
    /// No block.
    Corrupt(FormatError),
    /// Fewer bytes than a block needs.
    Short,
}

impl BlockReader<Take<File>> {
    /// Reads the file again from the next block on, as long as it is by now; gives its length.
    pub(crate) fn reread(&mut self) -> io::Result<u64> {
        let at = self.window.position();
        let input = self.window.input_mut();
        let length = input.get_ref().metadata()?.len();
        input.get_mut().seek(SeekFrom::Start(at))?;
        input.set_limit(length.saturating_sub(at));
        self.window.forget();
        Ok(length)
    }
}

impl<R: Read> BlockReader<R> {
    /// Reads and checks the header of the file. Blocks of kinds that are not accepted are skipped.
    pub(crate) fn start(input: R, accepts: fn(BlockKind) -> bool) -> Result<Self, StartError> {
        let mut window = ByteWindow::new(input);
        let present = window.fill(FileHeader::LENGTH)?;
        if present == 0 {
            return Err(StartError::Empty);
        }
        let header = match FileHeader::decode(window.bytes()) {
            Err(FormatError::TooShort { .. }) => return Err(StartError::Cut { present }),
            decoded => decoded?,
        };
        let length = usize::from(header.length);
        if window.fill(length)? < length {
            return Err(StartError::Cut {
                present: window.bytes().len(),
            });
        }
        window.consume(length);
        Ok(Self::of(window, accepts))
    }

    /// Reads from somewhere within a file; positions are counted from there.
    pub(crate) fn within(input: R, accepts: fn(BlockKind) -> bool) -> Self {
        Self {
            // Blocks before had other numbers.
            after_corruption: true,
            ..Self::of(ByteWindow::new(input), accepts)
        }
    }

    fn of(window: ByteWindow<R>, accepts: fn(BlockKind) -> bool) -> Self {
        Self {
            window,
            accepts,
            damage: DamageLog::default(),
            count: 0,
            expected_sequence: 0,
            after_corruption: false,
            search_budget: SEARCH_BUDGET,
            end_of_whole: 0,
            ended: false,
            ended_whole: false,
            has_end: false,
            goes_on: false,
        }
    }

    /// Intact blocks so far.
    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    /// Expected sequence number of the next block.
    pub(crate) fn next_sequence(&self) -> u32 {
        self.expected_sequence
    }

    /// Offset of the next block.
    pub(crate) fn position(&self) -> u64 {
        self.window.position()
    }

    /// Where the last intact block ended.
    pub(crate) fn end_of_whole(&self) -> u64 {
        self.end_of_whole
    }

    /// True when the file ended, and its last byte was the last of a block.
    pub(crate) fn ended_whole(&self) -> bool {
        self.ended_whole
    }

    /// Stops: nothing more is read.
    pub(crate) fn stop(&mut self) {
        self.ended = true;
    }

    /// True when there are bytes at the current position.
    pub(crate) fn has_more(&mut self) -> bool {
        !self.ended && self.fill(1) > 0
    }

    /// The kind of the next block, if one starts at the current position.
    pub(crate) fn peek_kind(&mut self) -> Option<BlockKind> {
        match self.look_at_block() {
            Found::Block { header, .. } => Some(header.kind),
            _ => None,
        }
    }

    /// The next intact block, with expanded content.
    pub(crate) fn next_block(&mut self) -> Option<Block> {
        while let Some(block) = self.next_stored() {
            if let Some(content) = self.content(&block) {
                return Some(Block {
                    kind: block.header.kind,
                    at: block.at,
                    content,
                });
            }
        }
        None
    }

    /// The expanded content of a block; damage is noted.
    pub(crate) fn content(&mut self, block: &StoredBlock) -> Option<Vec<u8>> {
        match decode_content(&block.header, &block.stored) {
            Ok(content) => return Some(content.into_owned()),
            Err(FormatError::UnknownFlags { .. }) => {
                self.damage.unknown_block(block.header.kind, block.at);
            }
            Err(error) => self.damage.add(Damage::CorruptBlock {
                at: block.at,
                index: block.index,
                skipped: block_length(&block.header) as u64,
                reason: error.to_string(),
            }),
        }
        None
    }

    /// The next intact block of an accepted kind.
    pub(crate) fn next_stored(&mut self) -> Option<StoredBlock> {
        while !self.ended {
            match self.look_at_block() {
                Found::Block { header, length } => {
                    if let Some(block) = self.take_block(header, length) {
                        return Some(block);
                    }
                }
                Found::Corrupt(error) => self.skip_to_next_block(Some(error)),
                Found::Short if self.window.bytes().is_empty() => self.end_whole(),
                Found::Short => self.skip_to_next_block(None),
            }
        }
        None
    }

    /// Steps over an intact block; returns it if its kind is accepted.
    fn take_block(&mut self, header: BlockHeader, length: usize) -> Option<StoredBlock> {
        let at = self.position();
        let is_accepted = (self.accepts)(header.kind);
        let stored = self.window.bytes().get(BlockHeader::LENGTH..length);
        let stored = is_accepted.then(|| stored.unwrap_or_default().to_vec());
        self.window.consume(length);
        self.end_of_whole = self.position();
        self.check_sequence(&header, at);
        let index = self.count;
        self.count += 1;
        if !is_accepted {
            self.damage.unknown_block(header.kind, at);
        }
        stored.map(|stored| StoredBlock {
            header,
            at,
            index,
            stored,
        })
    }

    fn end_whole(&mut self) {
        // A read error has set `ended` already.
        self.ended_whole = !self.ended;
        self.ended = true;
    }

    fn look_at_block(&mut self) -> Found {
        let present = self.fill(BlockHeader::LENGTH);
        let header = match BlockHeader::decode(self.window.bytes()) {
            Ok(header) => header,
            Err(FormatError::TooShort { .. }) => return Found::Short,
            Err(_) if present < BlockHeader::LENGTH => return Found::Short,
            Err(error) => return Found::Corrupt(error),
        };
        let length = block_length(&header);
        if self.fill(length) < length {
            return Found::Short;
        }
        let stored = self
            .window
            .bytes()
            .get(BlockHeader::LENGTH..length)
            .unwrap_or_default();
        if let Err(error) = header.verify(stored) {
            return Found::Corrupt(error);
        }
        Found::Block { header, length }
    }

    fn check_sequence(&mut self, header: &BlockHeader, at: u64) {
        let (expected, found) = (self.expected_sequence, header.sequence);
        let jump_is_explained = self.after_corruption && found > expected;
        if found != expected && !jump_is_explained {
            self.damage.add(Damage::SequenceGap {
                at,
                expected,
                found,
            });
        }
        self.after_corruption = false;
        self.expected_sequence = found.wrapping_add(1);
    }

    /// Skips to the next intact block. `error`: the reason why there is none here; `None` means that the file ends inside
    /// this block.
    fn skip_to_next_block(&mut self, error: Option<FormatError>) {
        let at = self.position();
        let found = self.find_next_block();
        let skipped = self.position() - at;
        match error {
            None if !found => self.damage.add(Damage::Cut {
                at,
                present: skipped,
            }),
            error => self.damage.add(Damage::CorruptBlock {
                at,
                index: self.count,
                skipped,
                reason: error.map_or_else(
                    || "its length leads beyond the end of the file".to_owned(),
                    |e| e.to_string(),
                ),
            }),
        }
        self.after_corruption = true;
        self.ended |= !found;
    }

    /// Moves the window, past its first byte, to the next intact block, or to the end of the file if there is none.
    fn find_next_block(&mut self) -> bool {
        self.window.consume(1);
        loop {
            let present = self.fill(BlockHeader::LENGTH);
            let Some(offset) = find_mark(self.window.bytes()) else {
                // The last bytes may be the start of a mark that the next chunk completes.
                let keep = BLOCK_MARK.len() - 1;
                if present <= keep || self.fill(present + 1) == present {
                    self.window.consume(present);
                    return false;
                }
                self.window.consume(present - keep);
                continue;
            };
            self.window.consume(offset);
            if self.is_intact_block() {
                return true;
            }
            self.window.consume(1);
        }
    }

    fn is_intact_block(&mut self) -> bool {
        let Ok(header) = BlockHeader::decode(self.window.bytes()) else {
            return false;
        };
        let length = block_length(&header);
        if length > self.search_budget || self.fill(length) < length {
            return false;
        }
        self.search_budget -= length;
        let stored = self
            .window
            .bytes()
            .get(BlockHeader::LENGTH..length)
            .unwrap_or_default();
        header.verify(stored).is_ok()
    }

    /// Fills the window; a read error is noted and treated as the end of the file.
    fn fill(&mut self, wanted: usize) -> usize {
        match self.window.fill(wanted) {
            Ok(present) => present,
            Err(error) => {
                let at = self.position() + self.window.bytes().len() as u64;
                self.damage.add(Damage::Unreadable {
                    at,
                    reason: error.to_string(),
                });
                self.ended = true;
                self.window.bytes().len()
            }
        }
    }
}

/// Lengths were checked when the header was decoded, so this is at most a header and [`MAX_CONTENT`].
fn block_length(header: &BlockHeader) -> usize {
    let stored = usize::try_from(header.stored_length).unwrap_or(MAX_CONTENT);
    BlockHeader::LENGTH + stored
}

fn find_mark(bytes: &[u8]) -> Option<usize> {
    bytes
        .windows(BLOCK_MARK.len())
        .position(|window| window == BLOCK_MARK)
}
