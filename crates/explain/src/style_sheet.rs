//! The style sheet of a picture: shapes, and colours for light and dark.
//!
//! Class `p3` colours a line of the fourth stroke of the palette, `b3` a box's border, `f3` a filled badge.

use crate::palette::all_strokes;

/// All rules.
pub(crate) fn style_sheet() -> String {
    let mut light = rules(
        [
            "#ffffff", "#1f2328", "#57606a", "#f6f8fa", "#8c959f", "#ffffff",
        ],
        all_strokes().map(|stroke| stroke.light),
    );
    for (class, stroke) in all_strokes().enumerate() {
        if !stroke.dashes.is_empty() {
            light += &format!(".p{class}{{stroke-dasharray:{}}}\n", stroke.dashes);
        }
    }
    let dark = rules(
        [
            "#0d1117", "#e6edf3", "#9aa4af", "#161b22", "#6e7681", "#0d1117",
        ],
        all_strokes().map(|stroke| stroke.dark),
    );
    format!("{SHAPES}{light}@media (prefers-color-scheme:dark){{\n{dark}}}\n")
}

const SHAPES: &str = "\
text{font:11px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}
.title{font-size:14px;font-weight:600}
.heading,.name{font-weight:600}
.in-badge,.in-share{text-anchor:middle}
.in-badge{font-weight:600}
.edge{fill:none;stroke-width:1.6}
.counted{stroke-width:2.8}
.block{stroke-width:1.6}
";

fn rules(basic: [&str; 6], strokes: impl Iterator<Item = &'static str>) -> String {
    let [page, text, muted, block, border, in_badge] = basic;
    let mut rules = format!(
        ".page,.share{{fill:{page}}}\ntext{{fill:{text}}}\n.in-share{{fill:{muted}}}\n.in-badge{{fill:{in_badge}}}\n\
         .block{{fill:{block};stroke:{border}}}\n"
    );
    for (class, colour) in strokes.enumerate() {
        rules += &format!(".p{class},.b{class}{{stroke:{colour}}}.f{class}{{fill:{colour}}}\n");
    }
    rules
}
