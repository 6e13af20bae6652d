//! The text beside a picture: paths, counters with their components, sites, and costs.

use ducktrack_path_counters::FrequencySource;

use crate::explained_method::ExplainedMethod;
use crate::method_text::{component_texts, kind_name, way};
use crate::palette::{Stroke, stroke_of};

/// One row of the legend.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Entry {
    Blank,
    Heading(String),
    Line {
        stroke: Option<Stroke>,
        text: String,
    },
    Counter {
        number: usize,
        stroke: Stroke,
        text: String,
    },
}

impl Entry {
    /// Characters before the text of a row.
    pub(crate) const INDENT: f64 = 6.0;

    /// Width of the row in characters.
    pub(crate) fn width(&self) -> f64 {
        match self {
            Self::Blank => 0.0,
            Self::Heading(text) => text.chars().count() as f64,
            Self::Line { text, .. } | Self::Counter { text, .. } => {
                Self::INDENT + text.chars().count() as f64
            }
        }
    }

    fn plain(text: String) -> Self {
        Self::Line { stroke: None, text }
    }
}

/// Rows longer than this are broken at a space.
const MOST_CHARACTERS: usize = 88;

/// All rows of a method's legend.
pub(crate) fn legend(method: &ExplainedMethod) -> Vec<Entry> {
    let mut entries = Vec::new();
    paths(&mut entries, method);
    counters(&mut entries, method);
    sites(&mut entries, method);
    increments(&mut entries, method);
    in_code(&mut entries, method);
    entries
}

fn paths(entries: &mut Vec<Entry>, method: &ExplainedMethod) {
    entries.push(Entry::Heading("Paths".to_owned()));
    let paths = method.paths.paths();
    for (number, path) in paths.iter().enumerate() {
        let text = format!(
            "{:<4}{:<8}{}",
            format!("P{number}"),
            kind_name(path.kind()),
            way(method, path)
        );
        let mut rows = broken(&text).into_iter();
        let stroke = Some(stroke_of(paths, number));
        entries.extend(rows.next().map(|text| Entry::Line { stroke, text }));
        entries.extend(rows.map(Entry::plain));
    }
    entries.push(Entry::plain(
        "a number on an edge is its share count".to_owned(),
    ));
    entries.push(Entry::Blank);
}

fn counters(entries: &mut Vec<Entry>, method: &ExplainedMethod) {
    entries.push(Entry::Heading("Counters".to_owned()));
    let counters = method.drawn_counters();
    if !method.in_code.is_by_path() {
        entries.extend(
            broken(&method.in_code.verdict_text())
                .into_iter()
                .map(Entry::plain),
        );
        entries.push(Entry::Blank);
        return;
    }
    for (number, &(path, edge)) in counters.iter().enumerate() {
        let stroke = stroke_of(method.paths.paths(), path);
        let times = method.per_run(method.frequencies.edge(edge));
        let text = format!(
            "on {} of P{path}, {times:.2} per call",
            method.edge_name(edge)
        );
        entries.push(Entry::Counter {
            number,
            stroke,
            text,
        });
        if let Some(components) = method.components.get(path) {
            for (name, vector) in component_texts(method, components) {
                entries.extend(
                    broken(&format!("{name:<22}{vector}"))
                        .into_iter()
                        .map(Entry::plain),
                );
            }
        }
    }
    let places = method
        .paths
        .paths()
        .iter()
        .filter(|path| path.counter_edge().is_some())
        .count();
    if places > counters.len() {
        entries.push(Entry::plain(format!(
            "{} more would be empty and are dropped",
            places - counters.len()
        )));
    }
    entries.push(Entry::Blank);
}

fn sites(entries: &mut Vec<Entry>, method: &ExplainedMethod) {
    entries.push(Entry::Heading("Sites".to_owned()));
    for (number, site) in method.sites.iter().enumerate() {
        let line = site
            .line
            .map_or(String::new(), |line| format!("  line {line}"));
        let name = format!("s{number}");
        entries.push(Entry::plain(format!(
            "{name:<4} @{:<5} {}{line}",
            site.site.offset.0, site.site.what
        )));
    }
    entries.push(Entry::Blank);
}

fn increments(entries: &mut Vec<Entry>, method: &ExplainedMethod) {
    let source = match method.frequencies.source() {
        FrequencySource::Estimated => "estimated",
        FrequencySource::Measured => "measured",
    };
    entries.push(Entry::Heading(format!(
        "Increments per call ({source} frequencies)"
    )));
    entries.push(Entry::plain(format!(
        "{:<24}{:>7.2}",
        "one counter per site",
        method.increments_per_site()
    )));
    for (name, increments, chosen) in method.candidates() {
        let mark = if chosen { "  chosen" } else { "" };
        entries.push(Entry::plain(format!("{name:<24}{increments:>7.2}{mark}")));
    }
}

/// Adds what the rewriter really puts into the code.
fn in_code(entries: &mut Vec<Entry>, method: &ExplainedMethod) {
    entries.push(Entry::Blank);
    entries.push(Entry::Heading("In the code".to_owned()));
    let lines = [method.in_code.verdict_text()];
    for line in lines.iter().chain(&method.in_code.lines()) {
        entries.extend(broken(line).into_iter().map(Entry::plain));
    }
}

/// Breaks a long row at spaces; the later rows are indented.
fn broken(text: &str) -> Vec<String> {
    let mut rows = vec![String::new()];
    for word in text.split_inclusive(' ') {
        let full = rows.last().is_some_and(|row| {
            row.chars().count() + word.trim_end().chars().count() > MOST_CHARACTERS
        });
        if full {
            rows.push("           ".to_owned());
        }
        if let Some(row) = rows.last_mut() {
            row.push_str(word);
        }
    }
    rows
}
