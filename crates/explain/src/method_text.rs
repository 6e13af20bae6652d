//! A method explained as text.
//!
//! ```text
//! paths
//!   P0 hot      ENTRY -2-> B0 =1=c0=> B1 -1-> B3 -2-> EXIT
//! ```
//!
//! The number on an arrow is the edge's share count; a thick arrow carries the path's counter.

use ducktrack_path_counters::{BlockId, Components, Path, PathEnd, PathKind};

use crate::explained_method::ExplainedMethod;

/// A method with its blocks, sites, paths and counters.
pub(crate) fn render(method: &ExplainedMethod) -> String {
    let mut page = Page::default();
    page.line(&format!(
        "{}   {} blocks, {} edges, {} sites",
        method.name,
        method.blocks.len(),
        method.graph.edge_count(),
        method.sites.len()
    ));
    sites(&mut page, method);
    blocks(&mut page, method);
    paths(&mut page, method);
    counters(&mut page, method);
    owed(&mut page, method);
    increments(&mut page, method);
    in_code(&mut page, method);
    page.text
}

#[derive(Default)]
struct Page {
    text: String,
}

impl Page {
    fn line(&mut self, line: &str) {
        self.text.push_str(line.trim_end());
        self.text.push('\n');
    }

    fn heading(&mut self, heading: &str) {
        self.text.push('\n');
        self.line(heading);
    }
}

fn sites(page: &mut Page, method: &ExplainedMethod) {
    page.heading("sites");
    for (number, site) in method.sites.iter().enumerate() {
        let line = site
            .line
            .map_or(String::new(), |line| format!("line {line}"));
        page.line(&format!(
            "  {:<5} @{:<6} {:<5} {:<10} {}",
            format!("s{number}"),
            site.site.offset.0,
            method.block_name(site.block),
            line,
            site.site.what
        ));
    }
}

fn blocks(page: &mut Page, method: &ExplainedMethod) {
    page.heading("blocks                                   runs per call");
    for (number, block) in (0u32..).zip(&method.blocks) {
        let id = BlockId::new(number);
        let out: Vec<String> = method
            .graph
            .out_edges(id)
            .iter()
            .map(|&edge| method.block_name(method.graph.edge(edge).to))
            .collect();
        let sites: Vec<String> = block
            .sites
            .iter()
            .map(|site| format!("s{}", site.as_u32()))
            .collect();
        page.line(&format!(
            "  {:<5} {:<14} {:<14} {:>7.2}   {:<24} {}{}",
            method.block_name(id),
            format!("{}..{}", block.first, block.last),
            block.ends_with.unwrap_or_default(),
            method.per_run(method.frequencies.block(&method.graph, id)),
            format!("-> {}", out.join(", ")),
            sites.join(" "),
            if block.is_handler { " handler" } else { "" },
        ));
    }
}

fn paths(page: &mut Page, method: &ExplainedMethod) {
    page.heading("paths                                    -n-> share count n, =n=c0=> with the path's counter");
    for (number, path) in method.paths.paths().iter().enumerate() {
        page.line(&format!(
            "  {:<4} {:<8} {}",
            format!("P{number}"),
            kind_name(path.kind()),
            way(method, path)
        ));
    }
}

/// The blocks along a path, from branching block to joining block.
pub(crate) fn way(method: &ExplainedMethod, path: &Path) -> String {
    let counters = method.numbered_counters();
    let mut way = method.block_name(path.branching_block());
    for (position, (&edge, share)) in path.edges().iter().zip(path.share_counts()).enumerate() {
        let here = path.counter_position() == Some(position);
        let number = counters.iter().position(|&(_, counter)| counter == edge);
        way += &match (here, number) {
            (true, Some(number)) => format!(" ={share}=c{number}=> "),
            _ => format!(" -{share}-> "),
        };
        way += &method.block_name(method.graph.edge(edge).to);
    }
    match path.end() {
        PathEnd::Leaves => {}
        PathEnd::Joins(_) => {
            way += match path.kind() {
                PathKind::Loop => "   (back to its header)",
                _ => "   (joins)",
            }
        }
        PathEnd::Stops => way += "   (stops: no counter needed)",
    }
    way
}

/// The name of a kind of path.
pub(crate) fn kind_name(kind: PathKind) -> &'static str {
    match kind {
        PathKind::Hot => "hot",
        PathKind::Side => "side",
        PathKind::Loop => "loop",
        PathKind::Handler => "handler",
    }
}

fn counters(page: &mut Page, method: &ExplainedMethod) {
    page.heading("counters = allocations + branching correction + joining correction");
    let counters = method.numbered_counters();
    for (number, &(path, edge)) in counters.iter().enumerate() {
        page.line(&format!(
            "  {:<4} on {}   of P{path}, {:.2} per call",
            format!("c{number}"),
            method.edge_name(edge),
            method.per_run(method.frequencies.edge(edge))
        ));
        if let Some(components) = method.components.get(path) {
            for (name, vector) in component_texts(method, components) {
                page.line(&format!("         {name:<22} {vector}"));
            }
        }
    }
    let empty = method
        .paths
        .paths()
        .iter()
        .filter(|path| path.counter_edge().is_some())
        .count()
        - counters.len();
    if empty > 0 {
        page.line(&format!(
            "  and {empty} without effect on any count, dropped"
        ));
    }
    if method.placement.is_none() {
        page.line("  too many terms for counters per path");
    }
}

/// The components and their sum, with their names.
pub(crate) fn component_texts(
    method: &ExplainedMethod,
    components: &Components,
) -> [(&'static str, String); 4] {
    [
        ("allocations", method.vector_text(&components.allocations)),
        (
            "branching correction",
            method.vector_text(&components.branching_correction),
        ),
        (
            "joining correction",
            method.vector_text(&components.joining_correction),
        ),
        ("sum", method.vector_text(&components.sum())),
    ]
}

fn owed(page: &mut Page, method: &ExplainedMethod) {
    let Some(placement) = &method.placement else {
        return;
    };
    let owed: Vec<String> = method
        .graph
        .blocks()
        .filter(|&block| !placement.potential(block).is_zero())
        .map(|block| {
            format!(
                "  {:<5} {}",
                method.block_name(block),
                method.vector_text(placement.potential(block))
            )
        })
        .collect();
    if !owed.is_empty() {
        page.heading("executed but not counted yet, on arrival at a block (where an exception would settle it)");
        owed.iter().for_each(|line| page.line(line));
    }
}

/// Adds what the rewriter really puts into the code.
fn in_code(page: &mut Page, method: &ExplainedMethod) {
    page.heading(&format!("in the code: {}", method.in_code.verdict_text()));
    for line in method.in_code.lines() {
        page.line(&format!("  {line}"));
    }
}

fn increments(page: &mut Page, method: &ExplainedMethod) {
    let source = match method.frequencies.source() {
        ducktrack_path_counters::FrequencySource::Estimated => "estimated",
        ducktrack_path_counters::FrequencySource::Measured => "measured",
    };
    page.heading(&format!("increments per call, with {source} frequencies"));
    page.line(&format!(
        "  {:<24} {:>8.2}",
        "one counter per site",
        method.increments_per_site()
    ));
    for (name, increments, chosen) in method.candidates() {
        let mark = if chosen { "   <- chosen" } else { "" };
        page.line(&format!("  {name:<24} {increments:>8.2}{mark}"));
    }
}
