//! The pages that a recording can have, and in which order.

use ducktrack_reports::{LIVE, UiTabDoc};

/// A page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PageKind {
    Live,
    Report,
    Advise,
    Timeline,
    Heap,
    Cost,
    Lifetimes,
    Leaks,
    Holders,
    Waste,
    OffHeap,
    Memory,
    Stale,
    Deaths,
    Diff,
    Info,
}

impl PageKind {
    /// In the order of tabs: a trace opens on its verdict, counts on their table.
    pub(crate) const ALL: [Self; 16] = [
        Self::Live,
        Self::Leaks,
        Self::Report,
        Self::Advise,
        Self::Timeline,
        Self::Heap,
        Self::Cost,
        Self::Holders,
        Self::Waste,
        Self::OffHeap,
        Self::Memory,
        Self::Lifetimes,
        Self::Stale,
        Self::Deaths,
        Self::Diff,
        Self::Info,
    ];

    /// Its name in addresses, its name for people, and the question that it answers.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::Live => (LIVE, "Live", "what is allocated now"),
            Self::Report => (
                "report",
                "Allocations",
                "who allocates what, in which stacks",
            ),
            Self::Advise => ("advise", "Advice", "what to change, and what it saves"),
            Self::Timeline => (
                "timeline",
                "Timeline",
                "collections, pauses and rates over time",
            ),
            Self::Heap => ("heap", "Heap", "what is alive after a collection"),
            Self::Cost => ("cost", "Collector", "what each site costs the collector"),
            Self::Leaks => ("leaks", "Leaks", "what leaks, and how fast it grows"),
            Self::Holders => (
                "holders",
                "Holders",
                "who holds the objects of the heap dump",
            ),
            Self::Waste => (
                "waste",
                "Waste",
                "what the live bytes of the heap dump are wasted on",
            ),
            Self::OffHeap => (
                "off-heap",
                "Off-heap",
                "who made memory outside of the heap, and what is not released",
            ),
            Self::Memory => (
                "memory",
                "Memory",
                "what fills the memory of the process and its container",
            ),
            Self::Lifetimes => (
                "lifetimes",
                "Lifetimes",
                "how long the objects of each site live",
            ),
            Self::Stale => ("stale", "Stale", "live objects that are not used"),
            Self::Deaths => ("deaths", "Deaths", "when each object died, exactly"),
            Self::Diff => ("diff", "Difference", "what is different from the other run"),
            Self::Info => (
                "info",
                "Recording",
                "what is in the recording, and what is missing",
            ),
        }
    }

    /// The kind of a name in an address.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.id() == name)
    }

    pub(crate) fn id(self) -> &'static str {
        self.words().0
    }

    /// The tab of a run; the command has what the user gave beside the directory.
    pub(crate) fn tab(self, trace: &str, dump: Option<&str>, baseline: Option<&str>) -> UiTabDoc {
        let (id, name, about) = self.words();
        let command = match (self, dump, baseline) {
            (Self::Live, ..) => format!("ducktrack top {trace}"),
            (Self::Diff, _, Some(baseline)) => format!("ducktrack diff {baseline} {trace}"),
            (Self::OffHeap, ..) => format!("ducktrack report {trace} --off-heap"),
            (Self::Leaks | Self::Holders | Self::Waste, Some(dump), _) => {
                format!("ducktrack {id} {trace} --dump {dump}")
            }
            (Self::Deaths, ..) => format!("ducktrack lifetimes {trace} --deaths"),
            (Self::Stale, ..) => format!("ducktrack heap {trace} --stale"),
            _ => format!("ducktrack {id} {trace}"),
        };
        UiTabDoc {
            id: id.to_owned(),
            name: name.to_owned(),
            about: about.to_owned(),
            command,
        }
    }
}
