//! Adds the figures of epochs and collections to [`TraceInfo`].

use ducktrack_trace_format::Collection;

use crate::epoch_part::EventSums;
use crate::knowledge::Knowledge;
use crate::outcome::Outcome;
use crate::run_sums::RunSums;
use crate::{CollectionNumber, TraceInfo};

impl TraceInfo {
    pub(crate) fn add_events(&mut self, sums: &EventSums) {
        self.sums.add(sums);
        if self.start_micros == 0 {
            self.start_micros = sums.first_begun.unwrap_or(0);
        }
        self.end_micros = self.end_micros.max(sums.last_handed_over);
    }

    pub(crate) fn add_collection(
        &mut self,
        collection: &Collection,
        runs: &RunSums,
        outcome: Option<Outcome>,
    ) {
        let number = CollectionNumber(collection.number);
        self.collections += 1;
        self.first_collection.get_or_insert(number);
        self.last_collection = Some(number);
        self.end_micros = self.end_micros.max(collection.end_unix_micros);
        self.survivors = self.survivors.saturating_add(runs.objects);
        self.moved = self.moved.saturating_add(runs.moved);
        self.ambiguous = self.ambiguous.saturating_add(collection.counts.ambiguous);
        self.found += outcome.map_or(0, |outcome| outcome.found);
        self.conflicts += outcome.map_or(0, |outcome| outcome.conflicts);
        if let Some(file) = self.files.last_mut() {
            file.collections += 1;
        }
    }

    /// Nothing more comes.
    pub(crate) fn close(&mut self, knowledge: &Knowledge) {
        self.knowledge_gaps = knowledge.gaps().to_vec();
        self.knowledge = knowledge.finish(self.collections);
        self.known_stretches = knowledge.stretches().to_vec();
    }
}
