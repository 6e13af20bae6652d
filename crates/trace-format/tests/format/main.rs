//! Keeps the format stable: the documented example, and traces of every version.

mod documented_example;
mod documented_numbers;
mod event_recipe;
mod golden_traces;
mod recipe;
mod trace_records;
