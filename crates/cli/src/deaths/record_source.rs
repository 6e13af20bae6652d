//! Where records come from: a neutral stream, its text form, the lines of another tool, or a trace of the agent.

use std::fs::{self, File};
use std::io::{BufReader, Read, Seek};
use std::path::Path;

use anyhow::{Context, Result, bail};
use ducktrack_merlin::{Block, BlockReader, BlockRecords, StreamError, records_from_text};

use crate::deaths::consecutive::Consecutive;
use crate::deaths::foreign_lines::{Foreign, ForeignLines};
use crate::deaths::trace_records::TraceRecords;
use crate::progress::Progress;

/// The longest text form that is read: it is for tests, and is read as a whole.
const LONGEST_TEXT: u64 = 1 << 30;

/// The first bytes of files of the agent.
const OF_AGENT: [u8; 5] = *b"\x8BDUCK";

/// Whether the path is a file that the agent did not write.
pub(crate) fn is_stream(path: &Path) -> bool {
    let mut first = [0; OF_AGENT.len()];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut first));
    path.is_file() && (read.is_err() || first != OF_AGENT)
}

/// An open source.
pub(crate) enum RecordSource {
    /// A neutral stream and its length in bytes.
    Stream(Box<BlockReader<BufReader<File>>>, u64),
    /// All records of a text.
    Records(Vec<BlockRecords>),
    /// Lines of another tool.
    Lines(Box<ForeignLines>),
    /// A directory that the agent wrote with mode=trace.
    Trace(Box<TraceRecords>),
}

/// A piece of a source: records, or bytes that become records on any thread.
pub(crate) enum Piece {
    Block(Block),
    Records(BlockRecords),
}

impl Piece {
    pub(crate) fn decode(self) -> Result<BlockRecords, StreamError> {
        match self {
            Self::Block(block) => block.decode(),
            Self::Records(records) => Ok(records),
        }
    }
}

impl RecordSource {
    /// Its length, in the unit of [`position`](Self::position).
    fn length(&self) -> u64 {
        match self {
            Self::Stream(_, length) => *length,
            Self::Records(_) => 0,
            Self::Lines(lines) => lines.length(),
            Self::Trace(trace) => trace.length(),
        }
    }

    /// How much of it was read.
    fn position(&self) -> u64 {
        match self {
            Self::Stream(reader, _) => reader.position(),
            Self::Records(_) => 0,
            Self::Lines(lines) => lines.position(),
            Self::Trace(_) => 0,
        }
    }

    /// Gives all pieces in order; an error is the last.
    pub(crate) fn for_each_piece(&mut self, take: &mut dyn FnMut(Result<Piece>)) {
        let progress = Progress::of_bytes(self.length());
        if let Self::Trace(trace) = self {
            trace.for_each(&|at| progress.at(at), &mut |records| {
                take(records.map(Piece::Records));
            });
            return progress.done();
        }
        loop {
            progress.at(self.position());
            let piece = self.next_piece();
            let is_last = !matches!(piece, Ok(Some(_)));
            if let Some(piece) = piece.transpose() {
                take(piece);
            }
            if is_last {
                return progress.done();
            }
        }
    }

    /// The next piece of another source than a trace; `None` at the end.
    fn next_piece(&mut self) -> Result<Option<Piece>> {
        match self {
            Self::Stream(reader, _) => Ok(reader.next_block()?.map(Piece::Block)),
            Self::Records(blocks) => Ok(blocks.pop().map(Piece::Records)),
            Self::Lines(lines) => Ok(lines.next_records()?.map(Piece::Records)),
            Self::Trace(_) => Ok(None),
        }
    }

    /// Records that the source, though it is whole, does not have: a sentence. After its last piece.
    pub(crate) fn left_out(&self) -> Option<String> {
        match self {
            Self::Trace(trace) => trace.left_out(),
            Self::Stream(..) | Self::Records(_) | Self::Lines(_) => None,
        }
    }

    /// How many records there must have been; `None` if the source does not state it.
    pub(crate) fn records_by_end(&self) -> Option<u64> {
        match self {
            Self::Stream(reader, _) => reader.records_by_end(),
            Self::Records(_) | Self::Lines(_) | Self::Trace(_) => None,
        }
    }
}

/// Opens what the path names; `form`: it is another tool's.
pub(crate) fn open(path: &Path, form: Option<Foreign>) -> Result<RecordSource> {
    let name = path.display();
    if path.is_dir() {
        return Ok(RecordSource::Trace(Box::new(TraceRecords::open(path)?)));
    }
    let mut file = File::open(path).with_context(|| format!("cannot read {name}"))?;
    let length = file.metadata().map_or(0, |about| about.len());
    if let Some(form) = form {
        return Ok(RecordSource::Lines(Box::new(ForeignLines::new(
            file, length, form,
        ))));
    }
    let mut first = Vec::new();
    let start = (&mut file).take(8).read_to_end(&mut first);
    start.with_context(|| format!("cannot read {name}"))?;
    if first.starts_with(b"\x89MERLIN") {
        file.rewind()
            .with_context(|| format!("cannot read {name}"))?;
        let reader = BlockReader::new(BufReader::new(file));
        let reader = reader.with_context(|| format!("cannot use {name}"))?;
        return Ok(RecordSource::Stream(Box::new(reader), length));
    }
    if length > LONGEST_TEXT
        || !first
            .iter()
            .all(|byte| byte.is_ascii_graphic() || b" \t\r\n".contains(byte))
    {
        bail!("{name} is not a neutral stream: it does not begin with \"\\x89MERLIN\\n\"");
    }
    let text = fs::read_to_string(path).with_context(|| format!("cannot read {name}"))?;
    let records = records_from_text(&text);
    let records =
        records.with_context(|| format!("{name} is neither a neutral stream nor its text form (Elephant Tracks: --from et1 or --from et3; an oracle: --from oracle)"))?;
    let block = Consecutive::default().block(0, records);
    Ok(RecordSource::Records(vec![block]))
}
