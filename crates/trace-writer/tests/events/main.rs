//! The event log against a naive heap: threads that allocate, collections that move, and a reader that knows no tricks.

mod damage;
mod naive_reader;
mod rotation;
mod round_trip;
mod simulated_heap;
mod test_host;
