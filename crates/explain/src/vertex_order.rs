//! The order of vertices within their layers, with few crossings.
//!
//! The barycenter method: in sweeps from top to bottom and back, each layer is sorted by the mean position of each
//! vertex's neighbours in the previous layer. The best order found is kept.

use crate::layered_graph::LayeredGraph;

const SWEEPS: usize = 16;

/// Reorders the layers.
pub(crate) fn reduce_crossings(graph: &mut LayeredGraph) {
    let neighbours = Neighbours::of(graph);
    let mut best = (crossings(graph), graph.layers.clone());
    for sweep in 0..SWEEPS {
        let downwards = sweep % 2 == 0;
        sweep_once(graph, &neighbours, downwards);
        let found = crossings(graph);
        if found < best.0 {
            best = (found, graph.layers.clone());
        }
        if best.0 == 0 {
            break;
        }
    }
    graph.layers = best.1;
}

struct Neighbours {
    above: Vec<Vec<usize>>,
    below: Vec<Vec<usize>>,
}

impl Neighbours {
    fn of(graph: &LayeredGraph) -> Self {
        let mut above = vec![Vec::new(); graph.vertices.len()];
        let mut below = above.clone();
        for segment in &graph.segments {
            above[segment.lower].push(segment.upper);
            below[segment.upper].push(segment.lower);
        }
        Self { above, below }
    }
}

fn sweep_once(graph: &mut LayeredGraph, neighbours: &Neighbours, downwards: bool) {
    let mut position = positions(graph);
    let layers = graph.layers.len();
    for step in 0..layers {
        let layer = if downwards { step } else { layers - 1 - step };
        let fixed = if downwards {
            &neighbours.above
        } else {
            &neighbours.below
        };
        let mean = |vertex: usize| {
            let around = &fixed[vertex];
            if around.is_empty() {
                return position[vertex];
            }
            around.iter().map(|&other| position[other]).sum::<f64>() / around.len() as f64
        };
        let mut order: Vec<(f64, usize)> = graph.layers[layer]
            .iter()
            .map(|&vertex| (mean(vertex), vertex))
            .collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0));
        graph.layers[layer] = order.into_iter().map(|(_, vertex)| vertex).collect();
        for (place, &vertex) in graph.layers[layer].iter().enumerate() {
            position[vertex] = place as f64;
        }
    }
}

fn positions(graph: &LayeredGraph) -> Vec<f64> {
    let mut position = vec![0.0; graph.vertices.len()];
    for layer in &graph.layers {
        for (place, &vertex) in layer.iter().enumerate() {
            position[vertex] = place as f64;
        }
    }
    position
}

/// The number of crossing pairs of segments: inversions between the orders of their ends.
fn crossings(graph: &LayeredGraph) -> usize {
    let position = positions(graph);
    let mut between: Vec<Vec<(f64, f64)>> = vec![Vec::new(); graph.layers.len()];
    for segment in &graph.segments {
        let layer = graph.vertices[segment.upper].layer;
        between[layer].push((position[segment.upper], position[segment.lower]));
    }
    between.iter_mut().map(|pairs| inversions(pairs)).sum()
}

fn inversions(pairs: &mut [(f64, f64)]) -> usize {
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let mut lower: Vec<f64> = Vec::with_capacity(pairs.len());
    let mut count = 0;
    for (_, end) in pairs {
        let at = lower.partition_point(|other| *other <= *end);
        count += lower.len() - at;
        lower.insert(at, *end);
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layered_graph::{Drawing, Link};

    #[test]
    fn a_diamond_with_crossed_arms_is_untangled() {
        // 0 -> 1 2 3, each linked to one of 4 5 6 so that all links cross.
        let link = |from, to| Link {
            from,
            to,
            importance: 1.0,
        };
        let links = vec![
            link(0, 1),
            link(0, 2),
            link(0, 3),
            link(1, 6),
            link(2, 5),
            link(3, 4),
        ];
        let drawing = Drawing {
            sizes: vec![(10.0, 10.0); 7],
            links,
            root: 0,
        };
        let mut graph = LayeredGraph::of(&drawing);
        graph.layers[1].sort_unstable();
        graph.layers[2].sort_unstable();
        reduce_crossings(&mut graph);
        assert_eq!(crossings(&graph), 0);
    }

    #[test]
    fn inversions_are_counted() {
        assert_eq!(inversions(&mut [(0.0, 1.0), (1.0, 0.0)]), 1);
        assert_eq!(inversions(&mut [(0.0, 2.0), (1.0, 1.0), (2.0, 0.0)]), 3);
        assert_eq!(inversions(&mut [(0.0, 0.0), (0.0, 1.0), (1.0, 1.0)]), 0);
    }
}
