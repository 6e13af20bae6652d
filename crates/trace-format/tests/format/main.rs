//! The bytes of the format, held still: the example of the documentation, and traces of every version.

mod documented_example;
mod event_recipe;
mod golden_traces;
mod recipe;
mod trace_records;
