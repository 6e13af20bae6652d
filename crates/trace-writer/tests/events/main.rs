//! The event log compared with the naive machine: threads that allocate, collections that move objects, and a simple reader.

mod contradiction;
mod damage;
mod later_matching;
mod naive_reader;
mod program;
mod rotation;
mod round_trip;
mod test_host;
