//! Chooses counters and their meaning on any control-flow graph, so that few increments are
//! executed and every site is counted exactly. Knows nothing of Java.
//!
//! The method is DuckTracks (S. Fitzek, P. Lengauer, H. Moessenboeck, ICPE 2017 companion): a graph is divided into
//! paths, each path gets one counter, and corrections make up for runs that leave the expected path.
//!
//! ```text
//!   ENTRY -> A -> B -> D -> EXIT     sites: B: 0 1, C: 2
//!            |         ^
//!            +--> C ---+             hot path A B D:  counter on A->B counts 0 and 1
//!                                    side path C:     counter on A->C counts 2
//! ```
//!
//! ```
//! use ducktrack_path_counters::{BlockId, Frequencies, GraphBuilder, Limits, SiteId, choose};
//!
//! let [a, b, c, d] = [0, 1, 2, 3].map(BlockId::new);
//! let mut graph = GraphBuilder::new(4);
//! let (entry, exit) = (graph.entry(), graph.exit());
//! for (from, to) in [(entry, a), (a, b), (a, c), (b, d), (c, d), (d, exit)] {
//!     graph.edge(from, to);
//! }
//! graph.site(b, SiteId::new(0));
//! graph.site(b, SiteId::new(1));
//! graph.site(c, SiteId::new(2));
//! let graph = graph.build()?;
//! let choice = choose(&graph, &Frequencies::estimated(&graph), &Limits::default());
//! assert_eq!(choice.placement.counters().len(), 2);
//! # Ok::<(), ducktrack_path_counters::GraphError>(())
//! ```
//!
//! # Steps
//!
//! 1. [`GraphBuilder`] takes blocks, edges and sites; ENTRY and EXIT are added.
//! 2. [`Frequencies`] are estimated, or measured and completed by flow conservation.
//! 3. [`PathSet`] builds the paper's paths; a spanning forest is the alternative.
//! 4. A [`Placement`] has the counters, their semantics, and for each block the *potential*: what has been executed
//!    but not counted on arrival at the block.
//! 5. [`choose`] does all of this and takes the placement with the fewest increments.

#![forbid(unsafe_code)]

mod branch_probability;
mod bridges;
mod choose;
mod corrections;
mod counter_location;
mod depth_first;
mod dominance;
mod flow_balance;
mod flow_estimate;
mod flow_narrowing;
mod flow_propagation;
mod flow_range;
mod frequencies;
mod graph;
mod graph_error;
mod index;
mod loop_nest;
mod path;
mod path_building;
mod path_set;
mod placement;
mod potentials;
mod refinement;
mod site_vector;
mod spanning_forest;
#[cfg(test)]
mod tests;

pub use choose::{Choice, Limits, choose};
pub use corrections::Components;
pub use flow_propagation::{EdgeFrequencies, propagate};
pub use flow_range::FlowRange;
pub use frequencies::{Frequencies, FrequencySource};
pub use graph::{Edge, Graph, GraphBuilder, Hint};
pub use graph_error::GraphError;
pub use index::{BlockId, EdgeId, PathId, SiteId};
pub use path::{Path, PathEnd, PathKind, PlaceInPath};
pub use path_set::PathSet;
pub use placement::{Counter, CounterPlace, Placement, PlacementKind, TooLarge};
pub use site_vector::SiteVector;
