//! A part of a site's objects, and the line of the program that asked for them.

use std::sync::Arc;

use ducktrack_count_model::{AllocationKind, SiteFacts, SiteIndex, Tally};

use crate::advice::Place;
use crate::heap_share::HeapShare;

/// See the module.
#[derive(Clone, Debug)]
pub(crate) struct Portion<'m> {
    pub(crate) site: Site<'m>,
    /// The line of the program.
    pub(crate) place: Place,
    /// The methods of the JDK from the one that the line calls to the site's own; empty where the line allocates itself.
    pub(crate) path: Vec<(Arc<str>, Arc<str>)>,
    /// The class whose object the line makes, where it calls a constructor.
    pub(crate) constructed: Option<Arc<str>>,
    pub(crate) tally: Tally,
    pub(crate) basis: Basis,
    /// The part that reaches the heap; `None`: not known.
    pub(crate) heap: Option<HeapShare>,
    pub(crate) has_constant_argument: bool,
}

/// The site, with the type of these objects.
#[derive(Clone, Debug)]
pub(crate) struct Site<'m> {
    pub(crate) index: SiteIndex,
    pub(crate) kind: AllocationKind,
    pub(crate) method: (&'m str, &'m str),
    pub(crate) ty: Option<Arc<str>>,
    /// The size of each object, where all have the same.
    pub(crate) size: Option<u32>,
    pub(crate) facts: &'m SiteFacts,
}

/// The reason why the objects belong to the line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Basis {
    /// Counted there.
    Exact,
    /// No other method may have asked for them.
    Bound,
    /// Several methods may have asked for this total; it is divided by their executed calls.
    Divided(Tally),
    /// A row of the profile.
    Sampled(usize),
}

impl Portion<'_> {
    /// The most objects that the line may have asked for.
    pub(crate) fn most(&self) -> Tally {
        match self.basis {
            Basis::Divided(most) => most,
            Basis::Exact | Basis::Bound | Basis::Sampled(_) => self.tally,
        }
    }

    /// The method of the JDK that the line calls.
    pub(crate) fn callee(&self) -> Option<(&str, &str)> {
        self.path.first().map(|(class, name)| (&**class, &**name))
    }

    /// Whether it is a part of a chain `new StringBuilder().append(..).toString()`, which is counted where it is written.
    pub(crate) fn is_of_chain(&self) -> bool {
        self.path.is_empty() && self.site.kind == AllocationKind::StringConcat
    }

    /// Whether a method of the JDK is on the way to the site.
    pub(crate) fn passes(&self, is_wanted: impl for<'a> Fn((&'a str, &'a str)) -> bool) -> bool {
        let mut methods = self.path.iter();
        methods.any(|(class, name)| is_wanted((class, name))) || is_wanted(self.site.method)
    }
}
