//! A method's graph as a self-contained SVG picture: the graph on the left, its legend on the right.
//!
//! It uses no scripts and no external fonts or files. Colours follow the viewer's preference for light or dark. All text is
//! in a monospaced font, so that its width is known here.

use ducktrack_path_counters::{BlockId, EdgeId};

use crate::explained_method::ExplainedMethod;
use crate::layered_graph::{Drawing, Link};
use crate::legend::{Entry, legend};
use crate::palette::{all_strokes, stroke_class, stroke_of};
use crate::routes::{Layout, Point, Rectangle, lay_out};
use crate::style_sheet::style_sheet;

/// Width of a character at the font size of boxes.
const CHARACTER: f64 = 6.65;
const LINE: f64 = 14.0;
const MARGIN: f64 = 24.0;
const HEAD: f64 = 34.0;
const LEGEND_GAP: f64 = 40.0;

/// The picture of a method.
pub(crate) fn render(method: &ExplainedMethod) -> String {
    let layout = layout(method);
    let entries = legend(method);
    let legend_width = entries.iter().map(Entry::width).fold(0.0, f64::max) * CHARACTER;
    let legend_height = entries.len() as f64 * LINE;
    let title_width = method.name.chars().count() as f64 * CHARACTER * 1.25;
    let width = (layout.width + LEGEND_GAP + legend_width).max(title_width) + 2.0 * MARGIN;
    let height = HEAD + layout.height.max(legend_height) + 2.0 * MARGIN;

    let mut svg = Svg::start(width, height, &method.name);
    svg.push(&format!(
        "<g transform=\"translate({MARGIN} {})\">\n",
        HEAD + MARGIN
    ));
    draw_graph(&mut svg, method, &layout);
    svg.push("</g>\n");
    let x = MARGIN + layout.width + LEGEND_GAP;
    svg.push(&format!(
        "<g transform=\"translate({x:.0} {:.0})\">\n",
        HEAD + MARGIN
    ));
    draw_legend(&mut svg, &entries);
    svg.push("</g>\n</svg>\n");
    svg.text
}

/// The positions of all boxes and lines.
pub(crate) fn layout(method: &ExplainedMethod) -> Layout {
    lay_out(&drawing(method))
}

/// The lines of a block's box.
fn box_lines(method: &ExplainedMethod, block: BlockId) -> Vec<String> {
    let Some(described) = method.blocks.get(block.index()) else {
        return vec![method.block_name(block)];
    };
    let lines = match described.lines {
        Some((first, last)) if first == last => format!("  :{first}"),
        Some((first, last)) => format!("  :{first}-{last}"),
        None => String::new(),
    };
    let mut text = vec![format!(
        "{}  {}..{}{lines}",
        method.block_name(block),
        described.first,
        described.last
    )];
    for site in &described.sites {
        if let Some(there) = method.sites.get(site.index()) {
            let marks = method.in_code.marks_of(site.index());
            text.push(format!("s{} {}{marks}", site.as_u32(), there.short()));
        }
    }
    text
}

fn drawing(method: &ExplainedMethod) -> Drawing {
    let sizes = method.graph.blocks().map(|block| {
        let lines = box_lines(method, block);
        let longest = lines
            .iter()
            .map(|line| line.chars().count())
            .max()
            .unwrap_or(0);
        (
            longest as f64 * CHARACTER + 18.0,
            lines.len() as f64 * LINE + 10.0,
        )
    });
    let runs = method.frequencies.runs(&method.graph).max(1) as f64;
    let links = method.graph.edge_ids().map(|edge| {
        let ends = method.graph.edge(edge);
        let frequency = method.frequencies.edge(edge) as f64 / runs;
        let importance = if ends.exceptional {
            0.05
        } else {
            0.3 + 4.0 * frequency.min(1.0)
        };
        Link {
            from: ends.from.index(),
            to: ends.to.index(),
            importance,
        }
    });
    Drawing {
        sizes: sizes.collect(),
        links: links.collect(),
        root: method.graph.entry().index(),
    }
}

struct Svg {
    text: String,
}

impl Svg {
    fn start(width: f64, height: f64, title: &str) -> Self {
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" \
             height=\"{height:.0}\" role=\"img\">\n<title>{}</title>\n<style>\n{}</style>\n",
            escaped(title),
            style_sheet()
        );
        text += "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n";
        text += &format!(
            "<text class=\"title\" x=\"{MARGIN}\" y=\"{:.0}\">{}</text>\n",
            MARGIN + 10.0,
            escaped(title)
        );
        Self { text }
    }

    fn push(&mut self, markup: &str) {
        self.text.push_str(markup);
    }

    fn text_at(&mut self, class: &str, x: f64, y: f64, text: &str) {
        self.push(&format!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" xml:space=\"preserve\">{}</text>\n",
            escaped(text)
        ));
    }
}

fn draw_graph(svg: &mut Svg, method: &ExplainedMethod, layout: &Layout) {
    let mut labels = Labels::default();
    for shape in &layout.boxes {
        labels.keep_free(*shape);
    }
    let paths = method.paths.paths();
    // The hot path is drawn last, so that it is on top.
    for (number, path) in paths.iter().enumerate().rev() {
        let class = stroke_class(&stroke_of(paths, number));
        for &edge in path.edges() {
            draw_edge(
                svg,
                method,
                layout,
                edge,
                class,
                path.counter_edge() == Some(edge),
            );
        }
    }
    for block in method.graph.blocks() {
        draw_block(svg, method, layout.boxes[block.index()], block);
    }
    let counters = method.drawn_counters();
    for (number, path) in paths.iter().enumerate() {
        let class = stroke_class(&stroke_of(paths, number));
        for (&edge, share) in path.edges().iter().zip(path.share_counts()) {
            let counter = counters.iter().position(|&(_, counter)| counter == edge);
            draw_label(svg, &mut labels, layout, edge, class, *share, counter);
        }
    }
}

fn draw_edge(
    svg: &mut Svg,
    method: &ExplainedMethod,
    layout: &Layout,
    edge: EdgeId,
    class: usize,
    place: bool,
) {
    let mut counters = method.drawn_counters().into_iter();
    let counted = counters.any(|(_, counter)| counter == edge);
    let thick = if place && counted { " counted" } else { "" };
    svg.push(&format!(
        "<path class=\"edge p{class}{thick}\" marker-end=\"url(#a{class})\" d=\"{}\"><title>{}: {:.3} per call</title></path>\n",
        layout.routes[edge.index()].svg_path(),
        escaped(&method.edge_name(edge)),
        method.per_run(method.frequencies.edge(edge))
    ));
}

fn draw_block(svg: &mut Svg, method: &ExplainedMethod, shape: Rectangle, block: BlockId) {
    let paths = method.paths.paths();
    let class = match method.paths.place_of(block) {
        Some(place) => format!(
            "block b{}",
            stroke_class(&stroke_of(paths, place.path.index()))
        ),
        None => "block".to_owned(),
    };
    let is_virtual = method.blocks.get(block.index()).is_none();
    let radius = if is_virtual { shape.height / 2.0 } else { 4.0 };
    let runs = method.per_run(method.frequencies.block(&method.graph, block));
    svg.push(&format!(
        "<g><title>{} runs {runs:.3} times per call</title>\
         <rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{radius:.1}\"/>\n",
        method.block_name(block),
        shape.x,
        shape.y,
        shape.width,
        shape.height
    ));
    for (number, line) in box_lines(method, block).iter().enumerate() {
        let class = if number == 0 { "name" } else { "site" };
        svg.text_at(
            class,
            shape.x + 9.0,
            shape.y + 15.0 + number as f64 * LINE,
            line,
        );
    }
    svg.push("</g>\n");
}

/// The places that labels occupy.
#[derive(Default)]
struct Labels {
    taken: Vec<Rectangle>,
}

impl Labels {
    fn keep_free(&mut self, shape: Rectangle) {
        self.taken.push(shape);
    }

    fn is_free(&self, wanted: &Rectangle) -> bool {
        self.taken.iter().all(|taken| {
            wanted.x + wanted.width < taken.x
                || taken.x + taken.width < wanted.x
                || wanted.y + wanted.height < taken.y
                || taken.y + taken.height < wanted.y
        })
    }

    /// The first free candidate, or the first one if none is free.
    fn place(&mut self, candidates: &[Point], width: f64, height: f64) -> Point {
        let around = |at: &Point| Rectangle {
            x: at.x - width / 2.0,
            y: at.y - height / 2.0,
            width,
            height,
        };
        let free = candidates.iter().find(|at| self.is_free(&around(at)));
        let at = free
            .or(candidates.first())
            .copied()
            .unwrap_or(Point { x: 0.0, y: 0.0 });
        self.keep_free(around(&at));
        at
    }
}

fn draw_label(
    svg: &mut Svg,
    labels: &mut Labels,
    layout: &Layout,
    edge: EdgeId,
    class: usize,
    share: u32,
    counter: Option<usize>,
) {
    let route = &layout.routes[edge.index()];
    let candidates = [0.5, 0.35, 0.65, 0.25, 0.75].map(|part| route.label_point(part));
    let text = counter.map_or(share.to_string(), |number| format!("c{number}"));
    let width = text.chars().count() as f64 * CHARACTER + 9.0;
    let at = labels.place(&candidates, width, 15.0);
    let class = if counter.is_some() {
        format!("badge f{class}")
    } else {
        "share".to_owned()
    };
    svg.push(&format!(
        "<rect class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"15\" rx=\"7.5\"/>\n",
        at.x - width / 2.0,
        at.y - 7.5
    ));
    let class = if counter.is_some() {
        "in-badge"
    } else {
        "in-share"
    };
    svg.text_at(class, at.x, at.y + 4.0, &text);
}

fn draw_legend(svg: &mut Svg, entries: &[Entry]) {
    for (row, entry) in entries.iter().enumerate() {
        let y = row as f64 * LINE + 11.0;
        match entry {
            Entry::Blank => {}
            Entry::Heading(text) => svg.text_at("heading", 0.0, y, text),
            Entry::Line { stroke, text } => {
                if let Some(stroke) = stroke {
                    let class = stroke_class(stroke);
                    svg.push(&format!(
                        "<path class=\"edge p{class}\" d=\"M0 {0:.1}H32\"/>\n",
                        y - 4.0
                    ));
                }
                svg.text_at("legend", Entry::INDENT * CHARACTER, y, text);
            }
            Entry::Counter {
                number,
                stroke,
                text,
            } => {
                let label = format!("c{number}");
                let width = label.chars().count() as f64 * CHARACTER + 9.0;
                let class = stroke_class(stroke);
                svg.push(&format!(
                    "<rect class=\"badge f{class}\" x=\"0\" y=\"{:.1}\" width=\"{width:.1}\" height=\"15\" rx=\"7.5\"/>\n",
                    y - 11.5
                ));
                svg.text_at("in-badge", width / 2.0, y, &label);
                svg.text_at("legend", Entry::INDENT * CHARACTER, y, text);
            }
        }
    }
    // Arrow heads in the colours of the paths.
    svg.push("<defs>\n");
    for class in 0..all_strokes().count() {
        svg.push(&format!(
            "<marker id=\"a{class}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" markerHeight=\"9\" \
             markerUnits=\"userSpaceOnUse\" orient=\"auto\"><path class=\"f{class}\" d=\"M0 0L10 5L0 10z\"/></marker>\n"
        ));
    }
    svg.push("</defs>\n");
}

fn escaped(text: &str) -> String {
    text.chars()
        .fold(String::with_capacity(text.len()), |mut safe, character| {
            match character {
                '&' => safe.push_str("&amp;"),
                '<' => safe.push_str("&lt;"),
                '>' => safe.push_str("&gt;"),
                '"' => safe.push_str("&quot;"),
                // These characters are not allowed in XML at all, but names in class files may contain them.
                control if control < ' ' || matches!(control, '\u{fffe}' | '\u{ffff}') => {
                    safe.push('\u{fffd}')
                }
                other => safe.push(other),
            }
            safe
        })
}
