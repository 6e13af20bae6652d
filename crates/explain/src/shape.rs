//! A method's graph as input of the path algorithms.
//!
//! Blocks and edges keep their numbers; artificial edges from ENTRY to handler entries come after them.

use ducktrack_flow_graph::{Expectation, MethodGraph};
use ducktrack_path_counters::{BlockId, Graph, GraphBuilder, GraphError, Hint, SiteId};

/// Builds the graph; `sites` are those that paths may count, with their blocks.
pub(crate) fn shape(
    graph: &MethodGraph<'_>,
    sites: &[(SiteId, BlockId)],
) -> Result<Graph, GraphError> {
    let mut builder = GraphBuilder::new(graph.blocks().len());
    let block = |block: ducktrack_flow_graph::BlockId| BlockId::new(block.as_u32());
    for edge in graph.edges() {
        let hint = match edge.expectation() {
            Expectation::None => Hint::None,
            Expectation::Likely => Hint::Likely,
            Expectation::Unlikely => Hint::Unlikely,
        };
        builder.hinted_edge(block(edge.from()), block(edge.to()), hint);
    }
    for handler in graph.handler_entries() {
        builder.exceptional_edge(block(handler));
    }
    for &(site, block) in sites {
        builder.site(block, site);
    }
    builder.build()
}
