//! Frequency propagation compared with known frequencies of walks.

use proptest::prelude::*;

use super::drawn_graph::DrawnGraph;
use super::random_graphs::{Sketch, sketch};
use crate::{EdgeFrequencies, EdgeId, FlowRange, Frequencies, Graph, propagate};

/// Counts of the named edges; `None` for the others.
fn counted(drawn: &DrawnGraph, listed: &str) -> Vec<Option<u64>> {
    let all = drawn.frequencies(listed);
    let named = |edge: EdgeId| {
        listed
            .split_whitespace()
            .any(|item| item.starts_with(&format!("{}=", drawn.edge_name(edge))))
    };
    drawn
        .graph
        .edge_ids()
        .map(|edge| named(edge).then(|| all.edge(edge)))
        .collect()
}

#[test]
fn two_counters_determine_a_diamond() {
    let drawn = DrawnGraph::new("^A AB AC BD CD D$");
    let flow = EdgeFrequencies::of(&drawn.graph, &counted(&drawn, "AB=3 D$=10"));
    assert!(flow.is_exact());
    for (name, count) in [
        ("^A", 10),
        ("AB", 3),
        ("AC", 7),
        ("BD", 3),
        ("CD", 7),
        ("D$", 10),
    ] {
        assert_eq!(flow.frequencies().edge(drawn.edge(name)), count, "{name}");
    }
}

#[test]
fn entries_and_counters_are_enough() {
    let drawn = DrawnGraph::new("^A AB AC BD CD D$ !C");
    let frequencies = propagate(
        &drawn.graph,
        Some(10),
        [(drawn.edge("AB"), 3), (drawn.edge("!C"), 0)],
    )
    .into_frequencies();
    assert_eq!(frequencies.edge(drawn.edge("AC")), 7);
    assert_eq!(frequencies.edge(drawn.edge("D$")), 10);
    assert_eq!(frequencies.runs(&drawn.graph), 10);
}

/// A bridge in the middle: the edges between B and E are open, but the flow across is known.
#[test]
fn a_bridge_is_determined_though_no_block_beside_it_is() {
    let drawn = DrawnGraph::new("^A AB AC BD CD DE EF EG FH GH H$");
    let flow = EdgeFrequencies::of(&drawn.graph, &counted(&drawn, "^A=8"));
    assert_eq!(flow.range(drawn.edge("DE")), FlowRange::exactly(8));
    assert_eq!(
        flow.range(drawn.edge("AB")),
        FlowRange {
            least: 0,
            most: Some(8)
        }
    );
    let frequencies = flow.frequencies();
    assert_eq!(
        frequencies.edge(drawn.edge("AB")) + frequencies.edge(drawn.edge("AC")),
        8
    );
}

/// Two diamonds in a row, with only the sum of their arms counted: ranges follow.
#[test]
fn ranges_follow_from_conservation() {
    let drawn = DrawnGraph::new("^A AB AC AD BE CE DE E$");
    let flow = EdgeFrequencies::of(&drawn.graph, &counted(&drawn, "^A=10 AB=6"));
    assert_eq!(
        flow.range(drawn.edge("AC")),
        FlowRange {
            least: 0,
            most: Some(4)
        }
    );
    assert!(!flow.is_exact());
}

/// D runs as often as A, which block-by-block conservation does not see: both arms of the diamonds
/// before and after it may carry the whole flow, so it would allow twice as much.
///
/// ```text
///   P -> Q ------------------------------> R
///     -> A -> B|C -> D -> H -> E|F -> G -/
/// ```
#[test]
fn dominance_bounds_what_conservation_alone_leaves_open() {
    let drawn = DrawnGraph::new("^P PQ PA QR AB AC BD CD DH HE HF EG FG GR R$");
    let flow = EdgeFrequencies::of(&drawn.graph, &counted(&drawn, "^P=10"));
    assert_eq!(
        flow.range(drawn.edge("DH")),
        FlowRange {
            least: 0,
            most: Some(10)
        }
    );
}

/// In a loop, neither block bounds the other if one can be repeated alone.
#[test]
fn a_block_of_an_inner_loop_is_not_bounded_by_its_dominator() {
    let drawn = DrawnGraph::new("^A AB BC CB CD D$ AD");
    let flow = EdgeFrequencies::of(&drawn.graph, &counted(&drawn, "^A=10"));
    assert_eq!(flow.range(drawn.edge("CB")).most, None);
    assert_eq!(flow.range(drawn.edge("AB")).most, Some(10));
}

#[test]
fn contradictions_give_no_negative_count() {
    let drawn = DrawnGraph::new("^A AB AC BD CD D$");
    let flow = EdgeFrequencies::of(&drawn.graph, &counted(&drawn, "^A=5 AB=7"));
    assert_eq!(flow.frequencies().edge(drawn.edge("AC")), 0);
}

#[test]
fn a_throw_is_an_end_like_any_other() {
    let drawn = DrawnGraph::new("^A AB AC C$"); // B throws
    let flow = EdgeFrequencies::of(&drawn.graph, &counted(&drawn, "^A=5 C$=4"));
    assert_eq!(flow.range(drawn.edge("AB")), FlowRange::exactly(1));
    assert!(flow.is_exact());
}

fn truth(sketch: &Sketch) -> (Graph, Frequencies) {
    let graph = sketch.graph();
    let frequencies = sketch.measured(&graph);
    (graph, frequencies)
}

/// Whether an edge is determined, by rank: add it as a column to the others and check whether the
/// rank of the conservation equations over uncounted edges grows. Slow, but independent of the code
/// under test.
fn determined_by_rank(graph: &Graph, counted: &[Option<u64>], edge: EdgeId) -> bool {
    let unknown: Vec<EdgeId> = graph
        .edge_ids()
        .filter(|it| counted[it.index()].is_none())
        .collect();
    let rank = |columns: &[EdgeId]| rank_of_balance(graph, columns);
    let others: Vec<EdgeId> = unknown.iter().copied().filter(|&it| it != edge).collect();
    rank(&unknown) == rank(&others) + 1
}

fn rank_of_balance(graph: &Graph, columns: &[EdgeId]) -> usize {
    let outside = |block| block == graph.entry() || graph.out_edges(block).is_empty();
    let mut rows: Vec<Vec<f64>> = graph
        .blocks()
        .filter(|&block| !outside(block))
        .map(|block| {
            columns
                .iter()
                .map(|&edge| {
                    let edge = graph.edge(edge);
                    f64::from(u8::from(edge.to == block)) - f64::from(u8::from(edge.from == block))
                })
                .collect()
        })
        .collect();
    let mut rank = 0;
    for column in 0..columns.len() {
        let Some(pivot) = (rank..rows.len()).find(|&row| rows[row][column].abs() > 1e-9) else {
            continue;
        };
        rows.swap(rank, pivot);
        let pivot_row = rows[rank].clone();
        for row in rows.iter_mut().skip(rank + 1) {
            let factor = row[column] / pivot_row[column];
            for (value, pivot) in row.iter_mut().zip(&pivot_row) {
                *value -= factor * pivot;
            }
        }
        rank += 1;
    }
    rank
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn ranges_contain_the_truth(sketch in sketch(10), hidden in prop::collection::vec(any::<bool>(), 64)) {
        let (graph, truth) = truth(&sketch);
        let counted: Vec<Option<u64>> = graph
            .edge_ids()
            .map(|edge| (!hidden[edge.index() % hidden.len()]).then(|| truth.edge(edge)))
            .collect();
        let flow = EdgeFrequencies::of(&graph, &counted);
        for edge in graph.edge_ids() {
            let range = flow.range(edge);
            prop_assert!(range.contains(truth.edge(edge)), "{} {:?} {}", edge, range, truth.edge(edge));
            prop_assert!(range.contains(flow.frequencies().edge(edge)));
        }
    }

    #[test]
    fn exactly_the_determined_edges_are_exact(sketch in sketch(7), hidden in prop::collection::vec(any::<bool>(), 64)) {
        let (graph, truth) = truth(&sketch);
        let walk = crate::depth_first::DepthFirst::of(&graph);
        let counted: Vec<Option<u64>> = graph
            .edge_ids()
            .map(|edge| {
                let reachable = walk.is_reachable(graph.edge(edge).from);
                (!reachable || !hidden[edge.index() % hidden.len()]).then(|| truth.edge(edge))
            })
            .collect();
        let mut known = counted.clone();
        crate::flow_balance::balance(&graph, &mut known);
        for edge in graph.edge_ids().filter(|edge| counted[edge.index()].is_none()) {
            let expected = determined_by_rank(&graph, &counted, edge).then(|| truth.edge(edge));
            prop_assert_eq!(known[edge.index()], expected, "{}", edge);
        }
    }
}
