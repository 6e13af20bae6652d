//! Finds the event files of a directory, and reads the block that identifies each.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use ducktrack_trace_format::{BlockKind, EventFile, Record, RecordStream};

use crate::block_reader::BlockReader;
use crate::event_sizes::EventSizes;

/// Kinds of blocks that occur in event files.
pub(crate) fn is_of_event_files(kind: BlockKind) -> bool {
    let kinds = [
        BlockKind::EVENTS,
        BlockKind::EVENT_COLUMNS,
        BlockKind::COLLECTION,
        BlockKind::MOVES,
        BlockKind::SURVIVORS,
        BlockKind::SYNC,
        BlockKind::EVENT_FILE,
        BlockKind::EXPLAINED,
        BlockKind::END,
    ];
    kinds.contains(&kind) || kind.is_extension()
}

/// Reads the block that identifies the file; leaves any other block to be read.
pub(crate) fn first_block(
    reader: &mut BlockReader<impl Read>,
    sizes: &mut EventSizes,
) -> Option<EventFile> {
    if reader.peek_kind() != Some(BlockKind::EVENT_FILE) {
        return None;
    }
    let block = reader.next_stored()?;
    sizes.add(&block.header);
    let content = reader.content(&block)?;
    let header = EventFile::decode(&content);
    if header.is_err() {
        reader.damage.bad_record(block.at);
    }
    header.ok()
}

/// True if this is the content of an end block after which the next file continues the trace.
pub(crate) fn is_rotation(content: &[u8]) -> bool {
    let mut records = RecordStream::new(content).flatten();
    records.any(|record| matches!(record, Record::End(end) if end.is_rotation()))
}

/// The name of a file without its directory.
pub(crate) fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// The event files of a directory with their indices, in no particular order.
pub(crate) fn event_files(directory: &Path) -> std::io::Result<Vec<(u32, PathBuf)>> {
    if !fs::metadata(directory)?.is_dir() {
        return Ok(Vec::new());
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let name = entry.file_name();
        if let Some(index) = name.to_str().and_then(EventFile::index_of_name) {
            files.push((index, entry.path()));
        }
    }
    Ok(files)
}
