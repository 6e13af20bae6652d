//! Heap dumps (HPROF) of HotSpot: objects, references and roots; dominators, retained sizes and shortest paths.
//!
//! ```text
//! let graph = HeapGraph::read(DumpFile::new(path)?)?;
//! let tiers = graph.tiers();
//! let tree = DominatorTree::new(&tiers.held(&graph));
//! let retained = tree.retained(|object| graph.bytes(object));
//! ```
//!
//! A dump is untrusted input: reading never panics. While reading it keeps 36 bytes for each object and 4 for each reference, afterwards 17
//! and 4; both take more in the file. Dominators temporarily take 24 more bytes for each object and 4 for each reference, and keep 12 for
//! each object.
#![forbid(unsafe_code)]

mod byte_stream;
mod class_table;
mod content_walk;
mod depth_first;
mod dominators;
mod enrich;
mod error;
mod field_layout;
mod graph;
mod heap_graph;
mod held_graph;
mod id_table;
mod late_references;
mod numbering;
mod object_model;
mod object_reader;
mod own_class;
mod record_walk;
mod reference_walk;
mod roots;
mod shortest_paths;
mod spent_entries;
mod survey;
mod tree_fields;
mod value_type;

pub use byte_stream::DumpFile;
pub use class_table::{ClassField, ClassIndex, ClassTable};
pub use content_walk::{ContentHead, ContentVisitor};
pub use dominators::DominatorTree;
pub use enrich::{Enriched, SiteFrame, SiteTrace, enrich};
pub use error::DumpError;
pub use graph::{Graph, Lists};
pub use heap_graph::HeapGraph;
pub use held_graph::{HeldGraph, Tier, Tiers};
pub use object_model::ObjectModel;
pub use object_reader::Reference;
pub use own_class::is_own_class;
pub use record_walk::{Extent, Identifier};
pub use roots::Root;
pub use shortest_paths::{ShortestPaths, WayOrder};
pub use spent_entries::SpentEntries;
pub use tree_fields::{DeclaredField, DirectBuffer, TreeFields};
pub use value_type::ValueType;
