//! Memory outside of the heap as rows of a profile: its type is the word for its kind, and it has no objects.

use std::sync::Arc;

use ducktrack_count_model::{OffHeapFrame, OffHeapRow, Tally};
use rustc_hash::FxHashMap;

use crate::profile::{Frame, FrameIndex, Profile, ProfileRow, StackIndex, StackNode};

impl Profile {
    /// The same, with a row for each stack that made memory outside of the
    /// heap; and for each row its blocks that are not released (no objects).
    pub fn with_off_heap(&self, makers: &[OffHeapRow]) -> (Self, Vec<Tally>) {
        let mut profile = self.clone();
        let mut live = vec![Tally::default(); profile.rows.len()];
        let frames = (0..).map(FrameIndex).zip(&self.frames);
        let mut known = frames.map(|(at, frame)| (frame.clone(), at)).collect();
        for row in makers {
            let Some(stack) = profile.add_stack(&row.frames, &mut known) else {
                continue;
            };
            profile.rows.push(ProfileRow {
                stack,
                ty: Some(row.kind.name().into()),
                thread: None,
                contexts: Arc::default(),
                tally: Tally::default(),
                samples: 0,
                stratum: usize::MAX,
                layer: 0,
                weights: [0.0; 2],
            });
            live.push(row.live());
        }
        (profile, live)
    }

    /// Outermost frames first. `None`: there are no frames.
    fn add_stack(
        &mut self,
        frames: &[OffHeapFrame],
        known: &mut FxHashMap<Frame, FrameIndex>,
    ) -> Option<StackIndex> {
        let mut parent = None;
        for frame in frames.iter().rev() {
            let frame = Frame::Method {
                class: frame.class.as_str().into(),
                method: frame.method.as_str().into(),
                descriptor: "".into(),
                line: frame.line,
                reads_alike: false,
            };
            let next = FrameIndex(self.frames.len());
            let index = *known.entry(frame.clone()).or_insert(next);
            if index == next {
                self.frames.push(frame);
            }
            let node = StackIndex(self.stacks.len());
            self.stacks.push(StackNode {
                parent,
                frame: index,
            });
            parent = Some(node);
        }
        parent
    }
}
