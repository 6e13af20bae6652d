//! Counts of programs that do not end as they should: killed at random moments, aborted,
//! out of memory. What `tests/life_cycle/killed_counts/KilledProbe.java` publishes of
//! itself, through a file that it maps, is compared with the report afterwards.

mod ends;
mod full_heap;
mod kills;
mod many_threads;
mod named_error;
mod probe;
mod threads;
