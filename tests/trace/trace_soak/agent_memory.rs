//! The agent's own memory over its life, from its log, every second and at its end (`log=debug`).
//!
//! Resident memory says little about a short run: the JVM warms up, and what waits
//! for the pipeline comes and goes by a hundred megabytes. Three things say more:
//!
//! | what | shows |
//! |---|---|
//! | in use when all events are written: the same after 5 seconds and after many | a leak, but for what the pipeline itself has |
//! | in use now and then, but for the objects that the agent mirrors and those that wait for a collection | that, of the pipeline too |
//! | what these objects take | no more than the objects of a full heap would |

use std::ops::Range;
use std::path::Path;

/// At the end. Small blocks: names, sites, classes; 2.5 to 3.2 MB.
const MOST_SMALL: u64 = 4 << 20;
/// At the end. Mostly memory that the walk of the heap keeps for the next collection; 6 to 13 MB.
const MOST_LARGE: u64 = 20 << 20;

/// For objects, in any second. With dead ones that no collection has come to yet,
/// the mirror has up to two million in a heap of 192 MB, with 34 bytes for each.
const MOST_FOR_OBJECTS: u64 = 96 << 20;

/// By what it may grow that is in use when little is, and from which quarters of the run to which.
pub(crate) struct Growth {
    early: Range<usize>,
    late: Range<usize>,
    small: u64,
    /// But for objects: G1 leaves dead ones in the old generation for seconds, and takes them away by tens of megabytes.
    large: u64,
}

pub(crate) const IN_A_SHORT_RUN: Growth = Growth {
    early: 1..2,
    late: 2..4,
    small: 2 << 20,
    large: 8 << 20,
};

pub(crate) const IN_A_LONG_RUN: Growth = Growth {
    early: 1..2,
    late: 3..4,
    small: 1 << 20,
    large: 8 << 20,
};

/// One second, in bytes.
struct Second {
    small: u64,
    /// At some moments of it.
    looks: Vec<Look>,
}

/// Bytes in use in large blocks at one moment.
struct Look {
    for_objects: u64,
    for_others: u64,
}

/// Second by second.
pub(crate) struct AgentMemory {
    seconds: Vec<Second>,
    /// Small and large blocks.
    end: (u64, u64),
}

impl AgentMemory {
    pub(crate) fn read(log: &Path) -> Self {
        let log = std::fs::read_to_string(log).expect("the agent's log");
        Self {
            seconds: log.lines().filter_map(second).collect(),
            end: log
                .lines()
                .find_map(end)
                .expect("what is in use at the end"),
        }
    }

    /// Fails where it is more than it may be.
    pub(crate) fn check(&self, place: &str, most: &Growth) {
        let (small, large) = self.end;
        assert!(
            small <= MOST_SMALL && large <= MOST_LARGE,
            "{place}: in use at the end: {small} bytes in small blocks, {large} in large ones"
        );
        let figures = |quarters: &Range<usize>| {
            let small = |second: &Second| vec![second.small];
            let others =
                |second: &Second| second.looks.iter().map(|look| look.for_others).collect();
            (self.low(quarters, small), self.low(quarters, others))
        };
        let (early, late) = (figures(&most.early), figures(&most.late));
        assert!(
            late.0 <= early.0 + most.small,
            "{place}: small blocks, when little is in use: {} bytes early, {} late",
            early.0,
            late.0
        );
        assert!(
            late.1 <= early.1 + most.large,
            "{place}: large blocks but for objects, when little is in use: {} bytes early, {} late",
            early.1,
            late.1
        );
        for second in &self.seconds {
            for look in &second.looks {
                assert!(
                    look.for_objects <= MOST_FOR_OBJECTS,
                    "{place}: {} bytes for objects",
                    look.for_objects
                );
            }
        }
    }

    /// In use at the end.
    pub(crate) fn at_end(&self) -> u64 {
        self.end.0 + self.end.1
    }

    /// Three of four figures are more. (The least of all is chance: now and then nothing waits.)
    fn low(&self, quarters: &Range<usize>, figures: impl Fn(&Second) -> Vec<u64>) -> u64 {
        let quarter = self.seconds.len() / 4;
        let part = &self.seconds[quarters.start * quarter..quarters.end * quarter];
        let mut figures: Vec<u64> = part.iter().flat_map(figures).collect();
        figures.sort_unstable();
        let low = figures.get(figures.len() / 4);
        *low.expect("a line of the log for every second")
    }
}

/// `[ducktrack] debug: memory in bytes: small 2876099; seen large 47185920 for objects 37748736, large ...`
fn second(line: &str) -> Option<Second> {
    let (_, line) = line.split_once("memory in bytes: ")?;
    let (second, looks) = line.split_once("; seen ")?;
    let [small] = numbers(second)[..] else {
        return None;
    };
    let looks = looks
        .split(", ")
        .filter_map(|look| match numbers(look)[..] {
            [large, for_objects] => Some(Look {
                for_objects,
                for_others: large.saturating_sub(for_objects),
            }),
            _ => None,
        });
    Some(Second {
        small,
        looks: looks.collect(),
    })
}

/// `[ducktrack] debug: memory in bytes at the end: small 2692965, large 6676480`
fn end(line: &str) -> Option<(u64, u64)> {
    let (_, figures) = line.split_once("memory in bytes at the end: ")?;
    match numbers(figures)[..] {
        [small, large] => Some((small, large)),
        _ => None,
    }
}

fn numbers(figures: &str) -> Vec<u64> {
    let words = figures.split(|letter: char| !letter.is_ascii_digit());
    words.filter_map(|word| word.parse().ok()).collect()
}
