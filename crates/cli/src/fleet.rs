//! Many processes: `ducktrack export --to parquet` writes their tables, `ducktrack fleet ROOT QUESTION` asks them.

mod answer;
mod ask;
mod engine;
mod follow;
mod table_export;
mod target;

pub(crate) use ask::{FleetArgs, run};
pub(crate) use table_export::TablesArgs;
