//! Coordinates of the vertices of a layered graph.
//!
//! Layers are stacked from top to bottom. The order within a layer is given. Each vertex is drawn to the weighted mean of
//! its neighbours, but must keep its distance from the adjacent vertices. The positions closest to these wishes (least
//! squares) are found exactly by pooling adjacent violators: vertices that would overlap form a group that moves as one, to
//! the mean of its members' wishes.

use crate::layered_graph::LayeredGraph;

/// Free space between vertices of a layer.
const GAP: f64 = 26.0;
/// Free space between layers.
const LAYER_GAP: f64 = 54.0;
const SWEEPS: usize = 24;

/// The positions of vertices and layers.
#[derive(Clone, Debug)]
pub(crate) struct Coordinates {
    /// Per vertex, the horizontal middle.
    pub(crate) x: Vec<f64>,
    /// Per layer, top and bottom.
    pub(crate) layers: Vec<(f64, f64)>,
}

pub(crate) fn coordinates(graph: &LayeredGraph) -> Coordinates {
    let mut x = packed(graph);
    for sweep in 0..SWEEPS {
        // The first sweeps use one side only, which propagates straight lines far; the last ones use both.
        let (above, below) = match sweep {
            sweep if sweep + 6 >= SWEEPS => (true, true),
            sweep => (sweep % 2 == 0, sweep % 2 == 1),
        };
        improve(graph, &mut x, above, below);
    }
    for _ in 0..2 {
        for chain in &graph.chains {
            straighten(graph, &mut x, chain);
        }
    }
    Coordinates {
        x,
        layers: stacked(graph),
    }
}

/// Gives consecutive bends of an edge the same position, where the adjacent vertices allow it, so that long edges
/// have few curves.
fn straighten(graph: &LayeredGraph, x: &mut [f64], chain: &[usize]) {
    let Some(bends) = chain.get(1..chain.len().saturating_sub(1)) else {
        return;
    };
    let mut rest = bends;
    while !rest.is_empty() {
        let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
        let mut together = 0;
        for &bend in rest {
            let (from, to) = room(graph, x, bend);
            if low.max(from) > high.min(to) {
                break;
            }
            (low, high) = (low.max(from), high.min(to));
            together += 1;
        }
        let (straight, later) = rest.split_at(together.max(1));
        if together > 1 {
            let mean = straight.iter().map(|&bend| x[bend]).sum::<f64>() / together as f64;
            straight
                .iter()
                .for_each(|&bend| x[bend] = mean.max(low).min(high));
        }
        rest = later;
    }
}

/// The range in which a vertex can move without touching the adjacent vertices.
fn room(graph: &LayeredGraph, x: &[f64], vertex: usize) -> (f64, f64) {
    let layer = &graph.layers[graph.vertices[vertex].layer];
    let Some(position) = layer.iter().position(|&other| other == vertex) else {
        return (x[vertex], x[vertex]);
    };
    let distance =
        |other: usize| (graph.vertices[other].width + graph.vertices[vertex].width) / 2.0 + GAP;
    let left = position.checked_sub(1).and_then(|before| layer.get(before));
    let right = layer.get(position + 1);
    (
        left.map_or(f64::NEG_INFINITY, |&other| x[other] + distance(other)),
        right.map_or(f64::INFINITY, |&other| x[other] - distance(other)),
    )
}

fn packed(graph: &LayeredGraph) -> Vec<f64> {
    let mut x = vec![0.0; graph.vertices.len()];
    for layer in &graph.layers {
        let mut next = 0.0;
        for &vertex in layer {
            let width = graph.vertices[vertex].width;
            x[vertex] = next + width / 2.0;
            next += width + GAP;
        }
    }
    x
}

fn stacked(graph: &LayeredGraph) -> Vec<(f64, f64)> {
    let mut top = 0.0;
    let mut layers = Vec::with_capacity(graph.layers.len());
    for layer in &graph.layers {
        let height = layer
            .iter()
            .map(|&vertex| graph.vertices[vertex].height)
            .fold(0.0, f64::max);
        layers.push((top, top + height));
        top += height + LAYER_GAP;
    }
    layers
}

fn improve(graph: &LayeredGraph, x: &mut [f64], above: bool, below: bool) {
    let mut wishes: Vec<Vec<(usize, f64)>> = vec![Vec::new(); x.len()];
    for segment in &graph.segments {
        if above {
            wishes[segment.lower].push((segment.upper, segment.importance));
        }
        if below {
            wishes[segment.upper].push((segment.lower, segment.importance));
        }
    }
    let layers = graph.layers.len();
    for step in 0..layers {
        let layer = &graph.layers[if above { step } else { layers - 1 - step }];
        let wanted: Vec<(f64, f64)> = layer
            .iter()
            .map(|&vertex| wish(x, vertex, &wishes[vertex]))
            .collect();
        for (&vertex, place) in layer.iter().zip(closest(graph, layer, &wanted)) {
            x[vertex] = place;
        }
    }
}

/// The position that a vertex is drawn to, and how strongly.
fn wish(x: &[f64], vertex: usize, wishes: &[(usize, f64)]) -> (f64, f64) {
    let weight: f64 = wishes.iter().map(|(_, importance)| importance).sum();
    if weight <= 0.0 {
        return (x[vertex], 0.01);
    }
    (
        wishes
            .iter()
            .map(|&(other, importance)| x[other] * importance)
            .sum::<f64>()
            / weight,
        weight,
    )
}

/// Vertices that move as one: one position, in coordinates without the distances between vertices.
struct Group {
    place: f64,
    weight: f64,
    members: usize,
}

/// The positions, in order, that keep all distances and are closest to the wishes.
fn closest(graph: &LayeredGraph, layer: &[usize], wanted: &[(f64, f64)]) -> Vec<f64> {
    let mut offset = 0.0;
    let mut offsets = Vec::with_capacity(layer.len());
    for (position, &vertex) in layer.iter().enumerate() {
        if let Some(before) = position.checked_sub(1).map(|before| layer[before]) {
            offset += (graph.vertices[before].width + graph.vertices[vertex].width) / 2.0 + GAP;
        }
        offsets.push(offset);
    }
    let mut groups: Vec<Group> = Vec::new();
    for (&(place, weight), offset) in wanted.iter().zip(&offsets) {
        let mut group = Group {
            place: place - offset,
            weight,
            members: 1,
        };
        while let Some(before) = groups.pop_if(|before| before.place > group.place) {
            let weight = before.weight + group.weight;
            group.place = (before.place * before.weight + group.place * group.weight) / weight;
            group.weight = weight;
            group.members += before.members;
        }
        groups.push(group);
    }
    let places = groups
        .iter()
        .flat_map(|group| std::iter::repeat_n(group.place, group.members));
    places
        .zip(offsets)
        .map(|(place, offset)| place + offset)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered_graph::{Drawing, LayeredGraph, Link};
    use crate::vertex_order::reduce_crossings;

    fn laid_out(nodes: usize, links: &[(usize, usize)]) -> (LayeredGraph, Coordinates) {
        let links = links
            .iter()
            .map(|&(from, to)| Link {
                from,
                to,
                importance: 1.0,
            })
            .collect();
        let drawing = Drawing {
            sizes: vec![(60.0, 30.0); nodes],
            links,
            root: 0,
        };
        let mut graph = LayeredGraph::of(&drawing);
        reduce_crossings(&mut graph);
        let found = coordinates(&graph);
        (graph, found)
    }

    #[test]
    fn nothing_overlaps_and_layers_descend() {
        let links = [
            (0, 1),
            (0, 2),
            (0, 3),
            (1, 4),
            (2, 4),
            (3, 5),
            (4, 6),
            (5, 6),
            (6, 0),
            (0, 6),
            (2, 2),
        ];
        let (graph, found) = laid_out(7, &links);
        for layer in &graph.layers {
            for pair in layer.windows(2) {
                let distance =
                    (graph.vertices[pair[0]].width + graph.vertices[pair[1]].width) / 2.0 + GAP;
                assert!(found.x[pair[1]] - found.x[pair[0]] > distance - 1e-6);
            }
        }
        for pair in found.layers.windows(2) {
            assert!(pair[1].0 - pair[0].1 >= LAYER_GAP - 1e-6);
        }
    }

    #[test]
    fn a_chain_is_straight() {
        let (graph, found) = laid_out(4, &[(0, 1), (1, 2), (2, 3)]);
        assert_eq!(graph.layers.len(), 4);
        for pair in found.x.windows(2) {
            assert!((pair[0] - pair[1]).abs() < 1e-6);
        }
    }

    /// The arms of a diamond are beside each other, its head and foot in the middle.
    #[test]
    fn a_diamond_is_symmetric() {
        let (graph, found) = laid_out(4, &[(0, 1), (0, 2), (1, 3), (2, 3)]);
        let at = |node: usize| {
            let vertex = graph
                .vertices
                .iter()
                .position(|vertex| vertex.node == Some(node))
                .expect("a vertex");
            found.x[vertex]
        };
        assert!((at(0) - f64::midpoint(at(1), at(2))).abs() < 1.0);
        assert!((at(3) - at(0)).abs() < 1.0);
    }
}
