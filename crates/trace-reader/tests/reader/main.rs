//! Tests of the reader on traces that are built block by block.

mod damage;
mod directories;
mod kill_points;
mod mutated_traces;
mod small_trace;
mod tails;
