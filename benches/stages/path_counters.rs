//! Counters placed: every method that allocates.

use ducktrack_path_counters::{Frequencies, Graph, Limits, PathSet, choose};

use crate::stage::Stage;

fn paths(shapes: &[Graph]) -> usize {
    let paths = |shape: &Graph| {
        PathSet::build(shape, &Frequencies::estimated(shape))
            .paths()
            .len()
    };
    shapes.iter().map(paths).sum()
}

fn placements(shapes: &[Graph]) -> usize {
    let limits = Limits::default();
    let counters = |shape: &Graph| {
        choose(shape, &Frequencies::estimated(shape), &limits)
            .placement
            .counters()
            .len()
    };
    shapes.iter().map(counters).sum()
}

fn stage<'a>(shapes: &'a [Graph], name: &'static str, work: fn(&[Graph]) -> usize) -> Stage<'a> {
    Stage {
        name,
        unit: "methods that allocate",
        elements: shapes.len(),
        work: Box::new(move || work(shapes)),
    }
}

pub(crate) fn stages(shapes: &[Graph]) -> Vec<Stage<'_>> {
    vec![
        stage(shapes, "paths found", paths),
        stage(shapes, "counters placed", placements),
    ]
}
