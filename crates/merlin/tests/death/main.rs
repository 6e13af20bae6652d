//! Death times against brute-force reachability, and on programs whose answer is known.

mod known_programs;
mod program;
mod random_programs;
mod replay;
mod stamps_only;
