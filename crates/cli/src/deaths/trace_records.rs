//! A trace of `mode=trace` or `mode=witness` as records: one piece per epoch.

use std::path::Path;

use anyhow::{Result, anyhow, bail};
use ducktrack_heap_model::TraceBridge;
use ducktrack_merlin::BlockRecords;
use ducktrack_trace_reader::{EventBuffers, EventFiles, EventStep};

use crate::deaths::consecutive::Consecutive;
use crate::loading::load_records;

/// The files of a trace, and the bridge that reads them.
pub(crate) struct TraceRecords {
    files: EventFiles,
    bridge: TraceBridge,
    blocks: Consecutive,
    is_first: bool,
    has_ended: bool,
    /// Why reading ends after the records that are there.
    fault: Option<String>,
}

impl TraceRecords {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let (model, names) = load_records(path)?.finish_trace();
        let files = EventFiles::open(path)?;
        if files.files().is_empty() {
            let mode = if model.run.mode.is_empty() {
                "count"
            } else {
                &model.run.mode
            };
            bail!(
                "{} has no allocation events: it was recorded with mode={mode}; record with: ducktrack run --mode trace -- java ...",
                path.display()
            );
        }
        Ok(Self {
            files,
            bridge: TraceBridge::new(model, names),
            blocks: Consecutive::default(),
            is_first: true,
            has_ended: false,
            fault: None,
        })
    }

    pub(crate) fn length(&self) -> u64 {
        self.files.total_bytes()
    }

    pub(crate) fn position(&self) -> u64 {
        self.files.bytes_read()
    }

    /// The records up to the next collection; `None` at the end.
    pub(crate) fn next_records(&mut self) -> Result<Option<BlockRecords>> {
        if let Some(fault) = self.fault.take() {
            self.has_ended = true;
            return Err(anyhow!(fault));
        }
        if self.has_ended {
            return Ok(None);
        }
        while let Some(step) = self.files.next_step() {
            if self.take(step) {
                return Ok(Some(self.records()));
            }
        }
        self.end();
        Ok(Some(self.records()))
    }

    fn end(&mut self) {
        self.has_ended = true;
        let unplaced = self.bridge.unplaced();
        if unplaced > 0 {
            self.fault = Some(format!(
                "{unplaced} objects are left out: their addresses are not known"
            ));
        }
        if let Some((file, damage)) = self.files.damage().into_iter().next() {
            self.fault = Some(format!("{}: {damage}", file.display()));
        }
    }

    /// True: the records are to be handed on.
    fn take(&mut self, step: EventStep) -> bool {
        match step {
            EventStep::File { header, .. } => {
                let is_first = std::mem::replace(&mut self.is_first, false);
                if is_first && header.is_some_and(|header| header.epoch > 0) {
                    self.fault = Some("the first files of this trace are gone (max-trace-size): births are not known".to_owned());
                    return true;
                }
                false
            }
            EventStep::Epoch(epoch) => {
                self.buffers(&epoch.buffers);
                let taken = self
                    .bridge
                    .collection(&epoch.collection, &epoch.runs, epoch.complete);
                self.fault = taken.err();
                true
            }
            EventStep::Extension(kind, content) => {
                let taken = self.bridge.extension(kind, content.content);
                self.fault = taken.err().map(|error| {
                    format!("what was used is damaged, and nothing is known from there on: {error}")
                });
                self.fault.is_some()
            }
            EventStep::Damaged => {
                self.fault =
                    Some("a file of events is damaged: nothing is known from there on".to_owned());
                true
            }
            EventStep::End(buffers) => {
                self.buffers(&buffers);
                false
            }
            _ => false,
        }
    }

    /// All buffers of an epoch, by one worker: the bridge gives ids in their order.
    fn buffers(&mut self, buffers: &EventBuffers) {
        let workers = &mut [&mut self.bridge];
        self.files.decode(buffers, workers, |bridge, content, _| {
            bridge.buffer(content)
        });
    }

    fn records(&mut self) -> BlockRecords {
        self.blocks
            .block(self.files.bytes_read(), self.bridge.take_records())
    }
}
