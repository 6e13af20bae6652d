//! The summary that the agent prints.

use std::collections::BTreeMap;

/// All counts of a run.
#[derive(Debug)]
pub(crate) struct Outcome {
    place: String,
    counts: BTreeMap<String, u64>,
    printed: String,
}

impl Outcome {
    /// Reads the lines `name count` and `all-name count`.
    pub(crate) fn of(printed: &str, place: &str) -> Self {
        let mut counts = BTreeMap::new();
        for line in printed.lines() {
            if let Some((name, count)) = line.split_once(' ')
                && let Ok(count) = count.parse()
            {
                let name = name.strip_prefix("all-").unwrap_or(name);
                counts.insert(name.to_owned(), count);
            }
        }
        Self {
            place: place.to_owned(),
            counts,
            printed: printed.to_owned(),
        }
    }

    /// A count; what never happened is 0.
    pub(crate) fn count(&self, name: &str) -> u64 {
        self.counts.get(name).copied().unwrap_or(0)
    }

    /// Nothing wrong, nothing uncovered, nothing unknown.
    pub(crate) fn check(&self) {
        let told = || format!("{}\n{}", self.place, self.printed);
        assert!(self.printed.trim_end().ends_with("done"), "{}", told());
        assert!(self.counts.contains_key("wrong"), "{}", told());
        for name in ["wrong", "uncovered", "tags-wrong", "faults"] {
            assert_eq!(self.count(name), 0, "{name}: {}", told());
        }
        // A region the oracle itself cannot walk is one it cannot judge: it must stay a rarity.
        assert!(
            self.count("unparsed-after") * 1000 <= self.count("confirmed"),
            "{}",
            told()
        );
    }

    /// The figures of a run in one line.
    pub(crate) fn line(&self) -> String {
        let names = [
            "young",
            "mixed",
            "full",
            "cleanup",
            "failed-evacuations",
            "moved",
            "stayed",
            "dead",
            "unread",
            "scanned",
            "doubted",
            "confirmed",
            "ids-confirmed",
            "fillers",
            "faults",
            "unparsed-after",
            "wrong",
            "uncovered",
        ];
        let figures: Vec<String> = names
            .iter()
            .map(|name| format!("{name} {}", self.count(name)))
            .collect();
        let pauses = ["young", "mixed", "full", "cleanup"].map(|name| self.count(name));
        let micros = self.count("walk-nanos") / pauses.iter().sum::<u64>().max(1) / 1000;
        format!("{}, {micros} us for a pause", figures.join(", "))
    }
}
