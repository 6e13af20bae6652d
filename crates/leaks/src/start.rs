//! Whether the program was still starting: running lines that it had never run before.
//!
//! Each line of source that allocates is a species, and what was at work before covers a part of those at work now:
//! the coverage of a sample (Good 1953). A program that repeats its work has nearly all of it covered. One that still
//! loads its classes has not; what it keeps of each new class is a straight line then, and ends with its start.

use crate::clock::Clock;

impl Clock {
    /// Most cells of the second half of the span have new lines. False where lines are not known.
    pub fn is_starting(&self) -> bool {
        let half = self.bytes() / 2;
        let mut passed = 0_u64;
        let (mut all, mut starting) = (0, 0);
        for (cell, lines) in self.cells().iter().zip(self.lines()) {
            passed = passed.saturating_add(cell.bytes);
            if passed > half && lines.at_work > 0 {
                all += 1;
                starting += usize::from(lines.are_of_a_start());
            }
        }
        2 * starting > all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Cell, Lines};

    fn is_starting(new: impl Fn(u32) -> u32) -> bool {
        let cells = vec![
            Cell {
                bytes: 1 << 20,
                micros: 1
            };
            31
        ];
        let lines = (0..31).map(|at| Lines {
            at_work: 150,
            new: new(at),
        });
        Clock::new(cells).with_lines(lines.collect()).is_starting()
    }

    #[test]
    fn a_program_that_has_started_runs_what_it_ran_before() {
        assert!(!is_starting(|_| 0));
        assert!(!is_starting(|at| if at < 15 { 100 } else { 0 }));
        // Now and then a line that is rare; a second phase; what comes at the end.
        assert!(!is_starting(|_| 2));
        assert!(!is_starting(|at| u32::from(at % 10 == 0) * 60));
        assert!(!is_starting(|at| if at > 24 { 40 } else { 0 }));
        assert!(!Clock::default().is_starting());
    }

    #[test]
    fn one_that_loads_its_classes_to_its_end_is_starting() {
        // A run that did little but load classes.
        let new = [
            363, 118, 194, 43, 40, 9, 96, 24, 36, 9, 25, 50, 30, 12, 15, 27, 9, 7, 3, 42, 12, 5,
            37, 40, 38, 61, 14, 0, 0, 0, 0,
        ];
        assert!(is_starting(|at| new[at as usize]));
    }
}
