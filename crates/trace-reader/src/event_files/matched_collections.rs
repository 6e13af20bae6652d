//! Files whose survivors are matched with events while they are read.

use ducktrack_heap_mirror::SurvivorEnds;
use ducktrack_trace_format::BlockKind;

use super::EventFiles;
use crate::event_buffers::FileNumber;
use crate::event_step::{EventContent, EventStep};
use crate::open_collection::OpenCollection;
use crate::survivor_matching::MatchedCollection;

impl EventFiles {
    /// Leads the events so far to the matching of survivors. `ends`: of the
    /// survivors of the collection that comes next. Steps that waited follow.
    pub(super) fn match_events(&mut self, ends: Option<&SurvivorEnds>) {
        if self.matching.is_on() {
            let matching = &mut self.matching;
            self.buffers
                .for_each_unmatched(&self.paths, self.most_kept, |content| {
                    matching.piece(content, ends)
                });
            let explained = self.matching.take_explained();
            let explained = self.steps_of(explained, EventStep::Explained);
            self.steps.extend(explained);
        }
        self.steps.extend(self.waiting.drain(..));
    }

    /// Hands out the steps that wait, after their events, where no collection comes.
    pub(super) fn match_before_waiting(&mut self) {
        if !self.waiting.is_empty() {
            self.match_events(None);
        }
    }

    /// Hands out a step that belongs to no collection: after those that wait.
    pub(super) fn push_step(&mut self, step: EventStep) {
        match self.waiting.is_empty() {
            true => self.steps.push_back(step),
            false => self.waiting.push(step),
        }
    }

    /// Uses are of the heap as the events before them explain it; what
    /// survives the next collection decides which of these events to look at.
    pub(super) fn push_uses(&mut self, content: EventContent) {
        let step = EventStep::Extension(BlockKind::USES, content);
        match self.matching.is_on() {
            true => self.waiting.push(step),
            false => self.push_step(step),
        }
    }

    /// Matches the survivors of a collection, if they are to be matched. Gives the moves, and steps that follow it.
    pub(super) fn match_collection(&mut self, open: &mut OpenCollection) -> Vec<EventStep> {
        let mut survivors = open.take_survivors();
        let matching = &self.matching;
        let ends = survivors
            .as_mut()
            .and_then(|survivors| matching.ends(&open.collection, survivors));
        self.match_events(ends.as_ref());
        let Some(mut survivors) = survivors else {
            return Vec::new();
        };
        let (collection, is_whole) = (&mut open.collection, open.is_complete);
        let matched = self
            .matching
            .collection(collection, &mut survivors, is_whole);
        if !is_whole {
            self.matching.lose();
        }
        let following = match matched {
            MatchedCollection::Known(runs, explained) => {
                open.runs = runs;
                self.steps_of(explained, EventStep::Explained)
            }
            MatchedCollection::Unknown(point) => {
                open.add_unmatched(&survivors);
                // Readers must not take them for the survivors of a heap that they know.
                open.is_complete = false;
                self.steps_of(point, EventStep::Sync)
            }
        };
        self.matching.use_again(survivors);
        following
    }

    /// Contents that are in no file.
    fn steps_of(
        &self,
        contents: Vec<Vec<u8>>,
        step: fn(EventContent) -> EventStep,
    ) -> Vec<EventStep> {
        let (file, at) = (FileNumber(self.paths.len()), 0);
        let contents = contents.into_iter();
        contents
            .map(|content| step(EventContent { file, at, content }))
            .collect()
    }
}
