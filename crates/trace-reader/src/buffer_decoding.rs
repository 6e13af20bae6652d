//! Decodes buffers that were handed out, apart from their files: these can be read on meanwhile.

use std::collections::BTreeMap;

use ducktrack_trace_format::{Damage, FormatError};

use crate::EventFiles;
use crate::damage_log::DamageLog;
use crate::event_buffers::{BufferError, BufferFault, EventBuffers, FileNumber};
use crate::event_step::EventContent;

/// Buffers to be decoded again, and what did not decode: [`EventFiles::note`] takes that.
#[derive(Debug, Default)]
pub struct BufferDecoding {
    put_back: EventBuffers,
    logs: BTreeMap<FileNumber, DamageLog>,
}

impl BufferDecoding {
    /// Hands the content of every buffer to one of the workers, in no particular order, with a flag for buffers that were put back before.
    /// Buffers that do not decode are noted as damage.
    pub fn decode<W: Send>(
        &mut self,
        buffers: &EventBuffers,
        workers: &mut [W],
        take: impl Fn(&mut W, &[u8], bool) -> Result<(), FormatError> + Sync,
    ) {
        for fault in buffers.for_each(workers, take) {
            self.note_fault(fault);
        }
    }

    /// The same, for a first look at them: what does not decode is noted when they are decoded.
    pub fn measure<W: Send>(
        &self,
        buffers: &EventBuffers,
        workers: &mut [W],
        take: impl Fn(&mut W, &[u8], bool) -> Result<(), FormatError> + Sync,
    ) {
        let _ = buffers.for_each(workers, take);
    }

    /// Keeps buffers that the next epoch (or the end) has to decode again.
    pub fn put_back(&mut self, buffers: EventBuffers) {
        self.put_back = buffers;
    }

    /// The buffers of the next epoch, after those that were put back.
    pub fn with_put_back(&mut self, buffers: EventBuffers) -> EventBuffers {
        core::mem::take(&mut self.put_back).followed_by(buffers)
    }

    /// Notes that the content of a block does not decode.
    pub fn note_malformed(&mut self, content: &EventContent) {
        self.log(content.file).bad_record(content.at);
    }

    fn note_fault(&mut self, fault: BufferFault) {
        let at = fault.at;
        let log = self.log(fault.file);
        match fault.reason {
            BufferError::Malformed => log.bad_record(at),
            BufferError::Unreadable(reason) => log.add(Damage::Unreadable { at, reason }),
            BufferError::Corrupt(error) => log.add(Damage::CorruptBlock {
                at,
                index: 0,
                skipped: fault.length,
                reason: error.to_string(),
            }),
        }
    }

    fn log(&mut self, file: FileNumber) -> &mut DamageLog {
        self.logs.entry(file).or_default()
    }
}

impl EventFiles {
    /// Takes over what did not decode.
    pub fn note(&mut self, decoding: &mut BufferDecoding) {
        for (file, log) in core::mem::take(&mut decoding.logs) {
            self.log(file).absorb(log);
        }
    }
}
