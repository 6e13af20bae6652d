//! How large the event files may become: the arithmetic of the paper's section 3.2 and 3.3.
//!
//! ```text
//! n = ceil(1 / deviation) files, each with a share of max / n
//! a file is closed at the first collection after its share is full
//! before a file is begun, the oldest ones go until all together and a share more fit into max
//! upper = max * (1 + deviation): never exceeded; a little below it an emergency collection is asked for
//! ```
//!
//! A synchronization point may take a large part of a share. A file is therefore not closed before it holds at least as
//! many bytes of events as of its synchronization point, unless the upper limit is near.

/// The limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// All files together.
    pub(crate) max: u64,
    /// One file.
    pub(crate) share: u64,
    /// An emergency collection is asked for.
    pub(crate) ask: u64,
    /// Nothing more is written before a collection.
    pub(crate) hold: u64,
    /// Never exceeded, but by a synchronization point that alone is larger.
    pub(crate) upper: u64,
}

impl Limits {
    pub(crate) fn new(max: u64, deviation: f64) -> Self {
        let deviation = if deviation.is_finite() {
            deviation.clamp(0.01, 1.0)
        } else {
            0.25
        };
        let files = (1.0 / deviation).ceil() as u64;
        let above = (max as f64 * deviation) as u64;
        let upper = max.saturating_add(above);
        Self {
            max,
            share: max / files.max(1),
            ask: upper - above / 4,
            hold: upper - above / 16,
            upper,
        }
    }

    /// True when a collection should close a file of `file` bytes (`sync` of them its synchronization point), with `total` in all files.
    pub(crate) fn is_full(&self, file: u64, sync: u64, total: u64) -> bool {
        file >= self.share.max(sync.saturating_mul(2)) || (total >= self.ask && file > sync)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_paper() {
        let limits = Limits::new(16 << 30, 0.25);
        assert_eq!(limits.share, 4 << 30);
        assert_eq!(limits.upper, 20 << 30);
        assert!(limits.max < limits.ask && limits.ask < limits.hold && limits.hold < limits.upper);
    }

    #[test]
    fn the_number_of_files_is_rounded_up() {
        assert_eq!(Limits::new(1_000, 0.3).share, 250);
        assert_eq!(Limits::new(1_000, 1.0).share, 1_000);
        assert_eq!(Limits::new(1_000, 7.0).share, 1_000);
        assert_eq!(Limits::new(1_000, f64::NAN).share, 250);
    }

    #[test]
    fn a_large_synchronization_point_delays_the_next() {
        let limits = Limits::new(1_000, 0.25);
        assert!(limits.is_full(250, 10, 250));
        assert!(!limits.is_full(300, 200, 300));
        assert!(limits.is_full(400, 200, 400));
        assert!(limits.is_full(300, 200, limits.ask));
    }
}
