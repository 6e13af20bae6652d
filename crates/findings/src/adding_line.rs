//! The line that adds to a structure, from sampled stacks: where the class that
//! declares its field was on the stack when its nodes were made, or what they hold.

use ducktrack_count_model::{Application, CountModel, is_of_jdk};
use ducktrack_profile::{Frame, FrameIndex, Profile};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::{AddedBy, Finding, HeldBy, Maker};
use crate::places::{Line, Place, line_of_frame, line_of_site, shares_outermost_class};

/// Finds lines for one run.
pub(crate) struct AddingLines<'a> {
    model: &'a CountModel,
    profile: Profile,
}

impl<'a> AddingLines<'a> {
    pub(crate) fn new(model: &'a CountModel) -> Self {
        Self {
            model,
            profile: ducktrack_profile::profile(model),
        }
    }

    /// The line that adds to the structure of a finding. A call that is known exactly stays.
    pub(crate) fn named(&self, finding: Finding) -> Finding {
        let Some(held) = finding.held_by() else {
            return finding;
        };
        let Some(owner) = held.field.as_ref().map(|field| field.class.as_str()) else {
            return finding;
        };
        let known = finding.added_by.as_ref().filter(|added| !added.is_near);
        let class = known.and_then(|added| added.place.class(self.model));
        let is_owners = class.is_some_and(|class| shares_outermost_class(owner, class));
        let is_call = known.is_some_and(|added| matches!(added.place, Place::Call(_)));
        if is_owners && is_call {
            return finding;
        }
        let (nodes, contents) = self.places(held);
        // A call of the collection leads to its nodes through code of the JDK only.
        let is_owner = |class: &str| shares_outermost_class(owner, class);
        let adds = self.most_seen(is_owner, &nodes, is_of_jdk);
        let makes = || {
            self.most_seen(is_owner, &contents, |_| true)
                .filter(|_| !is_owners)
        };
        let place = |frame: Frame, is_near| AddedBy {
            place: Place::Frame(frame),
            is_near,
        };
        let found = adds.map(|frame| place(frame, false));
        let found = found.or_else(|| makes().map(|frame| place(frame, true)));
        Finding {
            added_by: found.or(finding.added_by.clone()),
            ..finding
        }
    }

    /// The line of the program's own project for which a library makes and adds it. An exact call
    /// comes before what samples show; lines of the JDK and of collections work for others, too.
    pub(crate) fn for_project(&self, finding: &Finding, project: &Application) -> Option<Place> {
        let is_of_project = |class: &str| project.contains(class);
        let is_its = |place: &Place| place.class(self.model).is_some_and(is_of_project);
        if finding.place(self.model).as_ref().is_some_and(is_its) {
            return None;
        }
        if let Some(call) = finding.caller().filter(is_its) {
            return Some(call);
        }
        let line = |maker: &Maker| {
            let line = line_of_site(self.model, maker.site?);
            line.filter(|(class, ..)| !is_of_jdk(class))
        };
        let made = line(&finding.maker).into_iter().collect();
        // Few objects have no sample: what is made with each of them may have one.
        let with = finding.with.iter().filter(|one| one.each > 0);
        let with = with.filter_map(|one| line(&one.maker)).collect();
        let ends = [made, with];
        let mut frames = ends
            .iter()
            .filter_map(|ends| self.most_seen(is_of_project, ends, |_| true));
        frames.next().map(Place::Frame)
    }

    /// Lines that made the nodes and arrays of the collection, and those that made what it holds.
    fn places(&self, held: &HeldBy) -> (FxHashSet<Line>, FxHashSet<Line>) {
        let structure = held.path.structure.as_ref();
        let piles_up = structure.map_or(0, |one| one.piles_up);
        let (mut nodes, mut contents) = (FxHashSet::default(), FxHashSet::default());
        for (at, step) in held.path.steps.iter().enumerate() {
            let site = step.origin.site;
            let Some(line) = site.and_then(|site| line_of_site(self.model, site)) else {
                continue;
            };
            let is_node = !step.is_own && (piles_up.saturating_sub(1)..=piles_up).contains(&at);
            match (is_node, at >= piles_up) {
                (true, _) => nodes.insert(line),
                (_, true) => contents.insert(line),
                _ => continue,
            };
        }
        (nodes, contents)
    }

    /// Of the stacks that end at these lines: the innermost line of a wanted class that is on most of their bytes.
    /// `may_pass`: classes that may be between.
    fn most_seen(
        &self,
        is_wanted: impl Fn(&str) -> bool,
        ends: &FxHashSet<Line>,
        may_pass: impl Fn(&str) -> bool,
    ) -> Option<Frame> {
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
                Frame::Method { class, .. } => &**class,
                Frame::NoStack | Frame::Deeper => "",
            };
            let mut frames = frames.map(|frame| (frame, class(&frame)));
            let found = frames.find(|(_, class)| is_wanted(class) || !may_pass(class));
            if let Some((frame, _)) = found.filter(|(_, class)| is_wanted(class)) {
                *seen.entry(frame).or_default() += row.tally.bytes;
            }
        }
        let most = seen
            .into_iter()
            .max_by_key(|(frame, bytes)| (*bytes, core::cmp::Reverse(*frame)));
        most.map(|(frame, _)| self.profile.frame(frame).clone())
    }
}
