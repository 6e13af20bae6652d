//! A method's graph in the language of Graphviz.

use ducktrack_path_counters::{BlockId, EdgeId};

use crate::explained_method::ExplainedMethod;
use crate::method_text::{self, kind_name, way};
use crate::palette::stroke_of;

/// The graph, with one colour and line style per path, counters as edge labels, a legend, and the text below.
pub(crate) fn render(method: &ExplainedMethod) -> String {
    let text = method_text::render(method);
    let mut text = format!(
        "digraph \"{}\" {{\n  label=\"{}\";\n  labelloc=b;\n  labeljust=l;\n  fontname=\"Courier\";\n  fontsize=10;\n  \
         node [shape=box, fontname=\"Courier\", fontsize=10];\n  edge [fontname=\"Courier\", fontsize=9];\n",
        quoted(&method.name),
        quoted(&text).replace('\n', "\\l")
    );
    for block in method.graph.blocks() {
        text += &node(method, block);
    }
    let counters = method.drawn_counters();
    let paths = method.paths.paths();
    for (number, path) in paths.iter().enumerate() {
        for (&edge, share) in path.edges().iter().zip(path.share_counts()) {
            let counter = counters.iter().position(|&(_, counter)| counter == edge);
            text += &edge_line(method, edge, stroke_of(paths, number), *share, counter);
        }
    }
    text + &legend(method) + "}\n"
}

fn node(method: &ExplainedMethod, block: BlockId) -> String {
    let name = method.block_name(block);
    let Some(described) = method.blocks.get(block.index()) else {
        return format!("  {name} [shape=oval];\n");
    };
    let lines = match described.lines {
        Some((first, last)) if first == last => format!("  :{first}"),
        Some((first, last)) => format!("  :{first}-{last}"),
        None => String::new(),
    };
    let mut label = format!("{name}  {}..{}{lines}\\l", described.first, described.last);
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
        let (colour, _) = stroke_of(method.paths.paths(), place.path.index());
        format!(", color=\"{colour}\"")
    });
    let runs = method.per_run(method.frequencies.block(&method.graph, block));
    format!(
        "  {name} [label=\"{label}\"{border}, tooltip=\"{name} runs {runs:.3} times per call\"];\n"
    )
}

fn edge_line(
    method: &ExplainedMethod,
    edge: EdgeId,
    (colour, style): (&str, &str),
    share: u32,
    counter: Option<usize>,
) -> String {
    let ends = method.graph.edge(edge);
    let (from, to) = (method.block_name(ends.from), method.block_name(ends.to));
    let label = counter.map_or(format!("{share}"), |number| format!("{share}  c{number}"));
    let width = if counter.is_some() { 2.5 } else { 1.2 };
    let times = method.per_run(method.frequencies.edge(edge));
    format!(
        "  {from} -> {to} [color=\"{colour}\", style={style}, penwidth={width}, label=\"{label}\", \
         tooltip=\"{}: {times:.3} per call\"];\n",
        method.edge_name(edge)
    )
}

/// The paths in their colours, one below the other.
fn legend(method: &ExplainedMethod) -> String {
    let mut legend =
        "  subgraph cluster_legend {\n    label=\"\";\n    node [shape=plaintext];\n".to_owned();
    for (number, path) in method.paths.paths().iter().enumerate() {
        let (colour, _) = stroke_of(method.paths.paths(), number);
        let (kind, way) = (kind_name(path.kind()), way(method, path));
        legend += &format!(
            "    P{number} [fontcolor=\"{colour}\", label=\"P{number}  {kind}  {way}\"];\n"
        );
        if let Some(above) = number.checked_sub(1) {
            legend += &format!("    P{above} -> P{number} [style=invis];\n");
        }
    }
    legend + "  }\n"
}

fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
