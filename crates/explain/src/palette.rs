//! Colours and line styles of paths, after the paper's figures: continuous red for the hot path, dashed blue for side
//! paths, dash-dotted green for loop paths; handler paths, which the paper does not have, are dotted orange. Several
//! side or loop paths get different shades.

use ducktrack_path_counters::{Path, PathKind};

/// How a path is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Stroke {
    /// Colour on a light background.
    pub(crate) light: &'static str,
    /// Colour on a dark background.
    pub(crate) dark: &'static str,
    /// Pattern of dashes for SVG; empty for a continuous line.
    pub(crate) dashes: &'static str,
    /// Line style for Graphviz.
    pub(crate) dot_style: &'static str,
}

const fn stroke(
    light: &'static str,
    dark: &'static str,
    dashes: &'static str,
    dot_style: &'static str,
) -> Stroke {
    Stroke {
        light,
        dark,
        dashes,
        dot_style,
    }
}

const HOT: [Stroke; 1] = [stroke("#c62828", "#ff6b6b", "", "solid")];
const SIDE: [Stroke; 4] = [
    stroke("#1565c0", "#64b5f6", "7 4", "dashed"),
    stroke("#6a1b9a", "#ce93d8", "7 4", "dashed"),
    stroke("#00838f", "#4dd0e1", "7 4", "dashed"),
    stroke("#5d4037", "#bcaaa4", "7 4", "dashed"),
];
const LOOP: [Stroke; 3] = [
    stroke("#2e7d32", "#81c784", "9 3 2 3", "dashed"),
    stroke("#827717", "#dce775", "9 3 2 3", "dashed"),
    stroke("#00695c", "#4db6ac", "9 3 2 3", "dashed"),
];
const HANDLER: [Stroke; 1] = [stroke("#e65100", "#ffb74d", "2 3", "dotted")];

/// Every stroke, for style sheets.
pub(crate) fn all_strokes() -> impl Iterator<Item = &'static Stroke> {
    HOT.iter().chain(&SIDE).chain(&LOOP).chain(&HANDLER)
}

/// The stroke of the path with the given number.
pub(crate) fn stroke_of(paths: &[Path], number: usize) -> Stroke {
    let strokes: &[Stroke] = match paths.get(number).map(Path::kind) {
        Some(PathKind::Hot) | None => &HOT,
        Some(PathKind::Side) => &SIDE,
        Some(PathKind::Loop) => &LOOP,
        Some(PathKind::Handler) => &HANDLER,
    };
    let kind = paths.get(number).map(Path::kind);
    let same_kind = paths
        .iter()
        .take(number)
        .filter(|path| Some(path.kind()) == kind)
        .count();
    strokes[same_kind % strokes.len()]
}

/// The index of a stroke in [`all_strokes`].
pub(crate) fn stroke_class(stroke: &Stroke) -> usize {
    all_strokes().position(|it| it == stroke).unwrap_or(0)
}
