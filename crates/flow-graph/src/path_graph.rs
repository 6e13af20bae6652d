//! A method's graph as input of the path algorithms.
//!
//! Blocks and edges keep their numbers; artificial edges from ENTRY to handler entries come after them.

use ducktrack_path_counters::{BlockId, Graph, GraphBuilder, GraphError, SiteId};

use crate::method_graph::MethodGraph;

impl MethodGraph<'_> {
    /// Builds the graph; `sites` are those that paths may count, with their blocks.
    ///
    /// # Errors
    /// When the graph is one that paths cannot count, with `jsr` for instance.
    pub fn path_graph(
        &self,
        sites: impl IntoIterator<Item = (SiteId, BlockId)>,
    ) -> Result<Graph, GraphError> {
        let mut builder = GraphBuilder::new(self.blocks().len());
        for edge in self.edges() {
            builder.hinted_edge(edge.from(), edge.to(), edge.hint());
        }
        for handler in self.handler_entries() {
            builder.exceptional_edge(handler);
        }
        for (site, block) in sites {
            builder.site(block, site);
        }
        builder.build()
    }
}
