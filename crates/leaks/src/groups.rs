//! Sites that leak for one reason: what they keep rises as one curve, and per object of the driver each of the others keeps a whole number.
//!
//! A request that is kept with its twenty headers makes 1 and 20 objects each time. The entry of an audit log that is written every
//! 44 requests rises as the same line, but 1 to 43.8 is no whole ratio: it is no part of the request, and a group of its own.

use crate::amount::Amount;
use crate::history::History;
use crate::interval::CONFIDENCE;

/// Objects by which two counts of one curve may differ at any point: those under way when a cell ends.
const UNDER_WAY: f64 = 3.0;
/// The same for long curves, as a share of what they rise by. Curves that
/// different requests drive drift apart by more, the more so the longer the run.
const DRIFT: f64 = 0.002;

/// The start is at most this part of the curves.
const START: usize = 4;

/// Sites that rise as one.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The place of the driver: the one to which the others stand in whole ratios.
    pub driver: usize,
    /// The others, most bytes first.
    pub followers: Vec<Follower>,
    /// What all of them keep.
    pub kept: Amount,
}

/// A site of a group.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Follower {
    /// Its place.
    pub place: usize,
    /// Objects for each object of the driver.
    pub each: u64,
}

/// Groups of these histories (most kept bytes first); each is in one. Of sites that could
/// drive alike, the one with the highest `preference` does, and of these the first.
pub fn groups(histories: &[&History], preference: impl Fn(usize) -> u32) -> Vec<Group> {
    let curves: Vec<Curve> = histories.iter().map(|history| Curve::of(history)).collect();
    let all: Vec<Vec<Follower>> = (0..curves.len())
        .map(|driver| followers(&curves, driver))
        .collect();
    let mut is_left = vec![true; curves.len()];
    let left_of = |driver: usize, is_left: &[bool]| -> Vec<Follower> {
        let followers = all.get(driver).into_iter().flatten();
        let is_free = |follower: &&Follower| is_left.get(follower.place) == Some(&true);
        followers.filter(is_free).copied().collect()
    };
    let mut groups = Vec::new();
    while let Some(driver) = (0..curves.len())
        .filter(|driver| is_left.get(*driver) == Some(&true))
        .max_by_key(|driver| (left_of(*driver, &is_left).len(), preference(*driver)))
    {
        let followers = left_of(driver, &is_left);
        for place in followers
            .iter()
            .map(|follower| follower.place)
            .chain([driver])
        {
            if let Some(left) = is_left.get_mut(place) {
                *left = false;
            }
        }
        let (driver, followers) = named(driver, followers, &preference);
        groups.push(group(&curves, driver, followers));
    }
    groups.sort_by_key(|group| (core::cmp::Reverse(group.kept.bytes), group.driver));
    groups
}

/// Of those that rise one to one with the driver any could be it: the one with the highest preference is, and of these the first.
fn named(
    driver: usize,
    mut followers: Vec<Follower>,
    preference: impl Fn(usize) -> u32,
) -> (usize, Vec<Follower>) {
    let rank = |place: usize| (preference(place), core::cmp::Reverse(place));
    let alike = followers.iter_mut().filter(|follower| follower.each == 1);
    let best = alike.max_by_key(|follower| rank(follower.place));
    match best.filter(|best| rank(best.place) > rank(driver)) {
        Some(best) => {
            let name = core::mem::replace(&mut best.place, driver);
            (name, followers)
        }
        None => (driver, followers),
    }
}

fn group(curves: &[Curve], driver: usize, mut followers: Vec<Follower>) -> Group {
    let kept = |place: usize| {
        curves
            .get(place)
            .map_or(Amount::default(), |curve| curve.kept)
    };
    followers.sort_by_key(|follower| core::cmp::Reverse(kept(follower.place).bytes));
    let all = followers.iter().map(|follower| kept(follower.place));
    Group {
        driver,
        kept: all.sum::<Amount>() + kept(driver),
        followers,
    }
}

fn followers(curves: &[Curve], driver: usize) -> Vec<Follower> {
    let Some(of_driver) = curves.get(driver) else {
        return Vec::new();
    };
    let others = curves.iter().enumerate();
    let others = others.filter(|(place, _)| *place != driver);
    let follower = |(place, curve): (usize, &Curve)| {
        let each = of_driver.each(curve)?;
        Some(Follower { place, each })
    };
    others.filter_map(follower).collect()
}

/// Kept objects, born up to the end of each cell.
struct Curve {
    points: Vec<f64>,
    kept: Amount,
}

impl Curve {
    /// Without the first cell: what the start of the program made follows no one.
    fn of(history: &History) -> Self {
        let mut sum = 0.0;
        let later = history.kept.get(1..).unwrap_or_default();
        let points = later.iter().map(|kept| {
            sum += kept.objects as f64;
            sum
        });
        Self {
            points: points.collect(),
            kept: later.iter().copied().sum(),
        }
    }

    fn last(&self) -> f64 {
        self.points.last().copied().unwrap_or(0.0)
    }

    /// How many objects of the other there are for each of this one, if that is a whole number at every point.
    fn each(&self, other: &Self) -> Option<u64> {
        let (mine, its) = (self.last(), other.last());
        if mine <= 0.0 || its <= 0.0 || self.points.len() != other.points.len() {
            return None;
        }
        let each = (its / mine).round();
        let off = self.points.iter().zip(&other.points);
        let off: Vec<f64> = off.map(|(a, b)| b - a * each).collect();
        let off = off_after_the_start(&off);
        let is_one_curve = off <= (UNDER_WAY * each).max(DRIFT * its);
        // A ratio at random is this near to a whole number with the chance `2 off / mine`.
        let is_no_chance = 2.0 * off.max(1.0) <= (1.0 - CONFIDENCE) * mine;
        let is_whole = each >= 1.0
            && is_one_curve
            && (is_no_chance || off == 0.0)
            && self.is_made_together(other, each);
        is_whole.then_some(each as u64)
    }

    /// At most points all that belongs to each of these is there. Where one of these comes after so many
    /// of the other, the points lie anywhere in that round: the mean deviation is then a quarter of it.
    fn is_made_together(&self, other: &Self, each: f64) -> bool {
        let off: Vec<f64> = self
            .points
            .iter()
            .zip(&other.points)
            .map(|(a, b)| b - a * each)
            .collect();
        let count = off.len().max(1) as f64;
        let mut sorted = off.clone();
        sorted.sort_by(f64::total_cmp);
        let middle = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
        let deviation = off.iter().map(|off| (off - middle).abs()).sum::<f64>() / count;
        each <= 1.0 || deviation < each / 8.0
    }
}

/// The largest difference of two curves once both rise. Objects that only one of them made at the start do not count: a library makes no
/// box for a number that it has in a cache.
fn off_after_the_start(off: &[f64]) -> f64 {
    let (_, later) = off.split_at(off.len() / START);
    let least = later.iter().copied().fold(f64::INFINITY, f64::min);
    let most = later.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let all = off.iter().map(|off| off.abs()).fold(0.0, f64::max);
    // A difference that the start has made stays as it is.
    all.min(most - least)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(per_cell: impl Fn(u64) -> u64, bytes: u64) -> History {
        History {
            kept: (0..40).map(|at| Amount::of(per_cell(at), bytes)).collect(),
            ..History::default()
        }
    }

    #[test]
    fn the_audit_log_is_not_the_driver() {
        let request = history(|at| 200 + at % 3, 24);
        let headers = history(|at| 20 * (200 + at % 3), 48);
        let header_names = history(|at| 20 * (200 + at % 3), 32);
        // Every 43.8 requests.
        let audit = history(|at| (at + 1) * 200 * 10 / 438 - at * 200 * 10 / 438, 4_000);
        let groups = groups(&[&audit, &headers, &request, &header_names], |_| 0);
        assert_eq!(groups.len(), 2, "{groups:?}");
        assert_eq!(groups[0].driver, 2);
        let each: Vec<u64> = groups[0].followers.iter().map(|one| one.each).collect();
        assert_eq!(each, [20, 20]);
        assert_eq!(groups[1].driver, 0);
    }

    #[test]
    fn the_smaller_of_two_leaks_is_no_driver() {
        // Exactly every 40 requests; cells end anywhere in a round.
        let requests = |at: u64| at * 457 + at * at % 7;
        let request = history(|at| requests(at + 1) - requests(at), 1_000);
        let audit = history(|at| requests(at + 1) / 40 - requests(at) / 40, 100);
        let headers = history(|at| 40 * (requests(at + 1) - requests(at)), 32);
        let groups = groups(&[&audit, &request, &headers], |_| 0);
        assert_eq!(groups.len(), 2, "{groups:?}");
        let drivers: Vec<usize> = groups.iter().map(|group| group.driver).collect();
        assert_eq!(drivers, [1, 0]);
        assert_eq!(groups[0].followers[0].each, 40);
    }

    #[test]
    fn of_those_that_rise_alike_the_preferred_one_has_the_name() {
        let requests = |at: u64| 200 + at % 3;
        let entry = history(requests, 24);
        // One object more of the start is late: it is not as near to all others as the entry is.
        let request = history(|at| requests(at) + 4 * u64::from(at == 1), 24);
        let names = history(|at| requests(at) - u64::from(at == 3), 24);
        let all = [&entry, &request, &names];
        let groups = groups(&all, |place| u32::from(place == 1));
        assert_eq!(groups.len(), 1, "{groups:?}");
        assert_eq!(groups[0].driver, 1);
        let places: Vec<usize> = groups[0].followers.iter().map(|one| one.place).collect();
        assert_eq!(places, [0, 2]);
    }

    #[test]
    fn what_one_has_more_since_the_start_does_not_part_them() {
        let requests = |at: u64| 370 + at * at % 7;
        let entry = history(requests, 24);
        let boxed = history(|at| requests(at) - 64 * u64::from(at == 2), 24);
        assert_eq!(groups(&[&entry, &boxed], |_| 0).len(), 1);
        // Later the same difference is two curves.
        let later = history(|at| requests(at) - 64 * u64::from(at == 20), 24);
        assert_eq!(groups(&[&entry, &later], |_| 0).len(), 2);
    }

    #[test]
    fn what_drifts_apart_is_two() {
        let (a, b) = (history(|at| 10 + at % 5, 8), history(|at| 10 + at / 9, 8));
        assert_eq!(groups(&[&a, &b], |_| 0).len(), 2);
        assert_eq!(groups(&[&a, &a], |_| 0).len(), 1);
        assert!(groups(&[], |_| 0).is_empty());
    }
}
