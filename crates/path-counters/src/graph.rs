//! A control-flow graph with virtual ENTRY and EXIT, and the sites of each block.
//!
//! # The model
//!
//! A *run* is a walk from ENTRY over edges. It is complete when it reaches EXIT. A run may also be
//! cut short anywhere (an exception). The caller then settles what is owed at that place (see
//! [`Placement::pending`](crate::Placement::pending)). If the run goes on in a handler, the caller
//! treats that as a new run, which starts over an *exceptional* edge ENTRY -> handler block.
//!
//! A block without successors is a *dead end*: the run can only end there by being cut short
//! (`athrow`). Blocks that cannot be reached from ENTRY are allowed and ignored.
//!
//! ```text
//!   ENTRY --> A --> B --> D --> EXIT        blocks 0..n are the caller's,
//!             |           ^                 ENTRY is n, EXIT is n + 1
//!             +---> C ----+
//! ```
//!
//! The adjacency is stored in two flat arrays, so that walking the graph needs no allocation.

use crate::graph_error::GraphError;
use crate::index::{BlockId, EdgeId, SiteId};
use crate::site_vector::SiteVector;

/// No site may occur more often than this in one graph. Potentials are sums over simple walks in
/// which a block appears at most twice, so every amount stays far inside `i32`.
const MOST_OCCURRENCES: i64 = 1 << 24;

/// The hint of a branch's code about its outcome, in the sense of Ball and Larus ("Branch
/// prediction for free"), for use when nothing was measured. Structural hints (loops, dead ends)
/// need not be given.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Hint {
    /// Nothing is known.
    #[default]
    None,
    /// The edge is probably taken (a pointer that is not null, a value that is not negative).
    Likely,
    /// The edge is probably not taken.
    Unlikely,
}

/// A directed edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// The block it leaves.
    pub from: BlockId,
    /// The block it enters.
    pub to: BlockId,
    /// An artificial edge from ENTRY to a handler's first block. A counter on it costs nothing in
    /// runs without an exception: the code that enters the handler implements it.
    pub exceptional: bool,
    /// A hint for the static estimate.
    pub hint: Hint,
}

/// Collects blocks, edges and sites; [`GraphBuilder::build`] validates them.
#[derive(Clone, Debug)]
pub struct GraphBuilder {
    block_count: usize,
    edges: Vec<Edge>,
    sites: Vec<(BlockId, SiteId)>,
}

/// A validated control-flow graph. See the module's head.
#[derive(Clone, Debug)]
pub struct Graph {
    /// The caller's blocks, without ENTRY and EXIT.
    block_count: usize,
    edges: Vec<Edge>,
    sites: Vec<SiteVector>,
    out_edges: Adjacency,
    in_edges: Adjacency,
}

/// Edge lists of all blocks, one after the other.
#[derive(Clone, Debug)]
struct Adjacency {
    starts: Vec<u32>,
    edges: Vec<EdgeId>,
}

impl GraphBuilder {
    /// Starts a graph with the given number of blocks, not counting ENTRY and EXIT.
    pub fn new(block_count: usize) -> Self {
        Self {
            block_count,
            edges: Vec::new(),
            sites: Vec::new(),
        }
    }

    /// The virtual block at which every run begins.
    pub fn entry(&self) -> BlockId {
        BlockId::at(self.block_count)
    }

    /// The virtual block at which every complete run ends.
    pub fn exit(&self) -> BlockId {
        BlockId::at(self.block_count + 1)
    }

    /// Adds an ordinary edge without a hint.
    pub fn edge(&mut self, from: BlockId, to: BlockId) -> EdgeId {
        self.hinted_edge(from, to, Hint::None)
    }

    /// Adds an ordinary edge with a hint.
    pub fn hinted_edge(&mut self, from: BlockId, to: BlockId, hint: Hint) -> EdgeId {
        self.push(Edge {
            from,
            to,
            exceptional: false,
            hint,
        })
    }

    /// Adds the artificial edge ENTRY -> handler.
    pub fn exceptional_edge(&mut self, handler: BlockId) -> EdgeId {
        let entry = self.entry();
        self.push(Edge {
            from: entry,
            to: handler,
            exceptional: true,
            hint: Hint::Unlikely,
        })
    }

    /// Adds the given edge.
    pub fn push(&mut self, edge: Edge) -> EdgeId {
        let id = EdgeId::at(self.edges.len());
        self.edges.push(edge);
        id
    }

    /// Records that running through `block` executes `site` once (once more per call).
    pub fn site(&mut self, block: BlockId, site: SiteId) {
        self.sites.push((block, site));
    }

    /// Validates everything and builds the adjacency.
    pub fn build(self) -> Result<Graph, GraphError> {
        let nodes = self.block_count + 2;
        if u32::try_from(nodes).is_err() || u32::try_from(self.edges.len()).is_err() {
            return Err(GraphError::TooLarge);
        }
        self.check_edges()?;
        let sites = self.site_vectors()?;
        Ok(Graph {
            block_count: self.block_count,
            out_edges: Adjacency::new(nodes, &self.edges, |edge| edge.from),
            in_edges: Adjacency::new(nodes, &self.edges, |edge| edge.to),
            edges: self.edges,
            sites,
        })
    }

    fn check_edges(&self) -> Result<(), GraphError> {
        for (position, edge) in self.edges.iter().enumerate() {
            let id = EdgeId::at(position);
            for block in [edge.from, edge.to] {
                if block > self.exit() {
                    return Err(GraphError::NoSuchBlock(block));
                }
            }
            if edge.to == self.entry() {
                return Err(GraphError::EdgeIntoEntry(id));
            }
            if edge.from == self.exit() {
                return Err(GraphError::EdgeOutOfExit(id));
            }
            if edge.exceptional && edge.from != self.entry() {
                return Err(GraphError::ExceptionalEdgeNotFromEntry(id));
            }
        }
        Ok(())
    }

    fn site_vectors(&self) -> Result<Vec<SiteVector>, GraphError> {
        let mut of_block: Vec<Vec<SiteId>> = vec![Vec::new(); self.block_count + 2];
        for &(block, site) in &self.sites {
            if block > self.exit() {
                return Err(GraphError::NoSuchBlock(block));
            }
            if block >= self.entry() {
                return Err(GraphError::SiteOnVirtualBlock(block));
            }
            of_block[block.index()].push(site);
        }
        self.check_occurrences()?;
        Ok(of_block.into_iter().map(SiteVector::from_sites).collect())
    }

    fn check_occurrences(&self) -> Result<(), GraphError> {
        let mut sites: Vec<SiteId> = self.sites.iter().map(|&(_, site)| site).collect();
        sites.sort_unstable();
        for same in sites.chunk_by(|a, b| a == b) {
            if same.len() as i64 > MOST_OCCURRENCES {
                return Err(GraphError::TooManyOccurrences(same[0]));
            }
        }
        Ok(())
    }
}

impl Adjacency {
    fn new(nodes: usize, edges: &[Edge], end: impl Fn(&Edge) -> BlockId) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for edge in edges {
            starts[end(edge).index() + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let mut listed = vec![EdgeId::new(0); edges.len()];
        for (position, edge) in edges.iter().enumerate() {
            let slot = &mut next[end(edge).index()];
            listed[*slot as usize] = EdgeId::at(position);
            *slot += 1;
        }
        Self {
            starts,
            edges: listed,
        }
    }

    fn of(&self, block: BlockId) -> &[EdgeId] {
        let start = self.starts[block.index()] as usize;
        let end = self.starts[block.index() + 1] as usize;
        &self.edges[start..end]
    }
}

impl Graph {
    /// The virtual block at which every run begins.
    pub fn entry(&self) -> BlockId {
        BlockId::at(self.block_count)
    }

    /// The virtual block at which every complete run ends.
    pub fn exit(&self) -> BlockId {
        BlockId::at(self.block_count + 1)
    }

    /// The number of blocks without ENTRY and EXIT.
    pub fn block_count(&self) -> usize {
        self.block_count
    }

    /// The number of blocks with ENTRY and EXIT: the size of a table indexed by [`BlockId`].
    pub fn node_count(&self) -> usize {
        self.block_count + 2
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// All blocks, ENTRY and EXIT last.
    pub fn blocks(&self) -> impl DoubleEndedIterator<Item = BlockId> + use<> {
        (0..self.node_count()).map(BlockId::at)
    }

    /// All edge ids in the order in which the edges were added.
    pub fn edge_ids(&self) -> impl DoubleEndedIterator<Item = EdgeId> + use<> {
        (0..self.edges.len()).map(EdgeId::at)
    }

    /// One edge.
    pub fn edge(&self, edge: EdgeId) -> &Edge {
        &self.edges[edge.index()]
    }

    /// The edges that leave a block, in the order in which they were added.
    pub fn out_edges(&self, block: BlockId) -> &[EdgeId] {
        self.out_edges.of(block)
    }

    /// The edges that enter a block, in the order in which they were added.
    pub fn in_edges(&self, block: BlockId) -> &[EdgeId] {
        self.in_edges.of(block)
    }

    /// The allocations of one pass through a block: the vector a(b).
    pub fn sites(&self, block: BlockId) -> &SiteVector {
        &self.sites[block.index()]
    }

    /// Whether the edge leads from a block with several successors to one with several
    /// predecessors, so that a counter on it needs code outside of both. The edges of ENTRY are not
    /// critical: the code that starts a run can count.
    pub fn is_critical(&self, edge: EdgeId) -> bool {
        let Edge { from, to, .. } = *self.edge(edge);
        from != self.entry() && self.out_edges(from).len() > 1 && self.in_edges(to).len() > 1
    }
}
