//! A method's graph in the language of Graphviz.

use ducktrack_path_counters::{BlockId, EdgeId};

use crate::explained_method::ExplainedMethod;
use crate::palette::{Stroke, stroke_of};

/// The graph, with one colour and line style per path, and counters as edge labels.
pub(crate) fn render(method: &ExplainedMethod) -> String {
    let mut text = format!(
        "digraph \"{}\" {{\n  label=\"{}\\n{}\";\n  labelloc=t;\n  fontname=\"sans-serif\";\n  \
         node [shape=box, fontname=\"monospace\", fontsize=10];\n  edge [fontname=\"monospace\", fontsize=9];\n",
        quoted(&method.name),
        quoted(&method.name),
        quoted(&method.in_code.verdict_text())
    );
    for block in method.graph.blocks() {
        text += &node(method, block);
    }
    let counters = method.drawn_counters();
    for (number, path) in method.paths.paths().iter().enumerate() {
        let stroke = stroke_of(method.paths.paths(), number);
        for (&edge, share) in path.edges().iter().zip(path.share_counts()) {
            let counter = counters.iter().position(|&(_, counter)| counter == edge);
            text += &edge_line(method, edge, &stroke, *share, counter);
        }
    }
    text + "}\n"
}

fn node(method: &ExplainedMethod, block: BlockId) -> String {
    let name = method.block_name(block);
    let Some(described) = method.blocks.get(block.index()) else {
        return format!("  {name} [shape=oval];\n");
    };
    let mut label = format!("{name}  {}..{}\\l", described.first, described.last);
    for site in &described.sites {
        if let Some(site_there) = method.sites.get(site.index()) {
            label += &format!(
                "s{} @{} {}{}\\l",
                site.as_u32(),
                site_there.site.offset,
                quoted(&site_there.site.what),
                method.in_code.marks_of(site.index())
            );
        }
    }
    let border = method.paths.place_of(block).map_or(String::new(), |place| {
        format!(
            ", color=\"{}\"",
            stroke_of(method.paths.paths(), place.path.index()).light
        )
    });
    format!("  {name} [label=\"{label}\"{border}];\n")
}

fn edge_line(
    method: &ExplainedMethod,
    edge: EdgeId,
    stroke: &Stroke,
    share: u32,
    counter: Option<usize>,
) -> String {
    let ends = method.graph.edge(edge);
    let (from, to) = (method.block_name(ends.from), method.block_name(ends.to));
    let label = counter.map_or(format!("{share}"), |number| format!("{share}  c{number}"));
    let width = if counter.is_some() { 2.5 } else { 1.2 };
    let (style, colour) = (stroke.dot_style, stroke.light);
    format!(
        "  {from} -> {to} [color=\"{colour}\", style={style}, penwidth={width}, label=\"{label}\"];\n"
    )
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
