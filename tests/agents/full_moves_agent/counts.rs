//! The findings of all checks together.

use std::fmt::Write as _;

/// How many mistakes are described in words.
const DESCRIBED: usize = 20;

#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) full: u64,
    pub(crate) moved: u64,
    pub(crate) stayed: u64,
    pub(crate) dead: u64,
    pub(crate) ids: u64,
    pub(crate) dead_ids: u64,
    pub(crate) fillers: u64,
    /// Dead objects that G1 left in place.
    pub(crate) lingering: u64,
    pub(crate) uncovered: u64,
    /// Dead objects that could not be read before the collection, because their classes were gone.
    pub(crate) unread: u64,
    /// Time of the reading: wall-clock time and CPU time of the thread.
    pub(crate) nanos: u64,
    pub(crate) cpu_nanos: u64,
    wrong: u64,
    faults: u64,
    descriptions: Vec<String>,
    looks: Vec<u64>,
}

impl Counts {
    pub(crate) fn wrong(&mut self, text: impl FnOnce() -> String) {
        self.wrong += 1;
        if self.descriptions.len() < DESCRIBED {
            self.descriptions.push(text());
        }
    }

    pub(crate) fn fault(&mut self, text: &str) {
        self.faults += 1;
        if self.descriptions.len() < DESCRIBED {
            self.descriptions.push(format!("fault: {text}"));
        }
    }

    /// Notes how often the VM asked for the time in one pause.
    pub(crate) fn note_looks(&mut self, looks: u64) {
        self.looks.push(looks);
    }

    pub(crate) fn text(&self, hook_failed: bool) -> String {
        let mut text = String::new();
        let least = self.looks.iter().min().copied().unwrap_or(0);
        let most = self.looks.iter().max().copied().unwrap_or(0);
        for (name, value) in [
            ("wrong", self.wrong),
            ("uncovered", self.uncovered),
            ("faults", self.faults),
            ("hook-failed", u64::from(hook_failed)),
            ("full", self.full),
            ("moved", self.moved),
            ("stayed", self.stayed),
            ("dead", self.dead),
            ("ids", self.ids),
            ("dead-ids", self.dead_ids),
            ("fillers", self.fillers),
            ("lingering", self.lingering),
            ("unread", self.unread),
            ("pauses", self.looks.len() as u64),
            ("looks-least", least),
            ("looks-most", most),
            ("micros", self.nanos / 1000),
            ("cpu-micros", self.cpu_nanos / 1000),
        ] {
            writeln!(text, "{name} {value}").expect("a string");
        }
        for mistake in &self.descriptions {
            writeln!(text, "told {mistake}").expect("a string");
        }
        text
    }
}
