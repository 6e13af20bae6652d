//! A histogram of numbers, for quantiles. Numbers below 64 are exact; larger ones are rounded down by at most 1 in 32.

/// Bits of a number that are kept after its first.
const PRECISION: u32 = 5;

/// Numbers by size.
#[derive(Clone, Debug, Default)]
pub struct QuantileHistogram {
    /// (bucket, numbers), by bucket.
    buckets: Vec<(u16, u64)>,
    /// Place of the bucket that was added to last: the next number is often as large.
    last: usize,
    total: u64,
    max: u64,
}

impl PartialEq for QuantileHistogram {
    fn eq(&self, other: &Self) -> bool {
        (&self.buckets, self.total, self.max) == (&other.buckets, other.total, other.max)
    }
}

impl Eq for QuantileHistogram {}

/// What reports say of a histogram.
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
        self.max = self.max.max(value);
        self.add_to(bucket_of(value), 1);
    }

    /// Adds all numbers of another.
    pub fn merge(&mut self, other: &Self) {
        self.max = self.max.max(other.max);
        for (bucket, count) in &other.buckets {
            self.add_to(*bucket, *count);
        }
    }

    fn add_to(&mut self, bucket: u16, count: u64) {
        self.total += count;
        if let Some(last) = self.buckets.get_mut(self.last)
            && last.0 == bucket
        {
            last.1 += count;
            return;
        }
        let found = self.buckets.binary_search_by_key(&bucket, |entry| entry.0);
        self.last = found.unwrap_or_else(|at| at);
        if found.is_err() {
            self.buckets.insert(self.last, (bucket, count));
        } else if let Some(entry) = self.buckets.get_mut(self.last) {
            entry.1 += count;
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
            max: self.max,
        })
    }

    /// The smallest number so that at least this part of all is not larger.
    fn quantile(&self, part: u64, whole: u64) -> u64 {
        let wanted = (u128::from(self.total) * u128::from(part)).div_ceil(u128::from(whole));
        let mut seen = 0_u128;
        for (bucket, count) in &self.buckets {
            seen += u128::from(*count);
            if seen >= wanted {
                return least_of(*bucket);
            }
        }
        self.max
    }
}

fn bucket_of(value: u64) -> u16 {
    let bits = u64::BITS - value.leading_zeros();
    if bits <= PRECISION + 1 {
        return value as u16;
    }
    let shift = bits - PRECISION - 1;
    // At most 59 * 32 + 63.
    (shift << PRECISION) as u16 + (value >> shift) as u16
}

fn least_of(bucket: u16) -> u64 {
    let shift = (u32::from(bucket) >> PRECISION).saturating_sub(1);
    let head = u64::from(bucket) - (u64::from(shift) << PRECISION);
    head << shift
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn buckets_begin_where_they_say() {
        for value in (0..70_000).chain([u64::MAX, u64::MAX / 2, 1 << 40]) {
            let least = least_of(bucket_of(value));
            assert!(
                least <= value && value - least <= value / 32,
                "{value} {least}"
            );
            assert_eq!(bucket_of(least), bucket_of(value));
        }
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
                prop_assert!(found <= exact && exact - found <= exact / 32);
            }
            prop_assert_eq!(found.max, values[values.len() - 1]);
        }
    }
}
