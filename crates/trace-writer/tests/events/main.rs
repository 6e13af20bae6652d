//! The event log compared with a naive heap: threads that allocate, collections that move objects, and a simple reader.

mod damage;
mod later_matching;
mod naive_reader;
mod rotation;
mod round_trip;
mod simulated_heap;
mod test_host;
