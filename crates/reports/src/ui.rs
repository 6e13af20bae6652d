//! The pages as one: tabs, the run over time, and each page in a frame of its own.
//!
//! The same page is served by `ducktrack ui` (then frames are asked for) or written as one file (then it holds them).
//! Safe in the same way as the pages: its policy allows nothing from elsewhere, and the script writes text nodes only.

use std::collections::BTreeMap;

use askama::Template;
use ducktrack_analyses::{CollectionKind, Timeline, TraceModel};
use serde::Serialize;

use crate::class_name::printable;
use crate::ending::Ending;
use crate::error::ReportError;
use crate::event_trace::since_start;
use crate::event_trace::timeline::{TimelineReport, timeline_report};
use crate::filter::Filter;
use crate::html::inside_script;
use crate::json::run_of_model;
use crate::packed_page::packed;

/// The facts of a run in the frame around the pages.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UiDocument {
    /// Always `ducktrack-ui`.
    pub format: &'static str,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// Pages are asked for; false: they are in the file.
    pub served: bool,
    /// The command that was run, or the directory.
    pub title: String,
    /// Process id, VM, collector.
    pub facts: Vec<String>,
    /// `running`, `ended`, `killed` or `unknown`.
    pub state: String,
    /// Grows whenever the recording was read again.
    pub made: u64,
    /// The pages that this recording has.
    pub tabs: Vec<UiTabDoc>,
    /// When the recording ends, in microseconds since the start of the JVM; 0 without a trace.
    pub end_micros: u64,
    /// The collections of a trace, thinned in long runs.
    pub collections: Vec<UiCollectionDoc>,
    /// Moments that were marked.
    pub marks: Vec<UiMarkDoc>,
}

/// One page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct UiTabDoc {
    /// Its name in addresses.
    pub id: String,
    /// Its name for people.
    pub name: String,
    /// The question that it answers.
    pub about: String,
    /// The command that prints the same.
    pub command: String,
}

/// One collection.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct UiCollectionDoc {
    /// Its number.
    pub number: u32,
    /// `young`, `mixed`, `full`, ...
    #[schemars(with = "String")]
    pub kind: CollectionKind,
    /// When it ended.
    pub micros: u64,
    /// Live bytes afterwards; what the spaces hold where the live heap is not known.
    pub bytes: u64,
}

/// A mark.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct UiMarkDoc {
    /// Its name.
    pub name: String,
    /// When.
    pub micros: u64,
}

/// More collections than this are thinned: the picture has no room for more.
const MOST_COLLECTIONS: usize = 2_000;

impl UiDocument {
    /// Takes collections and the end from a timeline.
    fn set_time(&mut self, timeline: &TimelineReport) {
        let every = timeline.collections.len().div_ceil(MOST_COLLECTIONS).max(1);
        let last = timeline.collections.len().saturating_sub(1);
        let kept = timeline.collections.iter().enumerate();
        self.collections = kept
            .filter(|(at, one)| at % every == 0 || *at == last || one.kind == CollectionKind::Full)
            .map(|(_, one)| UiCollectionDoc {
                number: one.number,
                kind: one.kind,
                micros: one.start_micros.saturating_add(one.pause_micros),
                bytes: match one.live {
                    Some(live) => live.bytes.unsigned_abs(),
                    None => one.after.iter().map(|space| space.used).sum(),
                },
            })
            .collect();
        let ends = self.collections.last().map(|one| one.micros);
        self.end_micros = timeline.end_micros.max(ends).unwrap_or(0);
    }

    /// For programs, and for the page itself.
    ///
    /// # Errors
    /// Fails only where a value has no JSON form; none of these has.
    pub fn json(&self) -> Result<String, ReportError> {
        serde_json::to_string(self).map_err(ReportError::NoJsonForm)
    }
}

/// The page; `held`: pages by address (`heap?at=12`) that the file brings along.
///
/// # Errors
/// Fails only where a value has no JSON form; none of these has.
pub fn ui_page(
    document: &UiDocument,
    held: &BTreeMap<String, String>,
) -> Result<String, ReportError> {
    let held: BTreeMap<&String, String> = held
        .iter()
        .map(|(key, page)| Ok((key, packed(page)?)))
        .collect::<std::io::Result<_>>()
        .map_err(ReportError::Packed)?;
    let held = serde_json::to_string(&held).map_err(ReportError::NoJsonForm)?;
    let page = Page {
        title: &document.title,
        live: document.served && document.tabs.iter().any(|tab| tab.id == LIVE),
        css: CSS,
        data: &inside_script(&document.json()?),
        pages: &inside_script(&held),
        js: JS,
    };
    page.render().map_err(ReportError::Page)
}

/// The tab that is no page but a table of what is allocated now.
pub const LIVE: &str = "live";

const CSS: &str = concat!(
    include_str!("../templates/report.css"),
    include_str!("../templates/ui/ui.css")
);
/// One script in one block: its names stay its own.
const JS: &str = concat!(
    "'use strict';\n{\n",
    include_str!("../templates/embedded.js"),
    include_str!("../templates/names.js"),
    include_str!("../templates/elements.js"),
    include_str!("../templates/svg.js"),
    include_str!("../templates/ui/state.js"),
    include_str!("../templates/ui/strip.js"),
    include_str!("../templates/ui/tabs.js"),
    include_str!("../templates/ui/live.js"),
    include_str!("../templates/ui/start.js"),
    "}\n"
);

#[derive(Template)]
#[template(path = "ui/page.html")]
struct Page<'a> {
    title: &'a str,
    live: bool,
    css: &'static str,
    data: &'a str,
    pages: &'a str,
    js: &'static str,
}

/// The content of the frame for a recording; the caller provides the pages.
pub fn ui_document(model: &TraceModel, timeline: &Timeline, trace: &str) -> UiDocument {
    let run = run_of_model(&model.count, trace);
    let facts = [
        format!("pid {}", run.pid),
        run.vm.clone(),
        run.collector.clone(),
    ];
    let mut document = UiDocument {
        format: "ducktrack-ui",
        version: 1,
        served: false,
        title: match run.command.as_str() {
            "" => trace.to_owned(),
            command => command.to_owned(),
        },
        facts: facts
            .into_iter()
            .filter(|fact| !fact.trim().is_empty())
            .collect(),
        state: Ending::of(&model.count).state.name().to_owned(),
        made: 0,
        tabs: Vec::new(),
        end_micros: 0,
        collections: Vec::new(),
        marks: Vec::new(),
    };
    document.set_time(&timeline_report(model, timeline, trace, &Filter::default()));
    document.marks = marks(model);
    document
}

fn marks(model: &TraceModel) -> Vec<UiMarkDoc> {
    let marks = model.count.marks().into_iter();
    let since = |micros| since_start(model, micros).unwrap_or(0);
    let marks = marks.map(|(name, micros)| UiMarkDoc {
        name: printable(name),
        micros: since(micros),
    });
    marks.collect()
}
