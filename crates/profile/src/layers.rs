//! The exact total of a stratum, divided among the sizes of its objects.
//!
//! The samplers of JDK 11 to 21 take too few of the objects that do not fit into an allocation buffer (TLAB): one
//! sample after an array that was allocated outside of it, the bytes of the buffer are counted twice
//! (`ThreadLocalAllocBuffer::set_sample_end`), and the next small object is sampled too early. So samples of
//! different sizes do not tell how many objects of each size there were. The exact numbers of objects and bytes do:
//!
//! ```text
//! small * objects of small samples + large * objects of large samples = objects      two equations,
//! small * bytes   of small samples + large * bytes   of large samples = bytes        two factors
//! ```
//!
//! Where *large* begins is not known: with more than two size classes, each border is possible. The estimate is the mean
//! of all that are. An interval has to cover each, what the samples' mean sizes may be off by, and that one class is
//! sampled differently from all others, by as much as large from small: the JVM takes more of what follows a large object.

use crate::interval::{WeightSums, Z};
use crate::unit::Unit;

/// What was sampled of one size class: weights for objects and for bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct LayerSums {
    pub(crate) weights: [WeightSums; 2],
    /// The least size of the class, and the least of the next.
    pub(crate) bounds: [f64; 2],
}

impl LayerSums {
    fn scale(&mut self, factor: f64) {
        for weights in &mut self.weights {
            weights.sum *= factor;
            weights.squares *= factor * factor;
        }
    }
}

/// Objects and bytes of each layer.
type Totals = Vec<[f64; 2]>;

/// The layers of a stratum, smallest sizes first.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Layers {
    pub(crate) sums: Vec<LayerSums>,
    /// The estimate.
    pub(crate) totals: Totals,
    /// Other totals that agree with the samples and the exact totals as well.
    possible: Vec<Totals>,
    /// Objects, and bytes, that are of sizes of which there is no sample.
    pub(crate) unseen: [f64; 2],
}

impl Layers {
    /// Divides exact numbers of objects and bytes.
    pub(crate) fn of(sums: Vec<LayerSums>, exact: [f64; 2]) -> Self {
        let (mut possible, mut variants) = (Vec::new(), Vec::new());
        for split in splits(&sums) {
            if let Some(totals) = split.divide(exact, [1.0; 2]) {
                possible.push(totals);
                variants.extend(split.variants(exact));
            }
        }
        let totals = match possible.is_empty() {
            true => in_proportion(&sums, exact),
            false => mean(&possible),
        };
        possible.extend(variants);
        possible.extend(unequal(&sums, exact));
        Self {
            unseen: unseen(&sums, exact),
            sums,
            totals,
            possible,
        }
    }

    /// By how much a total may be less, and more, than estimated, if these are the shares of the layers' samples that are in it.
    pub(crate) fn spread(&self, shares: &[f64], unit: Unit) -> [f64; 2] {
        let value = |totals: &Totals| -> f64 {
            let parts = totals.iter().zip(shares);
            parts.map(|(total, share)| unit.pick(*total) * share).sum()
        };
        let estimate = value(&self.totals);
        let differences = self.possible.iter().map(|one| value(one) - estimate);
        differences.fold([0.0, 0.0], |[less, more], difference| {
            [less.max(-difference), more.max(difference)]
        })
    }
}

fn splits(sums: &[LayerSums]) -> impl Iterator<Item = Split<'_>> {
    (1..sums.len()).filter_map(|border| Split::at(sums, border))
}

/// Totals if the sampler treats one layer of several differently from all
/// others, by as much as it treats large and small objects differently at least.
fn unequal(sums: &[LayerSums], exact: [f64; 2]) -> Vec<Totals> {
    let unfairness = splits(sums).filter_map(|split| split.unfairness(exact));
    let least = unfairness.fold(f64::INFINITY, f64::min);
    let mut all = Vec::new();
    if sums.len() < 3 || !least.is_finite() {
        return all;
    }
    for layer in 0..sums.len() {
        for factor in [least, least.recip()] {
            let mut changed = sums.to_vec();
            if let Some(sums) = changed.get_mut(layer) {
                sums.scale(factor);
            }
            all.extend(splits(&changed).filter_map(|split| split.divide(exact, [1.0; 2])));
        }
    }
    all
}

/// Layers below a border get one factor, the others another one.
struct Split<'a> {
    sums: &'a [LayerSums],
    border: usize,
    small: Group,
    large: Group,
}

impl<'a> Split<'a> {
    fn at(sums: &'a [LayerSums], border: usize) -> Option<Self> {
        let (small, large) = sums.split_at_checked(border)?;
        Some(Self {
            sums,
            border,
            small: Group::of(small),
            large: Group::of(large),
        })
    }

    /// `None` if that takes a negative factor. The mean sizes may differ from those of the samples by these factors.
    fn divide(&self, [objects, bytes]: [f64; 2], [small, large]: [f64; 2]) -> Option<Totals> {
        let (small, large) = (self.small.mean * small, self.large.mean * large);
        let of_large = (bytes - objects * small) / (large - small);
        let numbers = [objects - of_large, of_large];
        if !numbers.iter().all(|one| one.is_finite() && *one >= 0.0) {
            return None;
        }
        let small_bytes = numbers[0] * small;
        let amounts = [[numbers[0], small_bytes], [numbers[1], bytes - small_bytes]];
        let layer = |(at, sums): (usize, &LayerSums)| {
            let (group, [objects, bytes]) = match at < self.border {
                true => (&self.small, amounts[0]),
                false => (&self.large, amounts[1]),
            };
            let [objects_in, bytes_in] = sums.weights.map(|weight| weight.sum);
            [
                objects * objects_in / group.objects,
                bytes * bytes_in / group.bytes,
            ]
        };
        Some(self.sums.iter().enumerate().map(layer).collect())
    }

    /// The larger of both factors by the smaller.
    fn unfairness(&self, exact: [f64; 2]) -> Option<f64> {
        let totals = self.divide(exact, [1.0; 2])?;
        let factor = |layer: usize| {
            let weight = self.sums.get(layer)?.weights[0].sum;
            Some(totals.get(layer)?[0] / weight)
        };
        let (small, large) = (factor(self.border - 1)?, factor(self.border)?);
        let ratio = (small / large).max(large / small);
        ratio.is_finite().then_some(ratio)
    }

    /// If their mean sizes are a little off.
    fn variants(&self, exact: [f64; 2]) -> impl Iterator<Item = Totals> {
        let (small, large) = (self.small.error * Z, self.large.error * Z);
        let errors = [
            [1.0 - small, 1.0],
            [1.0 + small, 1.0],
            [1.0, 1.0 - large],
            [1.0, 1.0 + large],
        ];
        errors
            .into_iter()
            .filter_map(move |errors| self.divide(exact, errors))
    }
}

/// The samples on one side of a border.
struct Group {
    objects: f64,
    bytes: f64,
    /// The mean size.
    mean: f64,
    /// Its relative standard error.
    error: f64,
}

impl Group {
    fn of(sums: &[LayerSums]) -> Self {
        let sum = |unit: Unit| {
            let mut sum = WeightSums::default();
            for one in sums {
                let weights = unit.pick(one.weights);
                sum.sum += weights.sum;
                sum.squares += weights.squares;
            }
            sum
        };
        let (objects, bytes) = (sum(Unit::Objects), sum(Unit::Bytes));
        // Sums of objects * bytes are not recorded. One bound is right where sizes
        // are less than the sampler's interval, the other where they are more.
        let mixed = |one: &LayerSums| {
            let [objects, bytes] = one.weights;
            let mean = bytes.sum / objects.sum;
            (mean * objects.squares).min(bytes.squares / mean)
        };
        let mixed: f64 = sums.iter().map(mixed).sum();
        let variance = bytes.squares / bytes.sum.powi(2) + objects.squares / objects.sum.powi(2)
            - 2.0 * mixed / (bytes.sum * objects.sum);
        Self {
            objects: objects.sum,
            bytes: bytes.sum,
            mean: bytes.sum / objects.sum,
            error: variance.max(0.0).sqrt(),
        }
    }
}

fn in_proportion(sums: &[LayerSums], exact: [f64; 2]) -> Totals {
    let group = Group::of(sums);
    let (objects, bytes) = (group.objects, group.bytes);
    let part =
        |weight: f64, all: f64, exact: f64| if all > 0.0 { exact * weight / all } else { 0.0 };
    let layer = |one: &LayerSums| {
        [
            part(one.weights[0].sum, objects, exact[0]),
            part(one.weights[1].sum, bytes, exact[1]),
        ]
    };
    sums.iter().map(layer).collect()
}

fn mean(possible: &[Totals]) -> Totals {
    let number = possible.len() as f64;
    let mut sum = possible
        .first()
        .map_or_else(Vec::new, |first| vec![[0.0; 2]; first.len()]);
    for totals in possible {
        for (sum, total) in sum.iter_mut().zip(totals) {
            sum[0] += total[0] / number;
            sum[1] += total[1] / number;
        }
    }
    sum
}

/// What cannot be of the sizes that were sampled: bytes, if objects are larger than
/// the largest on average, and objects, if they are smaller than the smallest.
fn unseen(sums: &[LayerSums], [objects, bytes]: [f64; 2]) -> [f64; 2] {
    let (Some(first), Some(last)) = (sums.first(), sums.last()) else {
        return [0.0; 2];
    };
    // Bytes that are not known say nothing about sizes.
    if bytes <= 0.0 {
        return [0.0; 2];
    }
    [
        (objects - bytes / first.bounds[0]).max(0.0),
        (bytes - objects * last.bounds[1]).max(0.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Samples that stand for this many objects of this size.
    fn layer(objects: f64, size: f64) -> LayerSums {
        // One sample for each object.
        let sums = |of_one: f64| WeightSums {
            sum: objects * of_one,
            squares: objects * of_one * of_one,
        };
        let least = size.log2().floor().exp2();
        LayerSums {
            weights: [sums(1.0), sums(size)],
            bounds: [least, least * 2.0],
        }
    }

    #[test]
    fn two_sizes_are_known_exactly_however_few_large_ones_were_sampled() {
        let sums = vec![layer(300.0, 1000.0), layer(0.5, 256_000.0)];
        let layers = Layers::of(sums, [257.0, 512_000.0]);
        let [small, large] = layers.totals[..] else {
            panic!("{layers:?}")
        };
        assert!((small[0] - 256.0).abs() < 1e-6 && (small[1] - 256_000.0).abs() < 1e-3);
        assert!((large[0] - 1.0).abs() < 1e-6 && (large[1] - 256_000.0).abs() < 1e-3);
        let [less, more] = layers.spread(&[1.0, 0.0], Unit::Bytes);
        assert!(less < 0.01 && more < 0.01, "{less} {more}");
    }

    #[test]
    fn with_three_sizes_the_truth_is_between_the_borders() {
        // 1000, 30 and 4 objects; the sampler sees half of the large ones. Whether it sees half of the middle ones is not known.
        let exact = [1034.0, 1e6 + 30.0 * 32_000.0 + 4.0 * 256_000.0];
        for middle in [30.0, 15.0] {
            let sums = vec![
                layer(1000.0, 1000.0),
                layer(middle, 32_000.0),
                layer(2.0, 256_000.0),
            ];
            let layers = Layers::of(sums, exact);
            let [less, more] = layers.spread(&[0.0, 1.0, 0.0], Unit::Bytes);
            let estimate = layers.totals[1][1];
            assert!(less > 0.0 && more > 0.0);
            let truth = 30.0 * 32_000.0;
            assert!(
                (estimate - less..=estimate + more + 1.0).contains(&truth),
                "{middle}: {layers:?}"
            );
        }
    }

    #[test]
    fn bytes_of_sizes_that_no_sample_has_are_said() {
        let layers = Layers::of(vec![layer(10.0, 24.0)], [10.0, 1e6]);
        assert!(
            layers.unseen[1] > 0.99e6 && layers.unseen[0] == 0.0,
            "{layers:?}"
        );
        assert_eq!(layers.totals, [[10.0, 1e6]]);
        let layers = Layers::of(vec![layer(10.0, 1e6)], [1010.0, 1e7]);
        assert!(
            layers.unseen[0] > 900.0 && layers.unseen[1] == 0.0,
            "{layers:?}"
        );
    }

    #[test]
    fn no_samples_have_no_layers() {
        assert_eq!(Layers::of(Vec::new(), [5.0, 5.0]), Layers::default());
    }
}
