//! Files whose survivors are matched with events while they are read.

use super::EventFiles;
use crate::event_buffers::FileNumber;
use crate::event_step::{EventContent, EventStep};
use crate::open_collection::OpenCollection;

impl EventFiles {
    /// Leads the events so far to the matching of survivors.
    pub(super) fn match_events(&mut self) {
        if !self.matching.is_on() {
            return;
        }
        let matching = &mut self.matching;
        self.buffers
            .for_each_unmatched(&self.paths, |content| matching.piece(content));
        let explained = self.matching.take_explained();
        self.push_explained(explained);
    }

    pub(super) fn push_explained(&mut self, contents: Vec<Vec<u8>>) {
        let file = FileNumber(self.paths.len());
        for content in contents {
            let content = EventContent {
                file,
                at: 0,
                content,
            };
            self.steps.push_back(EventStep::Explained(content));
        }
    }

    /// Matches the survivors of a collection, if they are to be matched. Gives the moves, and explanations that follow.
    pub(super) fn match_collection(&mut self, open: &mut OpenCollection) -> Vec<Vec<u8>> {
        self.match_events();
        let Some(mut survivors) = open.take_survivors() else {
            return Vec::new();
        };
        let is_whole = open.is_complete;
        let matched = self
            .matching
            .collection(&mut open.collection, &mut survivors);
        if !is_whole {
            self.matching.lose();
        }
        let Some((runs, explained)) = matched else {
            open.add_unmatched(&survivors);
            // Readers must not take them for the survivors of a heap that they know.
            open.is_complete = false;
            return Vec::new();
        };
        open.runs = runs;
        explained
    }
}
