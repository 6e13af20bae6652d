//! Records one after the other: the content of a block of definitions, values or end.
//!
//! ```text
//! stream  = record*
//! record  = length:varint  tag:varint  fields       length counts tag and fields
//! varint  = 7 bits a byte, lowest first, bit 7 set on all bytes but the last (LEB128)
//! ```
//!
//! The length lets a reader step over a record of a kind it does not know, and over fields that a newer writer has added at the end of a
//! record. `tag` is the index of the record's variant in [`Record`], from 0; fields follow in the order of their declaration:
//!
//! | Rust type | bytes |
//! |---|---|
//! | `u8`, `bool` | one byte |
//! | `u16`, `u32`, `u64`, ids | varint |
//! | `i32` | zigzag (0, -1, 1, -2 are 0, 1, 2, 3), then varint |
//! | `f32`, `f64` | four, eight bytes, IEEE 754, little-endian |
//! | `String` | varint length in bytes, UTF-8 |
//! | `Option<T>` | `00`, or `01` and T |
//! | `Vec<T>` | varint number of elements, then the elements |
//! | array, tuple, struct | the elements, without anything else |
//! | enum | varint index of the variant from 0, then its fields |
//!
//! These are the rules of the [postcard](https://postcard.jamesmunns.com) wire format.

use postcard::ser_flavors::Flavor;

use crate::{FormatError, MAX_CONTENT, Record};

/// Number of kinds of records that this version knows.
const KNOWN_RECORDS: u32 = 38;

/// The most bytes of a `u32` as a varint.
const MAX_VARINT: usize = 5;

/// The most bytes of a record (tag and fields), so that it fits a block together with its length.
pub const MAX_RECORD: usize = MAX_CONTENT - MAX_VARINT;

/// Appends a record to the content of a block. After an error nothing has been appended.
pub fn push_record(record: &Record, content: &mut Vec<u8>) -> Result<(), FormatError> {
    let start = content.len();
    let pushed = try_push(record, content);
    if pushed.is_err() {
        content.truncate(start);
    }
    pushed
}

/// The length is known when the record is there, and then put before it.
fn try_push(record: &Record, content: &mut Vec<u8>) -> Result<(), FormatError> {
    let start = content.len();
    let encoded = postcard::serialize_with_flavor(record, AtTheEnd(content));
    encoded.map_err(|_| FormatError::Record {
        at: start,
        reason: "cannot be encoded",
    })?;
    let length = content.len() - start;
    match u32::try_from(length) {
        Ok(short) if length <= MAX_RECORD => insert_varint(short, content, start),
        _ => return Err(FormatError::RecordTooLarge { length }),
    }
    Ok(())
}

/// Encodes at the end of a content, without memory of its own.
struct AtTheEnd<'a>(&'a mut Vec<u8>);

impl Flavor for AtTheEnd<'_> {
    type Output = ();

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<()> {
        Ok(())
    }
}

fn insert_varint(mut value: u32, content: &mut Vec<u8>, at: usize) {
    let mut varint = [0_u8; MAX_VARINT];
    let mut width = 0;
    for byte in &mut varint {
        width += 1;
        *byte = (value & 0x7F) as u8;
        value >>= 7;
        if value == 0 {
            break;
        }
        *byte |= 0x80;
    }
    content.splice(at..at, varint.into_iter().take(width));
}

/// Decodes a varint; returns its value and its length.
fn take_varint(bytes: &[u8]) -> Option<(u32, usize)> {
    let mut value = 0_u32;
    for (index, byte) in bytes.iter().take(MAX_VARINT).enumerate() {
        let bits = u32::from(byte & 0x7F);
        if index == MAX_VARINT - 1 && bits > 0xF {
            return None;
        }
        value |= bits << (7 * index);
        if byte & 0x80 == 0 {
            return Some((value, index + 1));
        }
    }
    None
}

/// The records of a block's content, each decoded on demand.
///
/// A record that does not decode yields an error, and the next one is tried; a length that does not fit yields an
/// error and ends the stream.
#[derive(Clone, Debug)]
pub struct RecordStream<'a> {
    content: &'a [u8],
    at: usize,
}

impl<'a> RecordStream<'a> {
    /// Starts at the first record.
    pub fn new(content: &'a [u8]) -> Self {
        Self::starting_at(content, 0)
    }

    /// Starts at an offset returned by [`RecordStream::offset`].
    pub fn starting_at(content: &'a [u8], offset: usize) -> Self {
        Self {
            content,
            at: offset,
        }
    }

    /// Offset of the next record.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Steps over the length and the bytes of the next record.
    fn next_bytes(&mut self) -> Option<&'a [u8]> {
        let rest = self.content.get(self.at..)?;
        let (length, width) = take_varint(rest)?;
        let end = width.checked_add(usize::try_from(length).ok()?)?;
        let bytes = rest.get(width..end)?;
        self.at += end;
        Some(bytes)
    }
}

impl Iterator for RecordStream<'_> {
    type Item = Result<Record, FormatError>;

    fn next(&mut self) -> Option<Self::Item> {
        let at = self.at;
        if at >= self.content.len() {
            return None;
        }
        let Some(bytes) = self.next_bytes() else {
            self.at = self.content.len();
            let reason = "its length does not fit";
            return Some(Err(FormatError::Record { at, reason }));
        };
        Some(decode_record(bytes, at))
    }
}

fn decode_record(bytes: &[u8], at: usize) -> Result<Record, FormatError> {
    match take_varint(bytes) {
        Some((tag, _)) if tag >= KNOWN_RECORDS => return Err(FormatError::UnknownRecord { tag }),
        Some(_) => {}
        None => {
            return Err(FormatError::Record {
                at,
                reason: "it has no tag",
            });
        }
    }
    match postcard::take_from_bytes(bytes) {
        // Bytes after the known fields are fields of a newer writer.
        Ok((record, _)) => Ok(record),
        Err(_) => Err(FormatError::Record {
            at,
            reason: "its fields are malformed",
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        AllocationKind, ContextExecutions, ContextId, End, MethodId, Site, SiteId, Snapshot,
    };

    fn end() -> Record {
        Record::End(End {
            unix_millis: 5,
            cause: "exit".into(),
            losses: vec![],
        })
    }

    #[test]
    fn the_last_known_tag_is_that_of_the_last_record() {
        let mut content = Vec::new();
        let last = Record::FoldedExecutions(ContextExecutions {
            context: ContextId(1),
            executions: 0,
            bytes: 0,
            buckets: Vec::new(),
            largest: None,
            objects: None,
        });
        push_record(&last, &mut content).unwrap();
        assert_eq!(u32::from(content[1]), KNOWN_RECORDS - 1);
    }

    #[test]
    fn an_unknown_record_is_stepped_over() {
        let mut content = vec![3, KNOWN_RECORDS as u8, 1, 2];
        push_record(&end(), &mut content).unwrap();
        let read: Vec<_> = RecordStream::new(&content).collect();
        assert_eq!(
            read,
            [
                Err(FormatError::UnknownRecord { tag: KNOWN_RECORDS }),
                Ok(end())
            ]
        );
    }

    #[test]
    fn fields_of_a_newer_writer_are_stepped_over() {
        let mut content = Vec::new();
        push_record(&end(), &mut content).unwrap();
        content[0] += 2;
        content.extend_from_slice(&[7, 7]);
        push_record(&end(), &mut content).unwrap();
        let read: Vec<_> = RecordStream::new(&content).collect();
        assert_eq!(read, [Ok(end()), Ok(end())]);
    }

    #[test]
    fn a_malformed_record_does_not_hide_the_next() {
        let mut content = vec![1, 0, 0];
        push_record(&end(), &mut content).unwrap();
        let read: Vec<_> = RecordStream::new(&content).collect();
        assert_eq!(read.len(), 3);
        assert!(read[0].is_err() && read[1].is_err());
        assert_eq!(read[2], Ok(end()));
    }

    #[test]
    fn varints_round_trip_and_stop_at_32_bits() {
        for value in [0, 1, 127, 128, 16_383, 16_384, u32::MAX - 1, u32::MAX] {
            let mut bytes = vec![1, 2];
            insert_varint(value, &mut bytes, 1);
            assert_eq!((bytes.first(), bytes.last()), (Some(&1), Some(&2)));
            let after = bytes.get(1..).unwrap_or_default();
            assert_eq!(take_varint(after), Some((value, bytes.len() - 2)));
        }
        assert_eq!(take_varint(&[0xFF, 0xFF, 0xFF, 0xFF, 0x10]), None);
        assert_eq!(take_varint(&[0x80; 9]), None);
        assert_eq!(take_varint(&[]), None);
    }

    #[test]
    fn a_record_that_fits_no_block_is_refused_and_leaves_the_content_alone() {
        let huge = Record::Snapshot(Snapshot {
            cause: "x".repeat(MAX_RECORD),
            ..Snapshot::default()
        });
        let mut content = vec![1, 2];
        assert!(matches!(
            push_record(&huge, &mut content),
            Err(FormatError::RecordTooLarge { .. })
        ));
        assert_eq!(content, [1, 2]);
    }

    #[test]
    fn the_bytes_of_a_site() {
        let site = Record::Site(Site {
            id: SiteId(300),
            method: MethodId(2),
            bci: 17,
            line: Some(40),
            kind: AllocationKind::NewArray,
            ty: Some("[I".into()),
        });
        let mut content = Vec::new();
        push_record(&site, &mut content).unwrap();
        assert_eq!(content, [12, 3, 0xAC, 2, 2, 17, 1, 40, 1, 1, 2, b'[', b'I']);
    }
}
