//! Content of a block of kind 20: the first block of every event file.
//!
//! | what | bytes |
//! |---|---|
//! | index | varint, number of the file in the run, from 0; the same as in its name |
//! | epoch | varint, collections before the first event of the file |
//! | flags | varint; 1: a synchronization point follows; 2: moves are unknown in this run from here on; 4: survivors are not matched with events |
//! | pid | varint, process id of the JVM |
//! | start | varint, start of the run in milliseconds since 1970, as in [`Run`](crate::Run) |
//! | lost blocks | varint, event blocks of this run that could not be written since the previous file |
//! | lost bytes | varint, their bytes |
//!
//! Except for the first file, a file without flag 1 gives no state of the heap before the next synchronization point.
//! The last block of a whole file is of kind 3 with an [`End`](crate::End): cause `rotated`, or the run's own.

use crate::FormatError;
use crate::varint::{FieldReader, put_varint};

/// Identifies an event file and its run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventFile {
    /// Number of the file in the run, from 0.
    pub index: u32,
    /// Collections before the first event of the file.
    pub epoch: u32,
    /// A synchronization point follows.
    pub has_sync_point: bool,
    /// Moves are unknown from here on.
    pub without_moves: bool,
    /// Survivors of collections are in blocks of kind 24 where moves would be.
    pub unmatched: bool,
    /// Process id of the JVM.
    pub pid: u32,
    /// Start of the run, milliseconds since 1970.
    pub start_unix_millis: u64,
    /// Blocks that could not be written since the previous file.
    pub lost_blocks: u64,
    /// Bytes of these blocks.
    pub lost_bytes: u64,
}

const HAS_SYNC_POINT: u64 = 1;
const WITHOUT_MOVES: u64 = 2;
const UNMATCHED: u64 = 4;

impl EventFile {
    /// Appends the content of a block.
    pub fn encode(&self, content: &mut Vec<u8>) {
        let flags = [
            (self.has_sync_point, HAS_SYNC_POINT),
            (self.without_moves, WITHOUT_MOVES),
            (self.unmatched, UNMATCHED),
        ];
        let set = flags.iter().filter(|(is_set, _)| *is_set);
        let flags = set.fold(0, |all, (_, flag)| all | flag);
        let fields = [
            u64::from(self.index),
            u64::from(self.epoch),
            flags,
            u64::from(self.pid),
            self.start_unix_millis,
            self.lost_blocks,
            self.lost_bytes,
        ];
        for field in fields {
            put_varint(field, content);
        }
    }

    /// Decodes the content of a block; fields that a newer writer added are ignored.
    pub fn decode(content: &[u8]) -> Result<Self, FormatError> {
        let mut fields = FieldReader::new(content);
        let index = fields.varint_u32()?;
        let epoch = fields.varint_u32()?;
        let flags = fields.varint()?;
        Ok(Self {
            index,
            epoch,
            has_sync_point: flags & HAS_SYNC_POINT != 0,
            without_moves: flags & WITHOUT_MOVES != 0,
            unmatched: flags & UNMATCHED != 0,
            pid: fields.varint_u32()?,
            start_unix_millis: fields.varint()?,
            lost_blocks: fields.varint()?,
            lost_bytes: fields.varint()?,
        })
    }

    /// The name of the file in the trace's directory.
    pub fn name(index: u32) -> String {
        format!("events-{index:08}.trace")
    }

    /// The index in a name, if it is the name of an event file.
    pub fn index_of_name(name: &str) -> Option<u32> {
        let digits = name.strip_prefix("events-")?.strip_suffix(".trace")?;
        let plain = digits.len() >= 8 && digits.bytes().all(|byte| byte.is_ascii_digit());
        plain.then(|| digits.parse().ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn round_trip_and_newer_fields() {
        let file = EventFile {
            index: 7,
            epoch: 300,
            has_sync_point: true,
            without_moves: false,
            unmatched: true,
            pid: 4_711,
            start_unix_millis: 1_763_700_000_000,
            lost_blocks: 2,
            lost_bytes: 32_768,
        };
        let mut content = Vec::new();
        file.encode(&mut content);
        content.push(9);
        assert_eq!(EventFile::decode(&content), Ok(file));
        for length in 0..content.len() - 1 {
            assert!(EventFile::decode(&content[..length]).is_err());
        }
    }

    #[test]
    fn names() {
        assert_eq!(EventFile::name(12), "events-00000012.trace");
        for index in [0, 12, 99_999_999, u32::MAX] {
            let name = EventFile::name(index);
            assert_eq!(EventFile::index_of_name(&name), Some(index));
        }
        for other in [
            "events-1.trace",
            "events-0000001a.trace",
            "events-+0000001.trace",
            "ducktrack.trace",
            "events-99999999999.trace",
        ] {
            assert_eq!(EventFile::index_of_name(other), None);
        }
    }
}
