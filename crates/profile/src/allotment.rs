//! Splits an integer into parts by weight, so that the parts sum to it.

/// Parts of `total` in proportion to the weights. They sum to `total`, and each differs from its exact share by less than
/// one. If the weights sum to zero, the first part gets everything.
pub(crate) fn allot(total: i64, weights: &[f64]) -> Vec<i64> {
    let sum: f64 = weights.iter().sum();
    if !(sum.is_finite() && sum > 0.0) {
        let first = |at| if at == 0 { total } else { 0 };
        return (0..weights.len()).map(first).collect();
    }
    let (mut below, mut given) = (0.0, 0);
    let last = weights.len().saturating_sub(1);
    let part = |(at, weight): (usize, &f64)| {
        below += weight;
        // `as` saturates at the limits of i64.
        let end = match at {
            at if at == last => total,
            _ => (total as f64 * (below / sum)).round() as i64,
        };
        let part = end.saturating_sub(given);
        given = end;
        part
    };
    weights.iter().enumerate().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_in_proportion() {
        assert_eq!(allot(10, &[1.0, 1.0, 2.0]), [3, 2, 5]);
        assert_eq!(allot(7, &[0.0, 0.0]), [7, 0]);
        assert_eq!(allot(7, &[f64::NAN, 1.0]), [7, 0]);
        assert!(allot(7, &[]).is_empty());
    }

    proptest::proptest! {
        #[test]
        fn parts_sum_to_the_whole(total in 0..1_i64 << 50, weights in proptest::collection::vec(0.0..1e9_f64, 1..50)) {
            let parts = allot(total, &weights);
            proptest::prop_assert_eq!(parts.iter().sum::<i64>(), total);
            let sum: f64 = weights.iter().sum();
            for (part, weight) in parts.iter().zip(&weights) {
                let exact = total as f64 * weight / sum;
                proptest::prop_assert!(sum == 0.0 || (*part as f64 - exact).abs() <= 1.5 + exact * 1e-9);
            }
        }
    }
}
