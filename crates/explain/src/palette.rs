//! Colours and line styles of paths, after the paper's figures: continuous red for the hot path, dashed blue for side
//! paths, dashed green for loop paths; handler paths, which the paper does not have, are dotted orange. Several
//! side or loop paths get different shades.

use ducktrack_path_counters::{Path, PathKind};

/// The colour and the line style of the path with the given number.
pub(crate) fn stroke_of(paths: &[Path], number: usize) -> (&'static str, &'static str) {
    let kind = paths.get(number).map(Path::kind);
    let (colours, style): (&[&str], _) = match kind {
        Some(PathKind::Hot) | None => (&["#c62828"], "solid"),
        Some(PathKind::Side) => (&["#1565c0", "#6a1b9a", "#00838f", "#5d4037"], "dashed"),
        Some(PathKind::Loop) => (&["#2e7d32", "#827717", "#00695c"], "dashed"),
        Some(PathKind::Handler) => (&["#e65100"], "dotted"),
    };
    let before = paths.iter().take(number);
    let same_kind = before.filter(|path| Some(path.kind()) == kind).count();
    (colours[same_kind % colours.len()], style)
}
