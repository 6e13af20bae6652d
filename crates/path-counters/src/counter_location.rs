//! Share counts and the place of each path's counter (DuckTracks, section 2.2.1).
//!
//! A *flow* is a complete walk from ENTRY to EXIT. The *share count* of an edge is the number of
//! flows that share it. It is at least one, "and is increased by every path that branches off after
//! the
//! edge's end block and every path that joins before the edge's start block": a path Q that branches off
//! at block b is counted on the owner's edges up to the one into b, a path that joins at b on the
//! edges from b on. We read "every path" as the paths that branch off from or join the owner itself.
//!
//! ```text
//!             Q branches off at B, joins at D
//!   hot:   -2-> A -2-> B -1-> C -1-> D -2->
//! ```
//!
//! A counter belongs on the least shared edge. Ties go to the least frequent edge, then to one that
//! needs no code outside of its two blocks, then to the first. (The paper leaves ties open.) An
//! exceptional edge always wins: a counter there costs nothing in runs without an exception.

use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::path::{Path, PathEnd, PlaceInPath};

/// Fills in the share counts and the counter position of every path.
pub(crate) fn locate_counters(
    graph: &Graph,
    frequencies: &Frequencies,
    places: &[Option<PlaceInPath>],
    paths: &mut [Path],
) {
    let shares = share_counts(places, paths);
    for (path, share_counts) in paths.iter_mut().zip(shares) {
        path.share_counts = share_counts;
        path.counter = least_shared(graph, frequencies, path);
    }
}

/// Collects changes at positions first, then sums them up along each path.
fn share_counts(places: &[Option<PlaceInPath>], paths: &[Path]) -> Vec<Vec<u32>> {
    let mut change: Vec<Vec<i64>> = paths
        .iter()
        .map(|path| vec![0; path.edges.len() + 1])
        .collect();
    for path in paths {
        if let Some(place) = places[path.branching_block.index()] {
            let owner = &mut change[place.path.index()];
            owner[0] += 1;
            owner[place.position + 1] -= 1;
        }
        if let Some(place) = path.joining_block().and_then(|block| places[block.index()]) {
            change[place.path.index()][place.position + 1] += 1;
        }
    }
    change.into_iter().map(running_sums).collect()
}

fn running_sums(change: Vec<i64>) -> Vec<u32> {
    let edges = change.len() - 1;
    let mut flows = 1i64;
    let sums = change.into_iter().take(edges).map(|by| {
        flows += by;
        flows as u32
    });
    sums.collect()
}

fn least_shared(graph: &Graph, frequencies: &Frequencies, path: &Path) -> Option<usize> {
    if path.end == PathEnd::Stops {
        return None;
    }
    (0..path.edges.len()).min_by_key(|&position| {
        let edge = path.edges[position];
        (
            !graph.edge(edge).exceptional,
            path.share_counts[position],
            frequencies.edge(edge),
            graph.is_critical(edge),
            position,
        )
    })
}
