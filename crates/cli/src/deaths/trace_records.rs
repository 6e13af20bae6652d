//! A trace of `mode=trace` or `mode=deaths` as records, in pieces of a bounded length.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use ducktrack_analyses::{BridgeLosses, HeldRoot, TraceBridge};
use ducktrack_merlin::BlockRecords;
use ducktrack_trace_reader::{BufferDecoding, EventBuffers, EventFiles, EventStep};

use crate::deaths::consecutive::Consecutive;
use crate::records::load_records;
use crate::trace_loading::know;
use crate::trace_report::recorded_mode;

/// The files of a trace, and the bridge that reads them.
pub(crate) struct TraceRecords {
    files: EventFiles,
    bridge: TraceBridge,
    blocks: Consecutive,
    is_first: bool,
}

/// Takes the next piece of records. An error is the last that comes: why the records end here.
pub(crate) type TakePiece<'a> = &'a mut dyn FnMut(Result<BlockRecords>);

impl TraceRecords {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let (model, names) = load_records(path)?.finish_trace();
        let mut files = EventFiles::open(path)?;
        if files.files().is_empty() {
            let mode = recorded_mode(&model);
            bail!(
                "{} has no allocation events: it was recorded with mode={mode}; record with: ducktrack run --mode trace -- java ...",
                path.display()
            );
        }
        know(&mut files, &model, &names);
        Ok(Self {
            files,
            bridge: TraceBridge::new(model, names),
            blocks: Consecutive::default(),
            is_first: true,
        })
    }

    pub(crate) fn length(&self) -> u64 {
        self.files.total_bytes()
    }

    /// The roots that were recorded last, of the part that was read so far.
    pub(crate) fn roots(&self) -> &[HeldRoot] {
        self.bridge.roots()
    }

    /// Gives all records. `progress` gets the number of bytes read.
    pub(crate) fn for_each(&mut self, progress: &dyn Fn(u64), take: TakePiece<'_>) {
        while let Some(step) = self.files.next_step() {
            progress(self.files.bytes_read());
            if let Err(fault) = self.take(step, take) {
                return take(Err(anyhow!(fault)));
            }
        }
        let damage = self.files.damage().into_iter().next();
        let damage = damage.map(|(file, damage)| format!("{}: {damage}", file.display()));
        if let Some(fault) = damage.or_else(|| undecoded(self.bridge.losses())) {
            take(Err(anyhow!(fault)));
        }
    }

    /// Records that a whole trace does not have, of the part that was read so far.
    pub(crate) fn left_out(&self) -> Option<String> {
        left_out(self.bridge.losses())
    }

    /// An error: the reason why everything after it is unknown.
    fn take(&mut self, step: EventStep, take: TakePiece<'_>) -> Result<(), String> {
        match step {
            EventStep::File { header, .. } => {
                let is_first = std::mem::replace(&mut self.is_first, false);
                if is_first && header.is_some_and(|header| header.epoch > 0) {
                    return Err("the first files of this trace are gone (max-trace-size): births are not known".to_owned());
                }
            }
            EventStep::Epoch(epoch) => {
                self.buffers(&epoch.buffers);
                let (at, blocks) = (self.files.bytes_read(), &mut self.blocks);
                let mut hand = |records| take(Ok(blocks.block(at, records)));
                let (collection, runs) = (&epoch.collection, &epoch.runs);
                self.bridge
                    .collection(collection, runs, epoch.complete, &mut hand)?;
            }
            EventStep::Extension(kind, content) => {
                let taken = self.bridge.extension(kind, content.content);
                taken.map_err(|error| {
                    format!("what was used is damaged, and nothing is known from there on: {error}")
                })?;
            }
            EventStep::Damaged => {
                return Err(
                    "a file of events is damaged: nothing is known from there on".to_owned(),
                );
            }
            EventStep::End(buffers) => {
                self.buffers(&buffers);
                let (at, blocks) = (self.files.bytes_read(), &mut self.blocks);
                self.bridge
                    .end(&mut |records| take(Ok(blocks.block(at, records))));
            }
            _ => {}
        }
        Ok(())
    }

    /// All buffers of an epoch, by one worker: the bridge takes those of a thread in their order.
    fn buffers(&mut self, buffers: &EventBuffers) {
        let workers = &mut [&mut self.bridge];
        let mut decoding = BufferDecoding::default();
        decoding.decode(buffers, workers, |bridge, content, _| bridge.queue(content));
        self.files.note(&mut decoding);
    }
}

/// Missing records of a damaged trace, as a sentence.
fn undecoded(losses: BridgeLosses) -> Option<String> {
    let buffers = losses.damaged_buffers;
    (buffers > 0).then(|| format!("{buffers} buffers of events do not decode to their end"))
}

/// The same of a whole one: where an object outside of thread buffers was made is not always known.
fn left_out(losses: BridgeLosses) -> Option<String> {
    let counted = [
        (
            losses.unplaced,
            "objects are left out: their addresses are not known",
        ),
        (
            losses.unknown_references,
            "references in updates and calls are left out: their objects are not known",
        ),
    ];
    let said = counted.into_iter().filter(|(count, _)| *count > 0);
    let said: Vec<String> = said
        .map(|(count, what)| format!("{count} {what}"))
        .collect();
    (!said.is_empty()).then(|| said.join("; "))
}
