//! Improves a placement block by block, by making counters' semantics empty.
//!
//! The spanning forest is optimal only if no counter happens to be empty (see
//! [`spanning_forest`](crate::spanning_forest)). With few sites in a large graph many counters are, and which
//! ones depends on the choice of the forest. Finding the best choice is hard in general; this is a local search:
//!
//! 1. For one block v at a time: every edge at v would need no counter if d(v) had a certain value. Take
//!    the value on which edges of the greatest total frequency agree, if that beats the present one.
//! 2. Repeat until nothing improves, at most [`MOST_ROUNDS`] times.
//! 3. Build a new forest that takes all edges without counters first, then the others by frequency. This
//!    aligns parts that lost their connection to ENTRY along their most frequent edge.
//!
//! Neither step can make the placement worse.
//!
//! The search compares vectors by 64-bit fingerprints: each site has a fixed pseudo-random weight, and
//! a vector's fingerprint is the weighted sum, so fingerprints add up like vectors. If two different
//! vectors ever had the same fingerprint, the choice would be worse, but no count wrong: the final
//! potentials are computed with vectors.

use std::cmp::Reverse;

use crate::depth_first::DepthFirst;
use crate::frequencies::Frequencies;
use crate::graph::Graph;
use crate::index::{BlockId, EdgeId};
use crate::potentials::{Potentials, TooManyTerms};
use crate::site_vector::SiteVector;
use crate::spanning_forest::{kruskal, settle};

const MOST_ROUNDS: usize = 8;

/// Potentials under which no more increments are expected than under the given ones.
pub(crate) fn refine(
    graph: &Graph,
    frequencies: &Frequencies,
    start: &[SiteVector],
    most_terms: usize,
) -> Result<Potentials, TooManyTerms> {
    let walk = DepthFirst::of(graph);
    let mut search = Search::new(graph, frequencies, start);
    for _ in 0..MOST_ROUNDS {
        if !search.improve_all(&walk) {
            break;
        }
    }
    let forest = kruskal(graph, walk.reachable_edges(graph), |edge| {
        (
            !search.is_free(edge),
            Reverse(search.weight(edge)),
            !graph.is_critical(edge),
            edge,
        )
    });
    settle(graph, &forest, most_terms)
}

struct Search<'a> {
    graph: &'a Graph,
    frequencies: &'a Frequencies,
    /// Per block, the fingerprint of its sites.
    sites: Vec<u64>,
    /// Per block, the fingerprint of its potential.
    owed: Vec<u64>,
    /// Values wanted by the edges at one block, with the total frequency of these edges.
    wanted: Vec<(u64, u64)>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, frequencies: &'a Frequencies, start: &[SiteVector]) -> Self {
        let sites = graph
            .blocks()
            .map(|block| fingerprint(graph.sites(block)))
            .collect();
        let owed = start.iter().map(fingerprint).collect();
        Self {
            graph,
            frequencies,
            sites,
            owed,
            wanted: Vec::new(),
        }
    }

    fn improve_all(&mut self, walk: &DepthFirst) -> bool {
        let fixed = [self.graph.entry(), self.graph.exit()];
        let mut improved = false;
        for &block in walk.order.iter().filter(|block| !fixed.contains(block)) {
            improved |= self.improve(block);
        }
        improved
    }

    fn improve(&mut self, block: BlockId) -> bool {
        self.collect_wanted(block);
        let present = self.owed[block.index()];
        let mut kept = 0;
        let mut best = (0, present);
        for same in self.wanted.chunk_by(|a, b| a.0 == b.0) {
            let weight = same
                .iter()
                .fold(0u64, |sum, wanted| sum.saturating_add(wanted.1));
            if same[0].0 == present {
                kept = weight;
            }
            if weight > best.0 {
                best = (weight, same[0].0);
            }
        }
        let improves = best.0 > kept;
        if improves {
            self.owed[block.index()] = best.1;
        }
        improves
    }

    /// Collects, for each edge at the block, the value of d(block) with which it needs no counter. An edge from a
    /// block to itself does not depend on it.
    fn collect_wanted(&mut self, block: BlockId) {
        self.wanted.clear();
        for &edge in self.graph.in_edges(block) {
            let from = self.graph.edge(edge).from;
            if from != block {
                let value = self.owed[from.index()].wrapping_add(self.sites[from.index()]);
                self.wanted.push((value, self.weight(edge)));
            }
        }
        for &edge in self.graph.out_edges(block) {
            let to = self.graph.edge(edge).to;
            if to != block {
                let value = self.owed[to.index()].wrapping_sub(self.sites[block.index()]);
                self.wanted.push((value, self.weight(edge)));
            }
        }
        self.wanted.sort_unstable();
    }

    fn weight(&self, edge: EdgeId) -> u64 {
        if self.graph.edge(edge).exceptional {
            0
        } else {
            self.frequencies.edge(edge)
        }
    }

    fn is_free(&self, edge: EdgeId) -> bool {
        let edge = self.graph.edge(edge);
        let after = self.owed[edge.from.index()].wrapping_add(self.sites[edge.from.index()]);
        after == self.owed[edge.to.index()]
    }
}

fn fingerprint(vector: &SiteVector) -> u64 {
    vector.terms().iter().fold(0, |sum, (site, amount)| {
        let amount = i64::from(*amount).cast_unsigned();
        sum.wrapping_add(site_weight(site.as_u32().into()).wrapping_mul(amount))
    })
}

/// The finalizer of SplitMix64: well-mixed, the same in every run.
fn site_weight(site: u64) -> u64 {
    let mut bits = site.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
