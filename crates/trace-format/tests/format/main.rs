//! Keeps the format stable: the documented example, and checked-in traces.

mod documented_example;
mod documented_numbers;
mod event_recipe;
mod golden_traces;
mod recipe;
mod trace_records;
