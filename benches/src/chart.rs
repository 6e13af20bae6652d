//! The ratios to the bare JVM as an SVG chart: a row per workload, a dot per tool, a line from the first to the third quartile.
//!
//! The axis is logarithmic, so that "half" and "twice" are equally far from 1. Colours are assigned per chart: a tool may have
//! another colour in a chart with other tools, and the legend names every tool.

use std::fmt::Write;

use crate::{Comparison, Metric, Spread};

const COLOURS: [&str; 8] = [
    "#0b6e99", "#d9730d", "#4d8b31", "#9c4f96", "#b58900", "#c0392b", "#5a6b7b", "#1f9e89",
];
const LEFT: f64 = 150.0;
const RIGHT: f64 = 24.0;
const WIDTH: f64 = 900.0;
const DOT_STEP: f64 = 13.0;
const ROW_GAP: f64 = 14.0;
const HEAD: f64 = 66.0;

/// The chart of one metric; `None` if there is nothing to draw.
pub fn ratio_chart(comparison: &Comparison, metric: Metric) -> Option<String> {
    let tools: Vec<&str> = comparison
        .tools
        .iter()
        .map(String::as_str)
        .filter(|tool| *tool != "bare")
        .collect();
    let mut rows: Vec<Option<&str>> = comparison
        .workloads
        .iter()
        .map(|name| Some(name.as_str()))
        .collect();
    rows.push(None);
    let spreads = rows.iter().flat_map(|row| {
        tools
            .iter()
            .filter_map(|tool| comparison.ratio(tool, *row, metric))
    });
    let axis = Axis::over(spreads)?;
    let row_height = tools.len() as f64 * DOT_STEP + ROW_GAP;
    let legend_rows = tools.len().div_ceil(4) as f64;
    let top = HEAD + legend_rows * 18.0;
    let bottom = top + rows.len() as f64 * row_height;

    let mut svg = open(bottom + 34.0, metric, comparison);
    legend(&mut svg, &tools);
    grid(&mut svg, &axis, top, bottom);
    for (at, row) in rows.iter().enumerate() {
        let y = top + at as f64 * row_height;
        label(
            &mut svg,
            row.unwrap_or("geometric mean"),
            row.is_none(),
            y + row_height / 2.0,
        );
        for (index, tool) in tools.iter().enumerate() {
            if let Some(spread) = comparison.ratio(tool, *row, metric) {
                let dot_y = y + ROW_GAP / 2.0 + (index as f64 + 0.5) * DOT_STEP;
                dot(
                    &mut svg,
                    &axis,
                    spread,
                    COLOURS[index % COLOURS.len()],
                    dot_y,
                    tool,
                );
            }
        }
        let _ = writeln!(
            svg,
            r#"<line class="rule" x1="0" x2="{WIDTH}" y1="{y:.1}" y2="{y:.1}"/>"#
        );
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

/// A logarithmic axis that includes 1 and everything drawn.
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    fn over(spreads: impl Iterator<Item = Spread>) -> Option<Axis> {
        let (mut low, mut high) = (1.0_f64, 1.0_f64);
        let mut any = false;
        for spread in spreads.filter(|spread| spread.low > 0.0) {
            any = true;
            low = low.min(spread.low);
            high = high.max(spread.high);
        }
        any.then(|| Axis {
            low: (low * 0.97).min(0.95),
            high: (high * 1.03).max(1.1),
        })
    }

    fn x(&self, ratio: f64) -> f64 {
        let share = (ratio.ln() - self.low.ln()) / (self.high.ln() - self.low.ln());
        LEFT + share.clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
    }

    /// Round ratios with enough space between them to be readable.
    fn ticks(&self) -> Vec<f64> {
        let candidates: [f64; 24] = [
            0.1, 0.2, 0.5, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2, 1.3, 1.5, 1.7, 2.0, 2.5, 3.0,
            4.0, 5.0, 7.0, 10.0, 15.0, 20.0, 30.0,
        ];
        // 1 is always a tick; others need a distance to it and to each other, those nearest to 1 first.
        let mut inside: Vec<f64> = candidates
            .into_iter()
            .filter(|tick| (self.low..=self.high).contains(tick))
            .collect();
        inside.sort_by(|a, b| a.ln().abs().total_cmp(&b.ln().abs()));
        let mut kept: Vec<f64> = Vec::new();
        for tick in inside {
            if kept
                .iter()
                .all(|other| (self.x(*other) - self.x(tick)).abs() > 42.0)
            {
                kept.push(tick);
            }
        }
        kept
    }
}

fn open(height: f64, metric: Metric, comparison: &Comparison) -> String {
    let style = "text{font:13px system-ui,sans-serif;fill:#222}.title{font-size:16px;font-weight:600}.small{font-size:12px;fill:#555}\
        .mean{font-weight:600}.grid{stroke:#e3e3e3}.one{stroke:#444;stroke-width:1.5}.rule{stroke:#efefef}";
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height:.0}\" width=\"{WIDTH}\" height=\"{height:.0}\">\n\
         <style>{style}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n\
         <text class=\"title\" x=\"16\" y=\"28\">{} against the bare JVM</text>\n\
         <text class=\"small\" x=\"16\" y=\"47\">1 is the bare JVM, less is better; dot: median of {} rounds, line: quartiles</text>\n",
        capitalized(metric.title()),
        comparison.rounds,
    )
}

fn capitalized(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| {
        first.to_uppercase().chain(chars).collect()
    })
}

fn legend(svg: &mut String, tools: &[&str]) {
    for (index, tool) in tools.iter().enumerate() {
        let x = 20.0 + (index % 4) as f64 * 215.0;
        let y = HEAD + (index / 4) as f64 * 18.0;
        let colour = COLOURS[index % COLOURS.len()];
        let _ = writeln!(
            svg,
            r#"<circle cx="{x:.1}" cy="{:.1}" r="4.5" fill="{colour}"/>"#,
            y - 4.0
        );
        let _ = writeln!(
            svg,
            r#"<text class="small" x="{:.1}" y="{y:.1}">{}</text>"#,
            x + 9.0,
            escaped(tool)
        );
    }
}

fn grid(svg: &mut String, axis: &Axis, top: f64, bottom: f64) {
    for tick in axis.ticks() {
        let x = axis.x(tick);
        let class = if tick == 1.0 { "one" } else { "grid" };
        let _ = writeln!(
            svg,
            r#"<line class="{class}" x1="{x:.1}" x2="{x:.1}" y1="{top:.1}" y2="{bottom:.1}"/>"#
        );
        let y = bottom + 20.0;
        let _ = writeln!(
            svg,
            r#"<text class="small" x="{x:.1}" y="{y:.1}" text-anchor="middle">{tick}</text>"#
        );
    }
}

fn label(svg: &mut String, name: &str, mean: bool, y: f64) {
    let class = if mean { "mean" } else { "" };
    let x = LEFT - 14.0;
    let y = y + 4.0;
    let _ = writeln!(
        svg,
        r#"<text class="{class}" x="{x:.1}" y="{y:.1}" text-anchor="end">{}</text>"#,
        escaped(name)
    );
}

fn dot(svg: &mut String, axis: &Axis, spread: Spread, colour: &str, y: f64, tool: &str) {
    let (low, middle, high) = (
        axis.x(spread.low),
        axis.x(spread.median),
        axis.x(spread.high),
    );
    let title = format!(
        "{tool}: {:.3} ({:.3} to {:.3})",
        spread.median, spread.low, spread.high
    );
    let _ = writeln!(
        svg,
        r#"<g stroke="{colour}" fill="{colour}"><title>{}</title><line x1="{low:.1}" x2="{high:.1}" y1="{y:.1}" y2="{y:.1}" stroke-width="2"/><circle cx="{middle:.1}" cy="{y:.1}" r="4" stroke="none"/></g>"#,
        escaped(&title),
    );
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::fork;

    #[test]
    fn every_ratio_has_its_dot_and_every_tool_its_name() {
        let comparison = Comparison::new(vec![
            fork("json", "bare", 0, 100.0, 1.0),
            fork("json", "a<b", 0, 150.0, 1.0),
            fork("json", "jfr", 0, 90.0, 1.0),
        ]);
        let svg = ratio_chart(&comparison, Metric::Cpu).unwrap();
        // Two tools with one workload and the mean; the legend has two circles.
        assert_eq!(
            (
                svg.matches("<title>").count(),
                svg.matches("<circle").count()
            ),
            (4, 6)
        );
        assert!(svg.contains("a&lt;b: 1.500 (1.500 to 1.500)") && !svg.contains("a<b"));
        assert_eq!(ratio_chart(&comparison, Metric::Instructions), None);
    }

    #[test]
    fn the_axis_holds_one_and_all_values() {
        let spread = |value| Spread::of([value]).unwrap();
        let axis = Axis::over([spread(1.2), spread(2.4)].into_iter()).unwrap();
        assert!(
            axis.low <= 0.95
                && axis.high > 2.4
                && axis.x(2.4) < WIDTH - RIGHT
                && axis.x(1.0) > LEFT
        );
        assert!(axis.ticks().contains(&1.0) && axis.ticks().contains(&2.0));
    }
}
