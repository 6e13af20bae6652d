//! A histogram of numbers, for quantiles.
//!
//! A bucket holds numbers that differ by less than 1 in 128, and knows its least and its largest. A quantile is exact
//! where it is one of these, or where all numbers of its bucket are equal; else it is rounded down to the least.

/// Bits of a number that are kept after its first.
const PRECISION: u32 = 7;

/// Numbers by size.
#[derive(Clone, Debug, Default)]
pub struct QuantileHistogram {
    /// By number.
    buckets: Vec<Bucket>,
    /// Place of the bucket that was added to last: the next number is often as large.
    last: usize,
    total: u64,
}

/// Numbers close to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bucket {
    number: u16,
    count: u64,
    least: u64,
    most: u64,
}

impl PartialEq for QuantileHistogram {
    fn eq(&self, other: &Self) -> bool {
        (&self.buckets, self.total) == (&other.buckets, other.total)
    }
}

impl Eq for QuantileHistogram {}

/// The figures of a histogram that reports show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Quantiles {
    /// Half of the numbers are at most this.
    pub p50: u64,
    /// Nine of ten are at most this.
    pub p90: u64,
    /// The largest; exact.
    pub max: u64,
}

impl QuantileHistogram {
    /// Adds a number.
    pub fn add(&mut self, value: u64) {
        self.add_to(Bucket {
            number: bucket_of(value),
            count: 1,
            least: value,
            most: value,
        });
    }

    /// Adds all numbers of another.
    pub fn merge(&mut self, other: &Self) {
        other.buckets.iter().for_each(|bucket| self.add_to(*bucket));
    }

    fn add_to(&mut self, more: Bucket) {
        self.total += more.count;
        let is_last = |bucket: &Bucket| bucket.number == more.number;
        if !self.buckets.get(self.last).is_some_and(is_last) {
            let found = self
                .buckets
                .binary_search_by_key(&more.number, |bucket| bucket.number);
            self.last = found.unwrap_or_else(|at| at);
            if found.is_err() {
                self.buckets.insert(self.last, more);
                return;
            }
        }
        if let Some(bucket) = self.buckets.get_mut(self.last) {
            bucket.count += more.count;
            bucket.least = bucket.least.min(more.least);
            bucket.most = bucket.most.max(more.most);
        }
    }

    /// Numbers that were added.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// The quantiles; `None` when nothing was added.
    #[must_use]
    pub fn quantiles(&self) -> Option<Quantiles> {
        (self.total > 0).then(|| Quantiles {
            p50: self.quantile(1, 2),
            p90: self.quantile(9, 10),
            max: self.quantile(1, 1),
        })
    }

    /// The smallest number so that at least this part of all is not larger.
    fn quantile(&self, part: u64, whole: u64) -> u64 {
        let wanted = (u128::from(self.total) * u128::from(part)).div_ceil(u128::from(whole));
        let mut seen = 0_u128;
        for bucket in &self.buckets {
            seen += u128::from(bucket.count);
            if seen >= wanted {
                // The last number of a bucket is its largest.
                return if seen == wanted {
                    bucket.most
                } else {
                    bucket.least
                };
            }
        }
        0
    }
}

fn bucket_of(value: u64) -> u16 {
    let bits = u64::BITS - value.leading_zeros();
    if bits <= PRECISION + 1 {
        return value as u16;
    }
    let shift = bits - PRECISION - 1;
    // At most 56 * 128 + 255.
    (shift << PRECISION) as u16 + (value >> shift) as u16
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_bucket_holds_numbers_that_differ_by_little() {
        let mut least = 0;
        for value in (0..70_000_u64).chain([1 << 40, u64::MAX / 2, u64::MAX]) {
            if bucket_of(value) != bucket_of(least) {
                assert!(bucket_of(value) > bucket_of(least), "{value}");
                least = value;
            }
            assert!(value - least <= value / 128, "{least} {value}");
        }
    }

    #[test]
    fn equal_numbers_are_exact() {
        let mut histogram = QuantileHistogram::default();
        for value in [100_000_000; 9] {
            histogram.add(value);
        }
        histogram.add(100_000_001);
        let found = histogram.quantiles().expect("not empty");
        assert_eq!(
            (found.p50, found.p90, found.max),
            (100_000_000, 100_000_000, 100_000_001)
        );
    }

    proptest! {
        #[test]
        fn quantiles_are_those_of_the_sorted_list(mut values in prop::collection::vec(0_u64..1 << 40, 1..200)) {
            let mut histogram = QuantileHistogram::default();
            let (one, other) = values.split_at(values.len() / 3);
            one.iter().for_each(|value| histogram.add(*value));
            let mut second = QuantileHistogram::default();
            other.iter().for_each(|value| second.add(*value));
            histogram.merge(&second);
            values.sort_unstable();
            let found = histogram.quantiles().expect("not empty");
            let exact = |part: usize, whole: usize| values[(values.len() * part).div_ceil(whole) - 1];
            for (found, exact) in [(found.p50, exact(1, 2)), (found.p90, exact(9, 10))] {
                prop_assert!(found <= exact && exact - found <= exact / 128);
            }
            prop_assert_eq!(found.max, values[values.len() - 1]);
        }
    }
}
