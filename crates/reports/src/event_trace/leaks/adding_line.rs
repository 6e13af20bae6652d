//! The line that adds to a structure, from sampled stacks: where the class that declares its field was on the stack when its nodes were made, or what they hold.

use ducktrack_count_model::is_of_jdk;
use ducktrack_profile::{Frame, FrameIndex, Profile};
use rustc_hash::{FxHashMap, FxHashSet};

use super::document::CandidateDoc;
use super::place_text::{class_of_place, is_near, near};
use crate::class_name::readable_class;
use crate::event_trace::place::PlaceDoc;
use crate::stack_names::frame_name;

/// A line of a method: class, method, line.
type Line = (String, String, Option<u16>);

/// Finds lines for one run.
pub(super) struct AddingLines<'a> {
    profile: &'a Profile,
}

impl<'a> AddingLines<'a> {
    pub(super) fn new(profile: &'a Profile) -> Self {
        Self { profile }
    }

    /// What adds to the structure of a candidate. A call that is known exactly stays.
    pub(super) fn named(&self, row: CandidateDoc) -> CandidateDoc {
        let Some(owner) = owner(&row).map(str::to_owned) else {
            return row;
        };
        let known = row.added_by.as_deref().filter(|place| !is_near(place));
        let is_owners = known
            .and_then(class_of_place)
            .is_some_and(|class| is_of(&owner, class));
        if is_owners && known.is_some_and(|place| place.contains(" calls ")) {
            return row;
        }
        let (nodes, held) = self.places(&row);
        // A call of the collection leads to its nodes through code of the JDK only.
        let adds = self.most_seen(&owner, &nodes, is_of_jdk);
        let makes = || {
            self.most_seen(&owner, &held, |_| true)
                .filter(|_| !is_owners)
        };
        let found = adds.or_else(|| makes().map(|line| near(&line)));
        CandidateDoc {
            added_by: found.or(row.added_by),
            ..row
        }
    }

    /// Lines that made the nodes and arrays of the collection, and those that made what it holds.
    fn places(&self, row: &CandidateDoc) -> (FxHashSet<Line>, FxHashSet<Line>) {
        let piles_up = row.structure.as_ref().map_or(0, |one| one.piles_up);
        let (mut nodes, mut held) = (FxHashSet::default(), FxHashSet::default());
        for (at, step) in row.path.iter().enumerate() {
            let Some(made) = &step.made else { continue };
            let is_node = !step.own && (piles_up.saturating_sub(1)..=piles_up).contains(&at);
            match (is_node, at >= piles_up) {
                (true, _) => nodes.insert(line_of(&made.place)),
                (_, true) => held.insert(line_of(&made.place)),
                _ => continue,
            };
        }
        (nodes, held)
    }

    /// Of the stacks that end at these lines: the innermost line of the owner that is on most of their bytes.
    /// `may_pass`: classes that may be between.
    fn most_seen(
        &self,
        owner: &str,
        ends: &FxHashSet<Line>,
        may_pass: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let mut seen: FxHashMap<FrameIndex, i64> = FxHashMap::default();
        for row in self
            .profile
            .rows
            .iter()
            .filter(|row| self.profile.has_stack(row))
        {
            let mut frames = self.profile.frames_of(row.stack);
            let is_end = |frame: FrameIndex| {
                line_of_frame(self.profile.frame(frame)).is_some_and(|line| ends.contains(&line))
            };
            if !frames.next().is_some_and(is_end) {
                continue;
            }
            let class = |frame: &FrameIndex| match self.profile.frame(*frame) {
                Frame::Method { class, .. } => readable_class(class),
                Frame::NoStack | Frame::Deeper => String::new(),
            };
            let mut frames = frames.map(|frame| (frame, class(&frame)));
            let found = frames.find(|(_, class)| is_of(owner, class) || !may_pass(class));
            let found = found.filter(|(_, class)| is_of(owner, class));
            if let Some((frame, _)) = found {
                *seen.entry(frame).or_default() += row.tally.bytes;
            }
        }
        let most = seen
            .into_iter()
            .max_by_key(|(frame, bytes)| (*bytes, core::cmp::Reverse(*frame)));
        most.map(|(frame, _)| frame_name(self.profile.frame(frame)))
    }
}

/// The class that declares the field of the structure.
fn owner(row: &CandidateDoc) -> Option<&str> {
    let field = row.structure.as_ref()?.field.as_deref()?;
    field.rsplit_once('.').map(|(class, _)| class)
}

/// A class, or one that it shares its outermost class with.
fn is_of(owner: &str, class: &str) -> bool {
    let outermost = |class: &str| class.split('$').next().map(str::to_owned);
    outermost(owner) == outermost(class)
}

fn line_of(place: &PlaceDoc) -> Line {
    let location = &place.location;
    (
        location.class.clone(),
        location.method.clone(),
        location.line,
    )
}

fn line_of_frame(frame: &Frame) -> Option<Line> {
    match frame {
        Frame::Method {
            class,
            method,
            line,
            ..
        } => Some((readable_class(class), method.to_string(), *line)),
        Frame::NoStack | Frame::Deeper => None,
    }
}
