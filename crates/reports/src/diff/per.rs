//! A comparison divided by how often something happened: "+2,158 B a request".

use super::Side;
use crate::quantity::{grouped, signed_tenths, tenths};

/// How often it happened in both runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Per {
    /// The name of its mark, or of its contexts.
    pub name: String,
    /// Times in the first run; not 0.
    pub before: u64,
    /// Times in the second run; not 0.
    pub after: u64,
}

impl Per {
    /// Objects and bytes of one time, in the first run and in the second.
    pub(super) fn amounts(&self, before: &Side, after: &Side) -> [[f64; 2]; 2] {
        let each = |side: &Side, times: u64| {
            let times = times.max(1) as f64;
            [
                side.total.count as f64 / times,
                side.total.bytes as f64 / times,
            ]
        };
        [each(before, self.before), each(after, self.after)]
    }

    /// `+2,158.0 B and +3.0 objects a request (from 10,000.0 B in 5,000 to 12,158.0 B in 4,800)`
    pub(super) fn sentence(&self, before: &Side, after: &Side) -> String {
        let [first, second] = self.amounts(before, after);
        format!(
            "{} B and {} objects a {} (from {} B in {} to {} B in {})",
            signed_tenths(second[1] - first[1]),
            signed_tenths(second[0] - first[0]),
            self.name,
            tenths(first[1]),
            grouped(self.before),
            tenths(second[1]),
            grouped(self.after)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::AmountDoc;

    fn side(count: i64, bytes: i64) -> Side {
        Side {
            name: String::new(),
            command: String::new(),
            java_version: String::new(),
            total: AmountDoc { count, bytes },
            sites: 1,
        }
    }

    #[test]
    fn each_run_is_divided_by_its_own_times() {
        let per = Per {
            name: "request".to_owned(),
            before: 10,
            after: 4,
        };
        let (before, after) = (side(30, 12_345), side(10, 10_000));
        assert_eq!(
            per.sentence(&before, &after),
            "+1,265.5 B and -0.5 objects a request (from 1,234.5 B in 10 to 2,500.0 B in 4)"
        );
    }
}
