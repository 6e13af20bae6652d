//! How large the event files may become, as in sections 3.2 and 3.3 of the AntTracks paper.
//!
//! ```text
//! n = ceil(1 / deviation) files, each with a share of max / n; above = max * deviation
//! a file is closed at the first collection after its share is full
//! first the oldest files are removed until all files and one more share fit into max
//! so the total stays within max + above while no file exceeds share + above
//! ```
//!
//! After a file has its share, its further blocks are compressed whatever the options say: several times as many events then fit until the
//! next collection. Shortly before `share + above`, or `max + above`, an emergency collection is requested; a little later writing stops
//! until a collection comes.
//!
//! A synchronization point may take a large part of a share. Every file must hold more than its point, or the trace would consist of
//! points only. So the share of a file is at least twice its point, and the limits above give way if the heap is too large for them.

/// The limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    /// All files together.
    pub(crate) max: u64,
    /// Limit of one file.
    pub(crate) share: u64,
    /// How far `max` and `share` may be exceeded while a collection is awaited.
    above: u64,
}

/// How large the files are, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Sizes {
    /// The current file.
    pub(crate) current: u64,
    /// Its synchronization point.
    pub(crate) sync: u64,
    /// All files together.
    pub(crate) total: u64,
}

impl Limits {
    pub(crate) fn new(max: u64, deviation: f64) -> Self {
        let deviation = if deviation.is_finite() {
            deviation.clamp(0.01, 1.0)
        } else {
            0.25
        };
        let files = (1.0 / deviation).ceil() as u64;
        Self {
            max,
            share: max / files.max(1),
            above: (max as f64 * deviation) as u64,
        }
    }

    fn share_of(&self, sizes: Sizes) -> u64 {
        self.share.max(sizes.sync.saturating_mul(2))
    }

    /// True when the next collection should close the current file.
    pub(crate) fn is_full(&self, sizes: Sizes) -> bool {
        sizes.current >= self.share_of(sizes) || self.is_urgent(sizes)
    }

    /// True when a collection should be requested.
    pub(crate) fn is_urgent(&self, sizes: Sizes) -> bool {
        self.is_beyond(sizes, self.above - self.above / 4)
    }

    /// True when writing must stop until a collection comes.
    pub(crate) fn is_at_the_end(&self, sizes: Sizes) -> bool {
        self.is_beyond(sizes, self.above - self.above / 16)
    }

    fn is_beyond(&self, sizes: Sizes, above: u64) -> bool {
        let events = sizes.current.saturating_sub(sizes.sync);
        let file = sizes.current >= self.share_of(sizes).saturating_add(above);
        let all = sizes.total >= self.max.saturating_add(above);
        file || (all && events >= self.share / 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sizes(current: u64, sync: u64, total: u64) -> Sizes {
        Sizes {
            current,
            sync,
            total,
        }
    }

    #[test]
    fn the_example_of_the_paper() {
        let limits = Limits::new(16 << 30, 0.25);
        assert_eq!((limits.share, limits.above), (4 << 30, 4 << 30));
        let after_rotation = 12 << 30;
        let at = |current: u64| sizes(current, 0, after_rotation + current);
        assert!(!limits.is_full(at((4 << 30) - 1)) && limits.is_full(at(4 << 30)));
        assert!(!limits.is_urgent(at((7 << 30) - 1)) && limits.is_urgent(at(7 << 30)));
        assert!(limits.is_at_the_end(at(8 << 30)));
        assert!(!limits.is_at_the_end(at((7 << 30) + (1 << 29))));
    }

    #[test]
    fn the_number_of_files_is_rounded_up() {
        assert_eq!(Limits::new(1_000, 0.3).share, 250);
        assert_eq!(Limits::new(1_000, 1.0).share, 1_000);
        assert_eq!(Limits::new(1_000, 7.0).share, 1_000);
        assert_eq!(Limits::new(1_000, f64::NAN).share, 250);
    }

    #[test]
    fn a_large_synchronization_point_leaves_room_for_events() {
        let limits = Limits::new(1_000, 0.25);
        assert!(limits.is_full(sizes(250, 10, 250)));
        assert!(!limits.is_full(sizes(300, 200, 300)));
        assert!(limits.is_full(sizes(400, 200, 400)));
        assert!(!limits.is_at_the_end(sizes(5_001, 5_000, 5_001)));
        assert!(limits.is_at_the_end(sizes(5_100, 5_000, 5_100)));
    }
}
