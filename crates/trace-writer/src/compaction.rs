//! Shortens a long count-mode trace to its definitions and last values, without the snapshots between.
//!
//! A service that runs for months writes a snapshot every interval. All values are totals since the start, so the
//! last snapshot holds them all; only the history is lost. The short file is written beside the long one and replaces
//! it with one rename, so there is a whole file under the trace's name at every moment.

use std::io;

use ducktrack_trace_format::{BlockHeader, BlockKind, FileHeader, Snapshot, decode_content};

use crate::snapshot_parts::write_parts;
use crate::storage::Storage;
use crate::trace_file::TraceFile;
use crate::{Compression, SnapshotDelta, WriteError};

/// Puts the short file under the trace's name. After an error the long one is still there, untouched.
pub(crate) fn compacted(
    long: &TraceFile,
    complete: &Snapshot,
    compression: Compression,
    part_bytes: usize,
) -> Result<TraceFile, WriteError> {
    let mut short = TraceFile::start(long.storage().successor()?, compression)?;
    let result = copy_definitions(long, &mut short)
        .and_then(|()| {
            write_parts(
                &mut short,
                SnapshotDelta::new().changed(complete),
                part_bytes,
            )
        })
        .and_then(|()| take_place(&mut short, long));
    match result {
        Ok(()) => Ok(short),
        Err(error) => {
            short.storage_mut().discard();
            Err(error)
        }
    }
}

fn take_place(short: &mut TraceFile, long: &TraceFile) -> Result<(), WriteError> {
    short
        .storage_mut()
        .take_place_of(long.path())
        .map_err(|source| WriteError::Append {
            path: long.path().to_owned(),
            source,
        })
}

/// Copies all definition blocks, with new sequence numbers.
fn copy_definitions(long: &TraceFile, short: &mut TraceFile) -> Result<(), WriteError> {
    let mut at = FileHeader::LENGTH as u64;
    while at < long.length() {
        let (header, stored) =
            read_block(long.storage(), at).map_err(|source| WriteError::Append {
                path: long.path().to_owned(),
                source,
            })?;
        if header.kind == BlockKind::DEFINITIONS {
            short.append(header.kind, &decode_content(&header, &stored)?)?;
        }
        at += (BlockHeader::LENGTH + stored.len()) as u64;
    }
    Ok(())
}

fn read_block(file: &dyn Storage, at: u64) -> io::Result<(BlockHeader, Vec<u8>)> {
    let mut bytes = [0; BlockHeader::LENGTH];
    file.read_exact_at(&mut bytes, at)?;
    let header = BlockHeader::decode(&bytes).map_err(io::Error::other)?;
    let mut stored = vec![0; usize::try_from(header.stored_length).map_err(io::Error::other)?];
    file.read_exact_at(&mut stored, at + BlockHeader::LENGTH as u64)?;
    Ok((header, stored))
}
