//! Potentials: what is owed on arrival at a block.
//!
//! The potential d(b) is "executed minus counted so far" on arrival at block b. With d(ENTRY) =
//! d(EXIT) = 0, an edge u -> v without a counter requires d(v) = d(u) + a(u), and a counter on it has to add
//! c = d(u) + a(u) - d(v). For every complete run the sum telescopes: counted = executed. So any
//! choice of potentials is exact; it only decides which edges need a counter.
//!
//! Along a path, d grows with each block from the branching block to the counter; from the joining block it is settled
//! backwards to the counter. That yields the paper's corrections, chains included, in one pass:
//! the branching correction is d(B) + a(B), the joining correction -d(J).

use crate::graph::Graph;
use crate::index::{BlockId, EdgeId};
use crate::path::{Path, PathEnd};
use crate::path_set::PathSet;
use crate::site_vector::SiteVector;

/// More terms were needed than the caller allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooManyTerms;

/// A potential per block. Unreachable blocks have potential zero.
#[derive(Clone, Debug)]
pub(crate) struct Potentials {
    of_block: Vec<SiteVector>,
    terms_left: usize,
}

impl Potentials {
    pub(crate) fn zero(graph: &Graph, most_terms: usize) -> Self {
        Self {
            of_block: vec![SiteVector::zero(); graph.node_count()],
            terms_left: most_terms,
        }
    }

    /// The potentials under which every path needs at most one counter, at its own place.
    pub(crate) fn of_paths(
        graph: &Graph,
        set: &PathSet,
        most_terms: usize,
    ) -> Result<Self, TooManyTerms> {
        let mut potentials = Self::zero(graph, most_terms);
        for path in set.paths() {
            potentials.along_path(graph, path)?;
        }
        Ok(potentials)
    }

    pub(crate) fn of(&self, block: BlockId) -> &SiteVector {
        &self.of_block[block.index()]
    }

    /// d(u) + a(u): what is owed when block u has run through.
    pub(crate) fn after(&self, graph: &Graph, block: BlockId) -> SiteVector {
        self.of(block).plus(graph.sites(block))
    }

    /// d(u) + a(u) - d(v): what a counter on the edge u -> v has to add.
    pub(crate) fn residual(&self, graph: &Graph, edge: EdgeId) -> SiteVector {
        let edge = graph.edge(edge);
        self.after(graph, edge.from).minus(self.of(edge.to))
    }

    /// Sets d(to) so that the edge needs no counter.
    pub(crate) fn settle_forwards(
        &mut self,
        graph: &Graph,
        edge: EdgeId,
    ) -> Result<(), TooManyTerms> {
        let edge = graph.edge(edge);
        let owed = self.after(graph, edge.from);
        self.set(edge.to, owed)
    }

    /// Sets d(from) so that the edge needs no counter.
    pub(crate) fn settle_backwards(
        &mut self,
        graph: &Graph,
        edge: EdgeId,
    ) -> Result<(), TooManyTerms> {
        let edge = graph.edge(edge);
        let owed = self.of(edge.to).minus(graph.sites(edge.from));
        self.set(edge.from, owed)
    }

    pub(crate) fn into_blocks(self) -> Vec<SiteVector> {
        self.of_block
    }

    fn along_path(&mut self, graph: &Graph, path: &Path) -> Result<(), TooManyTerms> {
        let counter = match path.end() {
            PathEnd::Stops => path.edges().len(),
            PathEnd::Leaves | PathEnd::Joins(_) => {
                path.counter_position().unwrap_or(path.edges().len())
            }
        };
        for &edge in &path.edges()[..counter] {
            self.settle_forwards(graph, edge)?;
        }
        for &edge in path.edges().iter().skip(counter + 1).rev() {
            self.settle_backwards(graph, edge)?;
        }
        Ok(())
    }

    fn set(&mut self, block: BlockId, owed: SiteVector) -> Result<(), TooManyTerms> {
        self.terms_left = self
            .terms_left
            .checked_sub(owed.len())
            .ok_or(TooManyTerms)?;
        self.of_block[block.index()] = owed;
        Ok(())
    }
}
