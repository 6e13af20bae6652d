//! The figures of the DuckTracks paper as hand-written graphs.

use super::drawn_graph::{DrawnGraph, letters};
use crate::{CounterPlace, Frequencies, PathId, PathSet, Placement};

const NO_LIMIT: usize = usize::MAX;

/// Figure 2, left: sequential control flow.
///
/// ```text
///      ^ A ---> B ---> E $      red: A B E
///        +--> C --> D -+        blue: C D, branches off A, joins E
/// ```
#[test]
fn figure_2_sequential_paths() {
    let drawn = DrawnGraph::new("^A AB BE AC CD DE E$");
    let set = PathSet::build(
        &drawn.graph,
        &drawn.frequencies("^A=10 AB=9 AC=1 BE=9 CD=1 DE=1 E$=10"),
    );
    assert_eq!(
        drawn.describe(&set),
        [
            "hot A B E: off ^, leaves, counter AB, shares 2 1 1 2",
            "side C D: off A, joins E, counter AC, shares 1 1 1",
        ]
    );
    assert_eq!(semantics(&drawn, &set), ["AB: +A +B +E", "AC: +A +C +D +E"]);
}

/// Figure 2, middle and right: the dashed path meets itself at C and splits off D.
///
/// ```text
///      ^ A ---> B ---> E $      red: A B E
///        +--> C -------+        blue: C
///             C -> D -> C       green: D, branches off C, joins C
/// ```
#[test]
fn figure_2_looping_paths() {
    let drawn = DrawnGraph::new("^A AB BE AC CD DC CE E$");
    let listed = "^A=10 AB=9 AC=1 BE=9 CD=50 DC=50 CE=1 E$=10";
    let set = PathSet::build(&drawn.graph, &drawn.frequencies(listed));
    assert_eq!(
        drawn.describe(&set),
        [
            "hot A B E: off ^, leaves, counter AB, shares 2 1 1 2",
            "side C: off A, joins E, counter AC, shares 2 2",
            "loop D: off C, joins C, counter CD, shares 1 1",
        ]
    );
    assert_eq!(
        semantics(&drawn, &set),
        ["AB: +A +B +E", "AC: +A +C +E", "CD: +C +D"]
    );
}

/// Without a profile the loop is found the same way: staying in it is likely.
#[test]
fn figure_2_by_heuristics() {
    let drawn = DrawnGraph::new("^A AB BE AC CD DC CE E$");
    let set = PathSet::build(&drawn.graph, &Frequencies::estimated(&drawn.graph));
    assert_eq!(
        drawn.describe(&set)[2],
        "loop D: off C, joins C, counter CD, shares 1 1"
    );
}

/// Figure 3: green branches off red at B and joins blue at F; four placements of the others' counters.
///
/// ```text
///   red   ^ A -> B -> C $
///                +--> D --+        green
///   blue  ^ E ----------> F -> G $
/// ```
#[test]
fn figure_3_branching_and_joining_corrections() {
    let drawn = DrawnGraph::new("^A AB BC C$ ^E EF FG G$ BD DF");
    let listed = "^A=10 AB=10 BC=9 C$=9 ^E=5 EF=5 FG=6 G$=6 BD=1 DF=1";
    let (before_b, after_b) = (1, 2); // A->B, B->C
    let (before_f, after_f) = (1, 2); // E->F, F->G
    for (red, blue, branching, joining, sum) in [
        (before_b, before_f, "-C", "+F +G", "-C +D +F +G"), // upper left
        (after_b, before_f, "+A +B", "+F +G", "+A +B +D +F +G"), // upper right
        (before_b, after_f, "-C", "-E", "-C +D -E"),        // lower left
        (after_b, after_f, "+A +B", "-E", "+A +B +D -E"),   // lower right
    ] {
        let mut set = PathSet::build(&drawn.graph, &drawn.frequencies(listed));
        assert_eq!(
            drawn.describe(&set),
            [
                "hot A B C: off ^, leaves, counter BC, shares 2 2 1 1",
                "side E F G: off ^, leaves, counter ^E, shares 1 1 2 2",
                "side D: off B, joins F, counter BD, shares 1 1",
            ]
        );
        let green = path_with(&set, &drawn, 'D');
        let (red_path, blue_path) = (path_with(&set, &drawn, 'A'), path_with(&set, &drawn, 'E'));
        set.move_counter(red_path, red);
        set.move_counter(blue_path, blue);
        let components = &set.components(&drawn.graph)[green.index()];
        assert_eq!(letters(&components.allocations), "+D");
        assert_eq!(letters(&components.branching_correction), branching);
        assert_eq!(letters(&components.joining_correction), joining);
        assert_eq!(letters(&components.sum()), sum);
        assert_same_as_placement(&drawn, &set);
    }
}

/// Figure 4: wherever the dashed path's counter is, the loop's counter means one iteration.
#[test]
fn figure_4_loop_semantics_do_not_depend_on_the_outer_counter() {
    let drawn = DrawnGraph::new("^A AB BE AC CD DC CE E$");
    let listed = "^A=10 AB=9 AC=1 BE=9 CD=50 DC=50 CE=1 E$=10";
    for (outer, branching, joining) in [(0, "-E", "+C +E"), (1, "+A +C", "-A")] {
        let mut set = PathSet::build(&drawn.graph, &drawn.frequencies(listed));
        let (hot, dashed) = (path_with(&set, &drawn, 'A'), path_with(&set, &drawn, 'C'));
        let green = path_with(&set, &drawn, 'D');
        set.move_counter(dashed, outer);
        set.move_counter(hot, 2); // B->E: neither before A nor after E
        let components = &set.components(&drawn.graph)[green.index()];
        assert_eq!(letters(&components.allocations), "+D");
        assert_eq!(letters(&components.branching_correction), branching);
        assert_eq!(letters(&components.joining_correction), joining);
        assert_eq!(letters(&components.sum()), "+C +D");
        assert_same_as_placement(&drawn, &set);
    }
}

fn path_with(set: &PathSet, drawn: &DrawnGraph, letter: char) -> PathId {
    let block = drawn.block(letter);
    set.place_of(block).expect("a block of a path").path
}

fn semantics(drawn: &DrawnGraph, set: &PathSet) -> Vec<String> {
    assert_same_as_placement(drawn, set);
    let placement = Placement::of_paths(&drawn.graph, set, NO_LIMIT).expect("small");
    let describe = |counter: &crate::Counter| match counter.place {
        CounterPlace::Edge(edge) => {
            format!("{}: {}", drawn.edge_name(edge), letters(&counter.semantics))
        }
        CounterPlace::BlockStart(block) => format!("{block}: {}", letters(&counter.semantics)),
    };
    placement.counters().iter().map(describe).collect()
}

/// The paper's three components add up to the counters that the potentials give.
fn assert_same_as_placement(drawn: &DrawnGraph, set: &PathSet) {
    let placement = Placement::of_paths(&drawn.graph, set, NO_LIMIT).expect("small");
    for (path, components) in set.paths().iter().zip(set.components(&drawn.graph)) {
        let Some(edge) = path.counter_edge() else {
            continue;
        };
        let by_potentials = placement
            .counter_on(edge)
            .map(|it| it.semantics.clone())
            .unwrap_or_default();
        assert_eq!(components.sum(), by_potentials, "{path:?}");
    }
}
