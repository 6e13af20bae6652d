//! Tests of the count model: known records with known answers, and random records against sums done by brute force.

mod brute_force;
mod chosen_windows;
mod contradictions;
mod known_answers;
mod record_builder;
