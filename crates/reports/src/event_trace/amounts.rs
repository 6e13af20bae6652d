//! The model's unsigned objects and bytes under the keys of the report.

use ducktrack_live_heap::Amount;

use crate::json::AmountDoc;

/// Stops at the limit of `i64`.
pub(super) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn amount(amount: Amount) -> AmountDoc {
    AmountDoc {
        count: signed(amount.count),
        bytes: signed(amount.bytes),
    }
}

/// Four digits after the point, rounded down, so that only all of something is 100 %. JSON has no infinities: they are 0.
pub(super) fn ratio(value: f64) -> f64 {
    if value.is_finite() {
        (value * 1e4).floor() / 1e4
    } else {
        0.0
    }
}

/// Sums that stop at the limit.
pub(super) fn sum(amounts: impl Iterator<Item = AmountDoc>) -> AmountDoc {
    amounts.fold(AmountDoc::default(), |sum, one| AmountDoc {
        count: sum.count.saturating_add(one.count),
        bytes: sum.bytes.saturating_add(one.bytes),
    })
}

/// Adds the numbers of lists that may differ in length.
pub(super) fn add_list(sum: &mut Vec<u64>, list: &[u64]) {
    if sum.len() < list.len() {
        sum.resize(list.len(), 0);
    }
    for (sum, value) in sum.iter_mut().zip(list) {
        *sum = sum.saturating_add(*value);
    }
}
