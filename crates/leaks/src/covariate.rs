//! What is kept may go with something else that happens on the clock: class loaders that no collection has looked at, of
//! which nobody knows whether they are alive. Young collections take all that a loader holds as alive, wherever it lies.
//!
//! Loaders are a series on the clock as what is kept is one. While it goes on, what is kept is taken to be made by
//! both: `kept = a length + b loaders`, fitted by least squares over the cohorts. Only `a` is a line of its own.

use crate::cohorts::Cohorts;
use crate::interval::student_limit;

/// Events by cohort; none: not known.
#[derive(Clone, Debug, Default)]
pub(crate) struct Covariate {
    events: Vec<f64>,
}

impl Covariate {
    /// By cell.
    pub(crate) fn of(cohorts: &Cohorts, events: &[u64]) -> Self {
        let events: Vec<f64> = events.iter().map(|events| *events as f64).collect();
        Self {
            events: match events.is_empty() {
                true => Vec::new(),
                false => cohorts.sums(&events),
            },
        }
    }

    /// Events came in most of these cohorts.
    pub(crate) fn goes_on(&self, later: core::ops::Range<usize>) -> bool {
        let events = self.events.get(later).unwrap_or_default();
        let some = events.iter().filter(|events| **events > 0.0).count();
        2 * some > events.len()
    }

    /// True if what is kept would go on without these events: `a` is above
    /// zero. `unit`: the variance of one event where events are independent.
    pub(crate) fn leaves_a_line(
        &self,
        kept: &[f64],
        lengths: &[f64],
        range: core::ops::Range<usize>,
        unit: f64,
    ) -> bool {
        let (Some(kept), Some(lengths), Some(events)) = (
            kept.get(range.clone()),
            lengths.get(range.clone()),
            self.events.get(range),
        ) else {
            return true;
        };
        let sum = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let (xx, xz, zz) = (
            sum(lengths, lengths),
            sum(lengths, events),
            sum(events, events),
        );
        let (xy, zy) = (sum(lengths, kept), sum(events, kept));
        let determinant = xx * zz - xz * xz;
        let of_events = (xx * zy - xz * xy) / determinant;
        if determinant <= f64::EPSILON * xx * zz {
            // Events cannot be told from the clock: nobody knows.
            return false;
        }
        if of_events <= 0.0 {
            // They explain nothing of it.
            return true;
        }
        let of_clock = (zz * xy - xz * zy) / determinant;
        let rest = |((kept, length), events): ((&f64, &f64), &f64)| {
            (kept - of_clock * length - of_events * events).powi(2)
        };
        let squares: f64 = kept.iter().zip(lengths).zip(events).map(rest).sum();
        let Some(freedom) = kept.len().checked_sub(2).filter(|freedom| *freedom > 0) else {
            return false;
        };
        let all: f64 = kept.iter().sum();
        let variance = (squares / freedom as f64).max(unit * all / kept.len() as f64);
        let error = (variance * zz / determinant).sqrt();
        of_clock > student_limit(freedom as u32) * error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loaders(events: &[f64]) -> Covariate {
        Covariate {
            events: events.to_vec(),
        }
    }

    #[test]
    fn what_is_made_for_each_loader_leaves_none() {
        let events: Vec<f64> = (0..14)
            .map(|at| f64::from(30 + 17 * (at * 7 % 5)))
            .collect();
        let (made, lengths) = (loaders(&events), [1.0; 14]);
        assert!(made.goes_on(7..14));
        let of_loaders: Vec<f64> = events
            .iter()
            .map(|events| 3.0 * events + events % 4.0)
            .collect();
        assert!(!made.leaves_a_line(&of_loaders, &lengths, 0..14, 1.0));
        let of_clock: Vec<f64> = (0..14).map(|at| f64::from(200 + at % 3)).collect();
        assert!(made.leaves_a_line(&of_clock, &lengths, 0..14, 1.0));
        let both = of_loaders.iter().zip(&of_clock).map(|(a, b)| a + b);
        assert!(made.leaves_a_line(&both.collect::<Vec<f64>>(), &lengths, 0..14, 1.0));
    }

    #[test]
    fn a_program_that_has_started_makes_no_loaders() {
        let mut events = [0.0; 14];
        events[0] = 900.0;
        events[9] = 4.0;
        assert!(!loaders(&events).goes_on(7..14));
        assert!(!loaders(&[]).goes_on(7..14));
    }
}
