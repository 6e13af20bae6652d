//! Random graphs, reducible or not, with random runs: the counters, plus what is owed where a run
//! was cut short, give exactly what was executed.

use proptest::prelude::*;

use super::random_walk::Walk;
use crate::{
    BlockId, Choice, EdgeId, Frequencies, Graph, GraphBuilder, Limits, PathSet, Placement,
    PlacementKind, SiteId, choose,
};

const NO_LIMIT: usize = usize::MAX;

/// A graph as plain numbers, so that proptest can shrink it.
#[derive(Clone, Debug)]
pub(super) struct Sketch {
    /// Per block: successors, as numbers modulo the number of blocks and EXIT.
    successors: Vec<Vec<u32>>,
    /// Per block: its sites.
    sites: Vec<Vec<u32>>,
    handlers: Vec<u32>,
    walks: Vec<Vec<u32>>,
    /// Where to put the counters of paths, modulo their lengths.
    positions: Vec<u32>,
}

pub(super) fn sketch(most_blocks: usize) -> impl Strategy<Value = Sketch> {
    (1..=most_blocks).prop_flat_map(|blocks| {
        let successors = prop::collection::vec(any::<u32>(), 0..=3);
        let sites = prop_oneof![2 => Just(Vec::new()), 3 => prop::collection::vec(0..12u32, 1..=3)];
        let walk = prop::collection::vec(any::<u32>(), 0..60);
        (
            prop::collection::vec(successors, blocks),
            prop::collection::vec(sites, blocks),
            prop::collection::vec(any::<u32>(), 0..=2),
            prop::collection::vec(walk, 1..24),
            prop::collection::vec(any::<u32>(), 8),
        )
            .prop_map(|(successors, sites, handlers, walks, positions)| Sketch {
                successors,
                sites,
                handlers,
                walks,
                positions,
            })
    })
}

impl Sketch {
    pub(super) fn graph(&self) -> Graph {
        let count = self.successors.len() as u32;
        let mut builder = GraphBuilder::new(count as usize);
        let (entry, exit) = (builder.entry(), builder.exit());
        builder.edge(entry, BlockId::new(0));
        for (block, successors) in (0..).map(BlockId::new).zip(&self.successors) {
            for successor in successors {
                // EXIT is as likely as two blocks together, so that many walks complete.
                let to = successor % (count + 2);
                builder.edge(block, if to < count { BlockId::new(to) } else { exit });
            }
        }
        for handler in &self.handlers {
            builder.exceptional_edge(BlockId::new(handler % count));
        }
        for (block, sites) in (0..).map(BlockId::new).zip(&self.sites) {
            for &site in sites {
                builder.site(block, SiteId::new(site));
            }
        }
        builder.build().expect("a well-formed graph")
    }

    fn walks(&self, graph: &Graph) -> Vec<Walk> {
        self.walks
            .iter()
            .map(|choices| Walk::by_choices(graph, choices))
            .collect()
    }

    /// Frequencies of the complete walks, so that they obey conservation.
    pub(super) fn measured(&self, graph: &Graph) -> Frequencies {
        let mut of_edge = vec![0; graph.edge_count()];
        for walk in self
            .walks(graph)
            .iter()
            .filter(|walk| walk.is_complete(graph))
        {
            for edge in walk.edges() {
                of_edge[edge.index()] += 1;
            }
        }
        Frequencies::measured(graph, of_edge)
    }
}

fn assert_exact(graph: &Graph, walks: &[Walk], placement: &Placement) {
    for walk in walks {
        assert_eq!(
            walk.counted(graph, placement),
            walk.executed(graph),
            "{:?}",
            placement.kind()
        );
    }
    for counter in placement.counters() {
        assert!(!counter.semantics.is_zero());
    }
    assert!(placement.potential(graph.entry()).is_zero());
    assert!(placement.potential(graph.exit()).is_zero());
}

/// The weight of a set of counters before empty ones are dropped.
fn weight(graph: &Graph, frequencies: &Frequencies, edges: impl Iterator<Item = EdgeId>) -> u64 {
    edges
        .filter(|&edge| !graph.edge(edge).exceptional)
        .map(|edge| frequencies.edge(edge))
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn every_placement_is_exact(sketch in sketch(12)) {
        let graph = sketch.graph();
        let walks = sketch.walks(&graph);
        for frequencies in [Frequencies::estimated(&graph), sketch.measured(&graph)] {
            let paths = PathSet::build(&graph, &frequencies);
            assert_exact(&graph, &walks, &Placement::of_paths(&graph, &paths, NO_LIMIT).expect("no limit"));
            let forest = Placement::of_spanning_forest(&graph, &frequencies, NO_LIMIT).expect("no limit");
            assert_exact(&graph, &walks, &forest);
            let refined = forest.refined(&graph, &frequencies, NO_LIMIT).expect("no limit");
            assert_exact(&graph, &walks, &refined);
            prop_assert!(refined.increments(&graph, &frequencies) <= forest.increments(&graph, &frequencies));
        }
        assert_exact(&graph, &walks, &Placement::per_block(&graph));
    }

    #[test]
    fn counters_may_be_anywhere_on_their_paths(sketch in sketch(9)) {
        let graph = sketch.graph();
        let mut paths = PathSet::build(&graph, &Frequencies::estimated(&graph));
        for number in 0..paths.paths().len() {
            let path = crate::PathId::at(number);
            if paths.path(path).counter_position().is_some() {
                let wanted = sketch.positions[number % sketch.positions.len()] as usize;
                let position = wanted % paths.path(path).edges().len();
                paths.move_counter(path, position);
            }
        }
        let placement = Placement::of_paths(&graph, &paths, NO_LIMIT).expect("no limit");
        assert_exact(&graph, &sketch.walks(&graph), &placement);
        for (path, components) in paths.paths().iter().zip(paths.components(&graph)) {
            let Some(edge) = path.counter_edge() else { continue };
            let counter = placement.counter_on(edge).map(|it| it.semantics.clone()).unwrap_or_default();
            prop_assert_eq!(components.sum(), counter);
        }
    }

    #[test]
    fn paths_own_every_block_and_edge_once(sketch in sketch(14)) {
        let graph = sketch.graph();
        let paths = PathSet::build(&graph, &Frequencies::estimated(&graph));
        let mut edges: Vec<EdgeId> = paths.paths().iter().flat_map(|path| path.edges().to_vec()).collect();
        edges.sort_unstable();
        let mut blocks: Vec<BlockId> = paths.paths().iter().flat_map(|path| path.blocks().to_vec()).collect();
        blocks.sort_unstable();
        let reachable = crate::depth_first::DepthFirst::of(&graph);
        let expected: Vec<EdgeId> = reachable.reachable_edges(&graph).collect();
        prop_assert_eq!(edges, expected);
        let expected: Vec<BlockId> = graph
            .blocks()
            .filter(|&block| reachable.is_reachable(block) && block < graph.entry())
            .collect();
        prop_assert_eq!(blocks, expected);
        for (number, path) in paths.paths().iter().enumerate() {
            for other in [Some(path.branching_block()), path.joining_block()].into_iter().flatten() {
                if let Some(place) = paths.place_of(other) {
                    prop_assert!(place.path.index() < number, "path{} depends on {}", number, place.path);
                }
            }
            for (position, &edge) in path.edges().iter().enumerate() {
                let before = position.checked_sub(1).map(|it| path.blocks()[it]);
                prop_assert_eq!(graph.edge(edge).from, before.unwrap_or(path.branching_block()));
            }
        }
    }

    #[test]
    fn the_forest_is_no_heavier_than_the_paths(sketch in sketch(12)) {
        let graph = sketch.graph();
        for frequencies in [Frequencies::estimated(&graph), sketch.measured(&graph)] {
            let free = crate::spanning_forest::forest_edges(&graph, &frequencies);
            let reachable = crate::depth_first::DepthFirst::of(&graph);
            let forest = weight(
                &graph,
                &frequencies,
                reachable.reachable_edges(&graph).filter(|edge| !free.contains(edge)),
            );
            let paths = PathSet::build(&graph, &frequencies);
            let by_paths = weight(
                &graph,
                &frequencies,
                paths.paths().iter().filter_map(|path| path.counter_edge()),
            );
            prop_assert!(forest <= by_paths, "forest {} paths {}", forest, by_paths);
        }
    }

    #[test]
    fn the_choice_is_the_cheapest_candidate(sketch in sketch(12)) {
        let graph = sketch.graph();
        let frequencies = sketch.measured(&graph);
        let Choice { placement, candidates, .. } = choose(&graph, &frequencies, &Limits::default());
        let cheapest = candidates.iter().map(|candidate| candidate.1).min();
        prop_assert_eq!(Some(placement.increments(&graph, &frequencies)), cheapest);
        let per_block = Placement::per_block(&graph).increments(&graph, &frequencies);
        prop_assert!(placement.increments(&graph, &frequencies) <= per_block);
        assert_exact(&graph, &sketch.walks(&graph), &placement);
        // The expected increments are those that the walks execute.
        let walks = sketch.walks(&graph);
        let complete = walks.iter().filter(|walk| walk.is_complete(&graph));
        let happened: usize = complete.map(|walk| walk.increments(&graph, &placement)).sum();
        prop_assert_eq!(happened as u64, placement.increments(&graph, &frequencies));
    }

    #[test]
    fn beyond_the_limits_there_are_counters_per_block(sketch in sketch(12)) {
        let graph = sketch.graph();
        let limits = Limits { blocks: 0, ..Limits::default() };
        let choice = choose(&graph, &Frequencies::estimated(&graph), &limits);
        prop_assert_eq!(choice.placement.kind(), PlacementKind::PerBlock);
        let limits = Limits { terms: 3, ..Limits::default() };
        let choice = choose(&graph, &Frequencies::estimated(&graph), &limits);
        assert_exact(&graph, &sketch.walks(&graph), &choice.placement);
    }
}
