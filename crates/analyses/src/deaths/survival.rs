//! Survival: which share of objects and bytes lives longer than an age (Kaplan and Meier, 1958).
//!
//! Objects that are alive at the end count until the age that they have reached: how long they go on is not known.

use ducktrack_merlin::Fate;

use crate::deaths::program_clock::ProgramClock;
use ducktrack_live_heap::Amount;

/// Ages by powers of two: entry 0 is age 0, entry b is 2^(b-1) to 2^b - 1.
const AGES: usize = 65;

/// Deaths and ends of observation by age.
#[derive(Clone, Debug)]
pub(crate) struct SurvivalTally {
    died: [Amount; AGES],
    left: [Amount; AGES],
}

impl Default for SurvivalTally {
    fn default() -> Self {
        Self {
            died: [Amount::default(); AGES],
            left: [Amount::default(); AGES],
        }
    }
}

/// One point of the curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurvivalPoint {
    /// Ages below this.
    pub below: u64,
    /// Objects that died at an age of this class.
    pub died: Amount,
    /// Objects of this age that were alive at the end.
    pub alive: Amount,
    /// Share of the objects that live to this age or longer, 0 to 1.
    pub objects: f64,
    /// The same of bytes.
    pub bytes: f64,
}

/// The curve, from young to old.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Survival {
    /// Its points; none after the oldest age that was seen.
    pub points: Vec<SurvivalPoint>,
}

/// The age class of an age.
pub(crate) fn age_class(age: u64) -> usize {
    (u64::BITS - age.leading_zeros()) as usize
}

/// Ages of the class are below this.
pub(crate) fn class_end(class: usize) -> u64 {
    u32::try_from(class)
        .ok()
        .and_then(|bits| 1_u64.checked_shl(bits))
        .unwrap_or(u64::MAX)
}

impl SurvivalTally {
    /// Adds an object; `end` is the end of the run.
    pub(crate) fn add(&mut self, fate: &Fate, end: u64, clock: ProgramClock) {
        let dead = fate.unreachable.or(fate.collected);
        let last = dead.map_or(end, |dead| clock.of(dead));
        let class = age_class(last.saturating_sub(clock.of(fate.born)));
        let list = if dead.is_some() {
            &mut self.died
        } else {
            &mut self.left
        };
        if let Some(amount) = list.get_mut(class) {
            *amount += Amount::one(fate.bytes);
        }
    }

    pub(crate) fn curve(&self) -> Survival {
        let all = |list: &[Amount]| list.iter().copied().sum::<Amount>();
        let mut at_risk = all(&self.died);
        at_risk += all(&self.left);
        let (mut objects, mut bytes) = (1.0, 1.0);
        let mut points = Vec::new();
        for (class, (died, left)) in self.died.iter().zip(&self.left).enumerate() {
            if at_risk.is_zero() {
                break;
            }
            objects *= 1.0 - died.count as f64 / at_risk.count.max(1) as f64;
            bytes *= 1.0 - died.bytes as f64 / at_risk.bytes.max(1) as f64;
            at_risk -= *died;
            at_risk -= *left;
            points.push(SurvivalPoint {
                below: class_end(class),
                died: *died,
                alive: *left,
                objects,
                bytes,
            });
        }
        Survival { points }
    }
}
