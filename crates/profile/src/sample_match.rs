//! Finds the stratum of a sampled stack.
//!
//! A sample's top frame is where the object was allocated. If that line has a counted site of the object's type, it is the site. Otherwise
//! the object comes from a call that is counted at its caller (boxing, string concatenation, calls that C2 replaces): the first lower frame
//! whose line has such a site. If the strata of a site differ in the caller to blame, the sample's is the one whose call is nearest below.

use std::sync::Arc;

use ducktrack_count_model::{CountModel, MethodIndex, SampledStacks, StackFrameRow};
use rustc_hash::FxHashMap;

use crate::strata::{Place, Strata};

/// Most frames between a counted call and the object that it allocates.
const DEEPEST_CALL: usize = 32;

/// The stratum of a stack and type, and the frame of its site.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Match {
    pub(crate) stratum: usize,
    /// Index in [`SampledStacks::frames`].
    pub(crate) frame: usize,
}

/// Finds strata for frames.
pub(crate) struct Matcher<'a> {
    stacks: &'a SampledStacks,
    strata: &'a Strata,
    /// For each method on stacks, the methods of the model with the same names: one per class loader.
    methods: Vec<Vec<MethodIndex>>,
}

impl<'a> Matcher<'a> {
    pub(crate) fn new(model: &'a CountModel, strata: &'a Strata) -> Self {
        let mut by_name: FxHashMap<(&str, &str, &str), Vec<MethodIndex>> = FxHashMap::default();
        for (index, method) in model.indexed_methods() {
            by_name
                .entry((&method.class, &method.name, &method.descriptor))
                .or_default()
                .push(index);
        }
        let names = model.stacks.methods.iter().map(|method| {
            let key = (&*method.class, &*method.name, &*method.descriptor);
            by_name.get(&key).cloned().unwrap_or_default()
        });
        Self {
            stacks: &model.stacks,
            strata,
            methods: names.collect(),
        }
    }

    /// The stratum of objects of type `ty` with the top frame `top`.
    pub(crate) fn find(&self, top: usize, ty: &Arc<str>) -> Option<Match> {
        let mut frames = self.frames(top).take(DEEPEST_CALL).enumerate();
        frames.find_map(|(depth, frame)| {
            let candidates = self.candidates(frame, ty, depth == 0);
            let stratum = self.by_caller(frame, &candidates)?;
            Some(Match { stratum, frame })
        })
    }

    /// Indices of a frame and those below it.
    fn frames(&self, top: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(top), |frame| self.row(*frame)?.parent)
    }

    fn row(&self, frame: usize) -> Option<&StackFrameRow> {
        self.stacks.frames.get(frame)
    }

    fn candidates(&self, frame: usize, ty: &Arc<str>, is_top: bool) -> Vec<usize> {
        let places = self.places(frame);
        let strata = places.flat_map(|place| self.strata.at(place, ty));
        let fits = |at: &usize| is_top || self.strata.all.get(*at).is_some_and(|one| one.by_call);
        strata.filter(fits).collect()
    }

    fn places(&self, frame: usize) -> impl Iterator<Item = Place> {
        let row = self.row(frame).copied();
        let methods = row.and_then(|row| self.methods.get(row.method));
        let line = row.and_then(|row| row.line);
        methods
            .into_iter()
            .flatten()
            .map(move |method| (*method, line))
    }

    /// The candidate whose caller is nearest below; otherwise the one without a caller, or the only one.
    fn by_caller(&self, frame: usize, candidates: &[usize]) -> Option<usize> {
        let caller = |at: &&usize| self.strata.all.get(**at).and_then(|one| one.caller);
        let is_called_from = |place: Place| {
            candidates
                .iter()
                .find(|at| caller(at) == Some(place))
                .copied()
        };
        let known = candidates.iter().any(|at| caller(&at).is_some());
        let by_caller = known.then(|| {
            let below = self.frames(frame).skip(1);
            below
                .flat_map(|frame| self.places(frame))
                .find_map(is_called_from)
        });
        let without = || candidates.iter().find(|at| caller(at).is_none()).copied();
        let only = || match candidates {
            [only] => Some(*only),
            _ => None,
        };
        by_caller.flatten().or_else(without).or_else(only)
    }
}
