//! The program's own counts at its end, against the heap of its trace.

use std::path::Path;

use ducktrack_tests::trace_command;
use serde_json::Value;

/// Whether sites are compared as well.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sites {
    /// Each object has the site that made it.
    Known,
    /// The same, but for arrays: those outside of TLABs have no address in their events, and may be ambiguous.
    ButOfArrays,
    /// Not each: objects from before the heap was known, or without an address, may have none.
    NotAll,
}

/// Checks that the heap at the end of the trace has exactly the objects that the program reaches.
pub(crate) fn compare(trace: &Path, said: &str, sites: Sites, name: &str) {
    assert!(!said.contains("unknown"), "{name}: {said}");
    let heap = trace_command("heap", trace, &["--top", "1000"]);
    let mut compared = 0;
    for line in said.lines() {
        let Some((class, count)) = line.split_once(' ') else {
            continue;
        };
        let expected: u64 = count.parse().unwrap_or(u64::MAX);
        let wanted = match class {
            "Small" | "Chain" | "Bytes" => format!("ConcurrentHeap${class}"),
            "short[]" => class.to_owned(),
            _ => continue,
        };
        let placed = at_sites(&heap, &wanted);
        if class == "short[]" {
            // Large arrays have no address in their events: of several threads' it is not known which is whose.
            let least = expected - number_after(said, "large ");
            let is_right = match sites {
                Sites::Known => (least..=expected).contains(&placed),
                Sites::ButOfArrays | Sites::NotAll => placed <= expected,
            };
            assert!(is_right, "{name}: {placed} of {expected}");
        } else {
            if sites != Sites::NotAll {
                assert_eq!(placed, expected, "{name}: sites of {wanted}");
            }
            assert_eq!(of_type(&heap, &wanted), expected, "{name}: {wanted}");
        }
        compared += 1;
    }
    assert_eq!(compared, 4, "{name}: {said}");
}

/// The number in the line that begins like this.
fn number_after(said: &str, start: &str) -> u64 {
    let line = said.lines().find_map(|line| line.strip_prefix(start));
    line.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Live objects of a type.
pub(crate) fn of_type(heap: &Value, name: &str) -> u64 {
    let types = heap["types"].as_array().into_iter().flatten();
    let of_name = types.filter(|row| row["type"] == name);
    of_name.filter_map(|row| row["count"].as_u64()).sum()
}

/// Those of them whose site is one of the program.
fn at_sites(heap: &Value, name: &str) -> u64 {
    let sites = heap["sites"].as_array().into_iter().flatten();
    let of_program = sites.filter(|row| {
        row["type"] == name
            && row["class"]
                .as_str()
                .is_some_and(|class| class.starts_with("ConcurrentHeap"))
    });
    of_program.filter_map(|row| row["count"].as_u64()).sum()
}
