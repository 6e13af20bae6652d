//! Inclusive totals of methods: everything allocated while a frame of the method was on the stack, counting each object
//! once even in recursion.

use rustc_hash::{FxHashMap, FxHashSet};

use ducktrack_count_model::Tally;

use crate::interval::Interval;
use crate::profile::{Frame, FrameIndex, Profile, ProfileRow};
use crate::unit::Unit;

/// A method and everything allocated below it.
#[derive(Clone, Debug)]
pub struct MethodTotal {
    /// One of its frames.
    pub frame: FrameIndex,
    /// Total allocated below any of its frames.
    pub inclusive: Tally,
    /// Total allocated at its own lines.
    pub own: Tally,
    rows: Vec<u32>,
}

impl MethodTotal {
    /// The interval of the true `inclusive` total.
    pub fn interval(&self, profile: &Profile, unit: Unit) -> Interval {
        let rows = self.rows.iter();
        let rows = rows.filter_map(|at| profile.rows.get(*at as usize));
        profile.inclusive_interval(rows, unit)
    }
}

/// All methods of a profile, in descending order of inclusive totals. Frames that stand for no method are left out.
pub fn method_totals(profile: &Profile, unit: Unit) -> Vec<MethodTotal> {
    let numbers = method_numbers(profile);
    let mut totals: Vec<MethodTotal> = Vec::new();
    let mut known: FxHashMap<usize, usize> = FxHashMap::default();
    for (at, row) in profile.rows.iter().enumerate() {
        let mut seen: FxHashSet<usize> = FxHashSet::default();
        for (depth, frame) in profile.frames_of(row.stack).enumerate() {
            let Some(method) = numbers.get(frame.get()).copied().flatten() else {
                continue;
            };
            let position = *known.entry(method).or_insert_with(|| {
                totals.push(MethodTotal {
                    frame,
                    inclusive: Tally::default(),
                    own: Tally::default(),
                    rows: Vec::new(),
                });
                totals.len() - 1
            });
            if let Some(total) = totals.get_mut(position) {
                add(total, at, row, depth == 0, seen.insert(method));
            }
        }
    }
    totals.sort_by_key(|total| std::cmp::Reverse(unit.of(total.inclusive)));
    totals
}

fn add(total: &mut MethodTotal, at: usize, row: &ProfileRow, is_top: bool, is_first: bool) {
    if is_top {
        total.own += row.tally;
    }
    if is_first {
        total.inclusive += row.tally;
        total.rows.push(u32::try_from(at).unwrap_or(u32::MAX));
    }
}

/// For each frame, the number of its method.
fn method_numbers<'a>(profile: &'a Profile) -> Vec<Option<usize>> {
    let mut known = FxHashMap::default();
    let number = |frame: &'a Frame| match frame {
        Frame::Method {
            class,
            method,
            descriptor,
            ..
        } => {
            let next = known.len();
            Some(*known.entry((class, method, descriptor)).or_insert(next))
        }
        Frame::NoStack | Frame::Deeper => None,
    };
    profile.frames.iter().map(number).collect()
}
