//! A collection while its moves are being read.

use ducktrack_trace_format::{Collection, MoveDecoder, MoveRun, Survivor, decode_survivors};

use crate::event_buffers::EventBuffers;
use crate::event_step::Epoch;
use crate::survivor_matching::UnmatchedSurvivors;

/// A collection, and its survivors read so far.
#[derive(Debug)]
pub(crate) struct OpenCollection {
    pub(crate) collection: Collection,
    pub(crate) runs: Vec<MoveRun>,
    /// If its file has survivors that are to be matched.
    survivors: Option<UnmatchedSurvivors>,
    /// All blocks of moves so far decoded.
    pub(crate) is_complete: bool,
}

impl OpenCollection {
    /// Decodes the block of a collection. `survivors`: the list for those that are to be matched, if its file has such.
    pub(crate) fn decode(content: &[u8], survivors: Option<UnmatchedSurvivors>) -> Option<Self> {
        Some(Self {
            collection: Collection::decode(content).ok()?,
            runs: Vec::new(),
            survivors,
            is_complete: true,
        })
    }

    /// Number of the collection.
    pub(crate) fn number(&self) -> u32 {
        self.collection.number
    }

    /// True when all its moves are there.
    pub(crate) fn is_whole(&self) -> bool {
        let objects = self.runs.iter().map(|run| run.objects);
        let survivors = self.survivors.iter();
        let objects = objects.chain(survivors.map(|all| all.objects.len() as u64));
        let counts = self.collection.counts;
        self.is_complete
            && objects.fold(0, u64::saturating_add) == counts.moved.saturating_add(counts.stayed)
    }

    /// Adds the content of a block of moves; false if it does not decode.
    pub(crate) fn add_moves(&mut self, content: &[u8]) -> bool {
        let before = self.runs.len();
        let good = self.decode_moves(content).is_some();
        if !good {
            self.runs.truncate(before);
            self.is_complete = false;
        }
        good
    }

    /// Adds the content of a block of survivors; false if it does not decode.
    pub(crate) fn add_survivors(&mut self, content: &[u8]) -> bool {
        let Some(survivors) = &mut self.survivors else {
            return false;
        };
        let before = survivors.objects.len();
        match decode_survivors(content, &mut survivors.objects) {
            Ok(classes) => survivors.classes = classes,
            Err(_) => {
                survivors.objects.truncate(before);
                self.is_complete = false;
                return false;
            }
        }
        true
    }

    fn decode_moves(&mut self, content: &[u8]) -> Option<()> {
        for run in MoveDecoder::new(content).ok()? {
            self.runs.push(run.ok()?);
        }
        Some(())
    }

    /// Adds survivors of a heap that is not known.
    pub(crate) fn add_unmatched(&mut self, survivors: &UnmatchedSurvivors) {
        self.runs.extend(survivors.objects.iter().map(run));
    }

    /// The survivors to match.
    pub(crate) fn take_survivors(&mut self) -> Option<UnmatchedSurvivors> {
        self.survivors.take()
    }

    /// The epoch that the collection ended, with the events before it.
    pub(crate) fn finish(mut self, buffers: EventBuffers) -> Epoch {
        if !self.runs.is_sorted_by_key(|run| run.from) {
            self.runs.sort_by_key(|run| run.from);
        }
        Epoch {
            buffers,
            collection: self.collection,
            runs: self.runs,
            complete: self.is_complete,
            kept: None,
        }
    }
}

fn run(survivor: &Survivor) -> MoveRun {
    MoveRun {
        from: survivor.from,
        to: survivor.to,
        bytes: survivor.bytes(),
        objects: 1,
        found: None,
    }
}
