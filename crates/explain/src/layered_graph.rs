//! A directed graph cut into layers, for drawing (K. Sugiyama, S. Tagawa, M. Toda, 1981).
//!
//! Edges that close a cycle of a depth-first walk are reversed. Each node gets the layer after its lowest
//! predecessor. An edge that spans several layers is cut into segments at *bends*, one in each layer between. Nodes
//! and bends are the *vertices*. The next steps order each layer ([`vertex_order`](crate::vertex_order)) and compute
//! coordinates ([`coordinates`](crate::coordinates)).

/// The graph to be drawn.
#[derive(Clone, Debug, Default)]
pub(crate) struct Drawing {
    /// Width and height of each node.
    pub(crate) sizes: Vec<(f64, f64)>,
    pub(crate) links: Vec<Link>,
    /// The node at the top.
    pub(crate) root: usize,
}

/// An edge to be drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// How important it is that the edge is short and straight.
    pub(crate) importance: f64,
}

/// A node or a bend of an edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Vertex {
    /// The node; `None` for a bend.
    pub(crate) node: Option<usize>,
    /// The reserved width; more than the node's own if a self-loop is drawn beside it.
    pub(crate) width: f64,
    pub(crate) height: f64,
    pub(crate) layer: usize,
}

/// The part of an edge between adjacent layers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment {
    pub(crate) upper: usize,
    pub(crate) lower: usize,
    pub(crate) importance: f64,
}

/// The layered graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct LayeredGraph {
    pub(crate) vertices: Vec<Vertex>,
    pub(crate) segments: Vec<Segment>,
    /// The vertices of each layer, from left to right.
    pub(crate) layers: Vec<Vec<usize>>,
    /// For each link, its vertices from top to bottom; empty for a link of a node to itself.
    pub(crate) chains: Vec<Vec<usize>>,
    /// For each link, whether it was reversed: it leads from bottom to top.
    pub(crate) upwards: Vec<bool>,
}

/// The reserved width of a bend.
const BEND_WIDTH: f64 = 14.0;

impl LayeredGraph {
    pub(crate) fn of(drawing: &Drawing) -> Self {
        let walk = Walk::of(drawing);
        let layer = layers(drawing, &walk);
        let mut graph = Self {
            upwards: walk.upwards,
            ..Self::default()
        };
        graph.layers = vec![Vec::new(); layer.iter().max().map_or(0, |last| last + 1)];
        // Nodes in the order of the walk, which visits important edges first: a good initial order.
        let mut vertex_of = vec![0; drawing.sizes.len()];
        for &node in &walk.order {
            let (width, height) = reserved(drawing, node);
            vertex_of[node] = graph.add(Vertex {
                node: Some(node),
                width,
                height,
                layer: layer[node],
            });
        }
        for (number, link) in drawing.links.iter().enumerate() {
            let chain = if link.from == link.to {
                Vec::new()
            } else if graph.upwards[number] {
                graph.chain(vertex_of[link.to], vertex_of[link.from], link.importance)
            } else {
                graph.chain(vertex_of[link.from], vertex_of[link.to], link.importance)
            };
            graph.chains.push(chain);
        }
        graph
    }

    fn add(&mut self, vertex: Vertex) -> usize {
        self.layers[vertex.layer].push(self.vertices.len());
        self.vertices.push(vertex);
        self.vertices.len() - 1
    }

    fn chain(&mut self, upper: usize, lower: usize, importance: f64) -> Vec<usize> {
        let mut chain = vec![upper];
        for layer in self.vertices[upper].layer + 1..self.vertices[lower].layer {
            chain.push(self.add(Vertex {
                node: None,
                width: BEND_WIDTH,
                height: 0.0,
                layer,
            }));
        }
        chain.push(lower);
        for pair in chain.windows(2) {
            let bends = pair
                .iter()
                .filter(|&&vertex| self.vertices[vertex].node.is_none())
                .count();
            // Segments between bends should be straight above all.
            let importance = importance * [1.0, 2.0, 8.0][bends];
            self.segments.push(Segment {
                upper: pair[0],
                lower: pair[1],
                importance,
            });
        }
        chain
    }
}

/// How far a self-loop reaches out of its node.
pub(crate) const SELF_LOOP_WIDTH: f64 = 34.0;

/// The space that a node takes. Its box is in the middle of it.
fn reserved(drawing: &Drawing, node: usize) -> (f64, f64) {
    let (width, height) = drawing.sizes[node];
    let loops = drawing
        .links
        .iter()
        .any(|link| link.from == node && link.to == node);
    if loops {
        (width + 2.0 * SELF_LOOP_WIDTH, height)
    } else {
        (width, height)
    }
}

/// A depth-first walk that takes important links first.
struct Walk {
    /// All nodes, each before its successors, except along reversed links.
    order: Vec<usize>,
    upwards: Vec<bool>,
}

#[derive(Clone, Copy, PartialEq)]
enum Visit {
    Unseen,
    Open,
    Closed,
}

impl Walk {
    fn of(drawing: &Drawing) -> Self {
        let nodes = drawing.sizes.len();
        let mut out: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for (number, link) in drawing.links.iter().enumerate() {
            out[link.from].push(number);
        }
        for links in &mut out {
            links.sort_by(|&a, &b| {
                drawing.links[a]
                    .importance
                    .total_cmp(&drawing.links[b].importance)
            });
        }
        let mut visit = vec![Visit::Unseen; nodes];
        let mut walk = Self {
            order: Vec::with_capacity(nodes),
            upwards: vec![false; drawing.links.len()],
        };
        for start in std::iter::once(drawing.root).chain(0..nodes) {
            if start < nodes && visit[start] == Visit::Unseen {
                walk.from(start, drawing, &out, &mut visit);
            }
        }
        walk.order.reverse();
        walk
    }

    fn from(&mut self, start: usize, drawing: &Drawing, out: &[Vec<usize>], visit: &mut [Visit]) {
        let mut stack = vec![(start, 0)];
        visit[start] = Visit::Open;
        while let Some((node, next)) = stack.last_mut() {
            let Some(&link) = out[*node].get(*next) else {
                visit[*node] = Visit::Closed;
                self.order.push(*node);
                stack.pop();
                continue;
            };
            *next += 1;
            let to = drawing.links[link].to;
            match visit[to] {
                Visit::Unseen => {
                    visit[to] = Visit::Open;
                    stack.push((to, 0));
                }
                Visit::Open => self.upwards[link] = to != drawing.links[link].from,
                Visit::Closed => {}
            }
        }
    }
}

/// The layer of each node: one below its lowest predecessor. Then nodes are lowered if that makes important links
/// shorter.
fn layers(drawing: &Drawing, walk: &Walk) -> Vec<usize> {
    let downwards = || {
        let links = drawing
            .links
            .iter()
            .enumerate()
            .filter(|(_, link)| link.from != link.to);
        links.map(|(number, link)| {
            if walk.upwards[number] {
                (link.to, link.from, link.importance)
            } else {
                (link.from, link.to, link.importance)
            }
        })
    };
    let mut below: Vec<Vec<(usize, f64)>> = vec![Vec::new(); drawing.sizes.len()];
    let mut pull_up = vec![0.0; drawing.sizes.len()];
    for (upper, lower, importance) in downwards() {
        below[upper].push((lower, importance));
        pull_up[lower] += importance;
    }
    let mut layer = vec![0; drawing.sizes.len()];
    for &node in &walk.order {
        for &(lower, _) in &below[node] {
            layer[lower] = layer[lower].max(layer[node] + 1);
        }
    }
    for &node in walk.order.iter().rev() {
        let pull_down: f64 = below[node].iter().map(|(_, importance)| importance).sum();
        let lowest = below[node].iter().map(|&(lower, _)| layer[lower]).min();
        if let Some(lowest) = lowest.filter(|_| pull_down > pull_up[node] && node != drawing.root) {
            layer[node] = layer[node].max(lowest - 1);
        }
    }
    layer
}
