//! The page of a report on an event trace: facts without a script, charts and table with it.
//!
//! Safe in the same way as the page of the counting report: nothing is loaded, names travel as JSON that cannot end the
//! script element, and the script writes text nodes only.

use askama::Template;
use serde::Serialize;

use crate::card::Card;
use crate::error::ReportError;
use crate::event_trace::head::TraceHead;
use crate::html::inside_script;
use crate::table::PageTable;

/// The parts that differ from page to page: the middle of the document, and the script that fills it.
pub(crate) struct Kind {
    body: fn() -> askama::Result<String>,
    scripts: &'static [&'static str],
}

/// The scripts that all pages begin with.
const SHARED_SCRIPTS: [&str; 8] = [
    include_str!("../../templates/embedded.js"),
    include_str!("../../templates/names.js"),
    include_str!("../../templates/elements.js"),
    include_str!("../../templates/numbers.js"),
    include_str!("../../templates/svg.js"),
    include_str!("../../templates/event/basics.js"),
    include_str!("../../templates/event/grid.js"),
    include_str!("../../templates/event/chart.js"),
];

impl Kind {
    /// All scripts of the page in one block: their names stay their own.
    fn script(&self) -> String {
        let parts = SHARED_SCRIPTS.iter().chain(self.scripts).copied();
        let script: String = parts.collect();
        format!("'use strict';\n{{\n{script}}}\n")
    }
}

macro_rules! kind {
    ($body:tt, $($script:literal),+) => {{
        #[derive(Template)]
        #[template(path = $body)]
        struct Body;
        Kind {
            body: || Body.render(),
            scripts: &[$(include_str!(concat!("../../templates/event/", $script))),+],
        }
    }};
}

pub(crate) const HEAP: Kind = kind!("event/heap.html", "treemap.js", "heap.js");
pub(crate) const HOLDERS: Kind = kind!("event/holders.html", "treemap.js", "holders.js");
pub(crate) const LEAKS: Kind = kind!("event/leaks.html", "leaks.js");
pub(crate) const LIFETIMES: Kind = kind!("event/lifetimes.html", "lifetimes.js");
pub(crate) const TIMELINE: Kind = kind!("event/timeline.html", "timeline.js");
pub(crate) const DEATHS: Kind = kind!("event/deaths.html", "deaths.js");
pub(crate) const STALE: Kind = kind!("event/stale.html", "stale.js");
pub(crate) const GC: Kind = kind!("event/gc.html", "gc.js");
pub(crate) const INFO: Kind = kind!("event/info.html", "info.js");
pub(crate) const ADVISE: Kind = kind!("event/advise.html", "advise.js");
pub(crate) const WASTE: Kind = kind!("event/waste.html", "waste.js");
pub(crate) const OFF_HEAP: Kind = kind!("event/off_heap.html", "off_heap.js");
pub(crate) const MEMORY: Kind = kind!("event/memory.html", "memory.js");

const CSS: &str = concat!(
    include_str!("../../templates/report.css"),
    include_str!("../../templates/event/event.css")
);

/// The texts of the page.
pub(crate) struct Facts {
    pub(crate) title: String,
    pub(crate) what: &'static str,
    pub(crate) run: Vec<String>,
    pub(crate) missing: Vec<String>,
    pub(crate) damage: Vec<String>,
    pub(crate) cards: Vec<Card>,
    /// The part that comes first.
    pub(crate) verdict: Option<Verdict>,
}

/// The command of a run, or else where it was read from.
pub(crate) fn title(command: &str, trace: &str) -> String {
    let known = Some(command).filter(|command| !command.is_empty());
    known.unwrap_or(trace).to_owned()
}

/// The answer as one sentence.
pub(crate) struct Verdict {
    pub(crate) word: String,
    pub(crate) sentence: String,
}

impl Facts {
    /// Of what has no run beside its title.
    pub(crate) fn titled(title: String, what: &'static str, cards: Vec<Card>) -> Self {
        Self {
            title,
            what,
            run: Vec::new(),
            missing: Vec::new(),
            damage: Vec::new(),
            cards,
            verdict: None,
        }
    }

    pub(crate) fn of(head: &TraceHead, what: &'static str) -> Self {
        let run = &head.run;
        let mut facts = vec![
            format!("pid {}", run.pid),
            run.vm.clone(),
            run.collector.clone(),
        ];
        facts.extend(head.moves.as_ref().map(|level| format!("moves {level}")));
        if head.asked.is_partial() {
            facts.push(format!("only {}", head.asked.description()));
        }
        facts.retain(|fact| !fact.trim().is_empty());
        Self {
            title: title(&run.command, &run.trace),
            what,
            run: facts,
            missing: run
                .out_of_memory
                .iter()
                .chain(&head.missing)
                .cloned()
                .collect(),
            damage: head.trouble(),
            cards: Vec::new(),
            verdict: None,
        }
    }
}

/// The data that the script of a page reads.
#[derive(Serialize)]
struct PageData<'a, D: Serialize> {
    table: Option<PageTable>,
    #[serde(flatten)]
    document: &'a D,
}

/// Puts the page together around the document and its main table.
pub(crate) fn page(
    document: &impl Serialize,
    table: Option<PageTable>,
    facts: &Facts,
    kind: Kind,
) -> Result<String, ReportError> {
    let data = PageData { table, document };
    let data = serde_json::to_string(&data).map_err(ReportError::NoJsonForm)?;
    let page = Page {
        facts,
        css: CSS,
        body: &(kind.body)().map_err(ReportError::Page)?,
        data: &inside_script(&data),
        js: &kind.script(),
    };
    page.render().map_err(ReportError::Page)
}

#[derive(Template)]
#[template(path = "event/page.html")]
struct Page<'a> {
    facts: &'a Facts,
    css: &'static str,
    body: &'a str,
    data: &'a str,
    js: &'a str,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that a script declares outside of functions.
    fn declared(js: &str) -> Vec<&str> {
        let words = ["const ", "let ", "function ", "class "];
        let names = js.lines().filter_map(|line| {
            let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
            let end = rest.find(|letter: char| !(letter.is_alphanumeric() || letter == '_'));
            rest.get(..end.unwrap_or(rest.len()))
        });
        names.filter(|name| !name.is_empty()).collect()
    }

    /// The parts of a page's script share one scope: a name that two of them declare is a fault that shows nothing but an empty page.
    #[test]
    fn no_script_declares_a_name_twice() {
        let kinds = [
            HEAP, HOLDERS, LEAKS, LIFETIMES, TIMELINE, DEATHS, STALE, GC, INFO, ADVISE, WASTE,
            OFF_HEAP, MEMORY,
        ];
        for kind in kinds {
            let script = kind.script();
            let mut names = declared(&script);
            assert!(names.len() > 20, "{names:?}");
            names.sort_unstable();
            let twice = names.windows(2).find(|pair| pair[0] == pair[1]);
            assert_eq!(twice, None);
        }
    }
}
