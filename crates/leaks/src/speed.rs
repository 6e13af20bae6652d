//! Bytes allocated per second while the program works.

use crate::cell::Cell;

/// Steps of speed in an octave: neighbours are 9 % apart.
const STEPS: f64 = 8.0;

/// Bytes by the speed at which they were allocated: of the finest parts of the
/// clock that are known, so that a pause of the program is in one of them.
#[derive(Clone, Debug, Default)]
pub struct Speeds {
    /// By step: bytes, and the microseconds that they took.
    steps: Vec<(f64, f64)>,
}

impl Speeds {
    /// Adds a part of the clock. One that took no time has no speed.
    pub fn add(&mut self, part: Cell) {
        if part.bytes == 0 || part.micros == 0 {
            return;
        }
        let (bytes, micros) = (part.bytes as f64, part.micros as f64);
        let step = ((bytes * 1e6 / micros).log2() * STEPS).max(0.0) as usize;
        if self.steps.len() <= step {
            self.steps.resize(step + 1, (0.0, 0.0));
        }
        if let Some(sum) = self.steps.get_mut(step) {
            *sum = (sum.0 + bytes, sum.1 + micros);
        }
    }

    /// Half of all bytes were allocated in parts that were faster. 0: not known.
    pub fn bytes_per_second(&self) -> f64 {
        let half = self.steps.iter().map(|step| step.0).sum::<f64>() / 2.0;
        let mut passed = 0.0;
        for (bytes, micros) in self.steps.iter().rev() {
            passed += bytes;
            if *bytes > 0.0 && passed >= half {
                return bytes * 1e6 / micros;
            }
        }
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_dilutes_nothing() {
        let mut speeds = Speeds::default();
        assert_eq!(speeds.bytes_per_second(), 0.0);
        let working = Cell {
            bytes: 1_000_000,
            micros: 100_000,
        };
        for _ in 0..100 {
            speeds.add(working);
        }
        // Now and then nobody calls for an hour.
        for _ in 0..30 {
            speeds.add(Cell {
                bytes: 1_000_000,
                micros: 3_600_000_000,
            });
        }
        speeds.add(Cell::default());
        assert!((speeds.bytes_per_second() - 1e7).abs() < 1.0);
        // Whatever a file says takes little room.
        speeds.add(Cell {
            bytes: u64::MAX,
            micros: 1,
        });
        speeds.add(Cell {
            bytes: 1,
            micros: u64::MAX,
        });
        assert!(speeds.steps.len() < 1_000);
    }
}
