//! One self-contained page: totals, a searchable and sortable table, a flame graph, completeness and cost.
//!
//! Nothing is loaded from anywhere, and the page's own content policy forbids it. Names are untrusted: the template
//! escapes what it prints, the data travels as JSON in which `<`, `>` and `&` are written as `\u003c` and so on (so no
//! text can end the script element), and the script writes text nodes only.

mod caused;
mod facts;
mod page_data;

use askama::Template;

pub(crate) use page_data::inside_script;

use crate::error::ReportError;
use crate::view::View;

/// The page.
///
/// # Errors
/// Fails only where a value has no JSON form; none of the report's has.
pub(crate) fn html(view: &View) -> Result<String, ReportError> {
    let facts = facts::facts(view);
    let data = page_data::page_data(view)?;
    let page = Page {
        facts: &facts,
        css: CSS,
        js: JS,
        data: &data,
    };
    page.render().map_err(ReportError::Page)
}

const CSS: &str = include_str!("../templates/report.css");
/// One script in one block: its names stay its own.
const JS: &str = concat!(
    "'use strict';\n{\n",
    include_str!("../templates/embedded.js"),
    include_str!("../templates/names.js"),
    include_str!("../templates/elements.js"),
    include_str!("../templates/numbers.js"),
    include_str!("../templates/script/data.js"),
    include_str!("../templates/script/state.js"),
    include_str!("../templates/script/search.js"),
    include_str!("../templates/event/grid.js"),
    include_str!("../templates/script/table.js"),
    include_str!("../templates/script/detail.js"),
    include_str!("../templates/script/stacks.js"),
    include_str!("../templates/script/chains.js"),
    include_str!("../templates/script/flame.js"),
    include_str!("../templates/script/kinds.js"),
    include_str!("../templates/script/start.js"),
    "}\n"
);

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'a> {
    facts: &'a facts::CountFacts,
    css: &'static str,
    js: &'static str,
    data: &'a str,
}
