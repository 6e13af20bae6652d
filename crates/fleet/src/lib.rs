//! Exact counts of many processes as tables that SQL engines read, and the questions about them.
//!
//! ```text
//! records of a recording ─> Recording ── cuts at windows ──> RunFacts
//!                                                              └─> tables() ── columns ──> TablePipe ──> ducktrack-reach: Parquet in a folder, s3://, gs://, az://
//! queries/*.sql ─> Question ── the same text ──> DuckDB or Spark
//! ```
//!
//! Counts need no weights: a fleet is a sum. A site is named by a hash of what it is, not by where it stands in a file,
//! so the rows of other hosts, builds and moved lines are of the same site. The tables: [SCHEMA.md](../SCHEMA.md).
#![forbid(unsafe_code)]

mod column;
mod day;
mod error;
mod labels;
mod ordinals;
mod place;
mod question;
mod recording;
mod run_facts;
mod site_id;
mod table_pipe;
mod tables;
mod trace_facts;

pub use column::{Column, Table, Values};
pub use error::FleetError;
pub use labels::{Labels, Origin};
pub use place::Place;
pub use question::{Asked, Engine, QUESTIONS, Question};
pub use recording::Recording;
pub use run_facts::{Count, DayFacts, RunFacts, Window};
pub use site_id::SiteId;
pub use table_pipe::{Answer, TablePipe, receive, send};
pub use tables::{TableWriter, export, tables};
pub use trace_facts::{
    AgeFact, GcFact, LeakFact, LeakFacts, LiveFact, TraceFacts, TraceQuestion, leak_facts,
};
