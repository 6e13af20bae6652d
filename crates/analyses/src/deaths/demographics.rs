//! How old the live heap is: live objects by age, at moments that are evenly spread over the run.
//!
//! An object counts at each moment from its birth until it is unreachable. The moments are multiples of a distance that
//! doubles while the run continues, so that there are never more than [`MOST`].

use ducktrack_merlin::Fate;

use crate::deaths::program_clock::ProgramClock;
use crate::deaths::survival::{age_class, class_end};
use ducktrack_live_heap::Amount;

/// Most moments.
const MOST: usize = 64;
/// First distance, on any clock.
const FIRST: u64 = 1024;

/// The live heap at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DemographicsPoint {
    /// The clock's reading.
    pub at: u64,
    /// Live objects by age: entry 0 has age 0, entry b 2^(b-1) to 2^b - 1 on the same clock.
    pub ages: Vec<Amount>,
}

/// All moments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Demographics {
    /// In order.
    pub points: Vec<DemographicsPoint>,
}

impl Demographics {
    /// Ages of the entry are below this.
    #[must_use]
    pub fn class_end(class: usize) -> u64 {
        class_end(class)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct DemographicsTally {
    spacing: u64,
    /// Moment k is at (k + 1) * spacing.
    moments: Vec<Vec<Amount>>,
}

impl Default for DemographicsTally {
    fn default() -> Self {
        Self {
            spacing: FIRST,
            moments: Vec::new(),
        }
    }
}

impl DemographicsTally {
    /// Adds an object; `end` is the end of the run.
    pub(crate) fn add(&mut self, fate: &Fate, end: u64, clock: ProgramClock) {
        let dead = fate.unreachable.or(fate.collected);
        let until = dead.map_or(end, |dead| clock.of(dead));
        let born = clock.of(fate.born);
        self.reach(until);
        let first = born.div_ceil(self.spacing).max(1);
        for number in first..=until / self.spacing {
            let at = number.saturating_mul(self.spacing);
            // An object that dies at a moment is not alive at it.
            if dead.is_some() && at >= until {
                break;
            }
            let place = usize::try_from(number - 1).unwrap_or(usize::MAX);
            let Some(ages) = self.moments.get_mut(place) else {
                break;
            };
            let class = age_class(at - born);
            if ages.len() <= class {
                ages.resize(class + 1, Amount::default());
            }
            if let Some(amount) = ages.get_mut(class) {
                *amount += Amount::one(fate.bytes);
            }
        }
    }

    /// Makes moments up to this reading, with a larger distance when there would be too many.
    fn reach(&mut self, until: u64) {
        while until / self.spacing > MOST as u64 {
            // Every second stays.
            let mut number = 0_u64;
            self.moments.retain(|_| {
                number += 1;
                number.is_multiple_of(2)
            });
            self.spacing = self.spacing.saturating_mul(2);
        }
        // At most MOST.
        let wanted = (until / self.spacing) as usize;
        if self.moments.len() < wanted {
            self.moments.resize(wanted, Vec::new());
        }
    }

    pub(crate) fn finish(self) -> Demographics {
        let spacing = self.spacing;
        let points = self.moments.into_iter().zip(1_u64..);
        Demographics {
            points: points
                .map(|(ages, number)| DemographicsPoint {
                    at: number.saturating_mul(spacing),
                    ages,
                })
                .collect(),
        }
    }
}
