//! Measures how fast this machine reads memory: all cores at once, each through a separate range larger than any cache.
//!
//! This bounds the speed of any code that must read every object of a space once, if objects are smaller than a cache
//! line.

use std::hint::black_box;
use std::thread;
use std::time::Instant;

/// Words per core.
const WORDS: usize = 32 << 20;
const ROUNDS: usize = 5;

/// Bytes per second, the best of several rounds.
pub(crate) fn bytes_per_second() -> f64 {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<Vec<u64>> = (0..cores).map(|core| vec![core as u64; WORDS]).collect();
    let rounds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        thread::scope(|scope| {
            for part in &parts {
                scope.spawn(|| black_box(part.iter().fold(0_u64, |sum, word| sum ^ word)));
            }
        });
        let bytes = cores * WORDS * size_of::<u64>();
        #[allow(clippy::cast_precision_loss, reason = "a speed")]
        let speed = bytes as f64 / start.elapsed().as_secs_f64();
        speed
    });
    rounds.fold(0.0, f64::max)
}
