//! The bytes of a file: its head, its rows, where contents are.

use std::fs::File;
use std::os::unix::fs::FileExt;

use crate::class_key::ClassKey;

const MAGIC: &[u8; 8] = b"DTCLASS1";
/// Magic, number of rows, checksum of the rows.
const HEAD: usize = 16;
const ROW: usize = 32;
/// More rows than this are no file of ours.
const MOST_ROWS: u32 = 1 << 20;

/// A content in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) key: ClassKey,
    pub(crate) offset: u32,
    pub(crate) length: u32,
    pub(crate) checksum: u32,
    /// Days since 1970 when it was last used.
    pub(crate) day: u32,
}

/// The rows of a file; `None` if it is damaged.
pub(crate) fn read_rows(file: &File) -> Option<Vec<Row>> {
    let mut head = [0; HEAD];
    file.read_exact_at(&mut head, 0).ok()?;
    let (magic, rest) = head.split_at(MAGIC.len());
    let (count, checksum) = (word(rest, 0)?, word(rest, 4)?);
    if magic != MAGIC || count > MOST_ROWS {
        return None;
    }
    let length = file.metadata().ok()?.len();
    let size = count as usize * ROW;
    if length < (HEAD + size) as u64 {
        return None;
    }
    let mut bytes = vec![0; size];
    file.read_exact_at(&mut bytes, HEAD as u64).ok()?;
    if crc32fast::hash(&bytes) != checksum {
        return None;
    }
    let rows: Option<Vec<Row>> = bytes.chunks_exact(ROW).map(row).collect();
    let fits = |row: &Row| u64::from(row.offset) + u64::from(row.length) <= length;
    rows.filter(|rows| rows.iter().all(fits))
}

/// The content of a row; `None` if it is damaged.
pub(crate) fn read_content(file: &File, row: &Row) -> Option<Vec<u8>> {
    let mut content = vec![0; row.length as usize];
    file.read_exact_at(&mut content, row.offset.into()).ok()?;
    (crc32fast::hash(&content) == row.checksum).then_some(content)
}

/// A whole file with these contents.
pub(crate) fn whole_file<'c>(
    contents: impl ExactSizeIterator<Item = (ClassKey, u32, &'c [u8])> + Clone,
) -> Option<Vec<u8>> {
    let count = u32::try_from(contents.len()).ok()?;
    let mut offset = u32::try_from(HEAD + contents.len() * ROW).ok()?;
    let mut rows = Vec::with_capacity(contents.len() * ROW);
    for (key, day, content) in contents.clone() {
        let length = u32::try_from(content.len()).ok()?;
        rows.extend_from_slice(&key.0.to_le_bytes());
        for word in [offset, length, crc32fast::hash(content), day] {
            rows.extend_from_slice(&word.to_le_bytes());
        }
        offset = offset.checked_add(length)?;
    }
    let mut file = Vec::with_capacity(offset as usize);
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&count.to_le_bytes());
    file.extend_from_slice(&crc32fast::hash(&rows).to_le_bytes());
    file.extend_from_slice(&rows);
    contents.for_each(|(_, _, content)| file.extend_from_slice(content));
    Some(file)
}

fn row(bytes: &[u8]) -> Option<Row> {
    let (key, words) = bytes.split_first_chunk()?;
    Some(Row {
        key: ClassKey(u128::from_le_bytes(*key)),
        offset: word(words, 0)?,
        length: word(words, 4)?,
        checksum: word(words, 8)?,
        day: word(words, 12)?,
    })
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    let word = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*word))
}
