//! Callers that the counts know only from some moment on.
//!
//! With `context=auto` a library method becomes a tracked one while the program runs. Objects allocated
//! before have no caller in the counts, and the samples of their stacks have one: the stratum of the
//! caller gets samples of objects that it does not have, and the stratum without a caller gets too few.
//!
//! ```text
//! p = bytes of a caller / bytes of the line        what is its share, if it was known from the beginning
//! w = weight of its samples, of a sum W            is near p * W then: variance p (1 - p) * sum of squares
//! w - p * W                                        too much for chance (Z): objects from before
//! ```
//!
//! A copy of these samples, scaled to the excess, tells the stacks of the objects without a caller. The squares of
//! the weights are not scaled: the excess varies as much as all samples of the caller, because its total is exact.

use crate::interval::Z;
use crate::stack_sample::StackSample;
use crate::strata::Strata;

/// Completes the samples of strata without a caller, given those of each stratum.
pub(crate) fn complete(strata: &Strata, samples: &mut [Vec<StackSample>]) {
    for group in strata.of_lines() {
        let caller = |at: &usize| strata.all.get(*at).and_then(|one| one.caller);
        let Some(without) = group.iter().find(|at| caller(at).is_none()) else {
            continue;
        };
        let called = group.iter().filter(|at| caller(at).is_some());
        let all = weight_of(group.iter().filter_map(|at| samples.get(*at)).flatten());
        let bytes = |at: usize| strata.all.get(at).map_or(0, |one| one.tally.bytes) as f64;
        let total: f64 = group.iter().map(|at| bytes(*at)).sum();
        let copies = called.flat_map(|at| {
            let own = samples.get(*at).map_or(&[][..], Vec::as_slice);
            from_before(own, bytes(*at) / total, all)
        });
        let copies: Vec<StackSample> = copies.collect();
        if let Some(samples) = samples.get_mut(*without) {
            samples.extend(copies);
        }
    }
}

/// The samples of a caller, scaled to their excess; none if chance explains it. `share`: of the caller, if it was known from the beginning.
fn from_before(samples: &[StackSample], share: f64, [all, squares]: [f64; 2]) -> Vec<StackSample> {
    let [own, _] = weight_of(samples);
    let excess = own - share * all;
    let chance = (share * (1.0 - share) * squares).max(0.0).sqrt();
    // Not so where a share is not known: without bytes.
    let is_excess = excess > Z * chance && excess > 0.0;
    let samples = samples.iter().filter(|_| is_excess).cloned();
    samples
        .map(|mut sample| {
            sample.sums.bytes *= excess / own;
            sample.sums.objects *= excess / own;
            sample
        })
        .collect()
}

/// The sums of the bytes that samples stand for, and of their squares.
fn weight_of<'a>(samples: impl IntoIterator<Item = &'a StackSample>) -> [f64; 2] {
    let mut sums = [0.0; 2];
    for sample in samples {
        sums[0] += sample.sums.bytes;
        sums[1] += sample.sums.bytes_squared;
    }
    sums
}
