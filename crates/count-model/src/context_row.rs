//! Contexts: what threads were doing while they allocated (a request, a query, a job), and how much each execution of it took.

use std::collections::BTreeMap;

use ducktrack_trace_format::{
    ContextExecutions, ContextId, LargestExecution, execution_bucket_range,
};

use crate::Tally;
use crate::definitions::Definitions;

/// A context.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextRow {
    /// `http`, `sql`, `method`.
    pub kind: String,
    /// `GET /orders/{id}`.
    pub name: String,
    /// The objects of threads while it was the innermost context of its kind on them. Those of other kinds inside are included.
    pub total: Tally,
    /// Its executions that have ended; `None`: none has.
    pub executions: Option<Executions>,
}

/// Executions of one context.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Executions {
    /// How many.
    pub count: u64,
    /// Bytes that their threads allocated meanwhile by the VM's own count, whatever was entered inside.
    pub bytes: u64,
    /// How many by bucket of their bytes.
    buckets: BTreeMap<u16, u64>,
    /// The largest; `None` where it was not in the chosen windows.
    pub largest: Option<LargestExecution>,
}

impl Executions {
    pub(crate) fn of(record: &ContextExecutions) -> Self {
        Self {
            count: record.executions,
            bytes: record.bytes,
            buckets: record.buckets.iter().copied().collect(),
            largest: record.largest.clone(),
        }
    }

    /// Mean bytes of an execution.
    pub fn mean(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => self.bytes as f64 / count as f64,
        }
    }

    /// The bytes that this part of all executions (0 to 1) does not exceed: the middle of a bucket that is at most 1/128 of its values wide.
    pub fn quantile(&self, part: f64) -> Option<u64> {
        let all: u64 = self.buckets.values().sum();
        let wanted = (all as f64 * part).ceil().max(1.0);
        let mut seen = 0;
        let found = self.buckets.iter().find(|(_, count)| {
            seen += **count;
            seen as f64 >= wanted
        });
        let (lowest, highest) = execution_bucket_range(*found?.0);
        Some(lowest + (highest - lowest) / 2)
    }

    /// How many executions by the lowest bytes of their bucket, ascending.
    pub fn distribution(&self) -> impl Iterator<Item = (u64, u64)> {
        let range = |bucket: &u16| execution_bucket_range(*bucket).0;
        self.buckets
            .iter()
            .map(move |(bucket, count)| (range(bucket), *count))
    }

    /// What was added since an earlier moment.
    fn since(&self, earlier: &Self) -> Self {
        let of = |bucket: &u16| earlier.buckets.get(bucket).copied().unwrap_or(0);
        let grown = self
            .buckets
            .iter()
            .map(|(bucket, count)| (*bucket, count.saturating_sub(of(bucket))));
        Self {
            count: self.count.saturating_sub(earlier.count),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            buckets: grown.filter(|(_, count)| *count > 0).collect(),
            largest: self
                .largest
                .clone()
                .filter(|_| self.largest != earlier.largest),
        }
    }

    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        for (bucket, count) in &other.buckets {
            *self.buckets.entry(*bucket).or_default() += count;
        }
        let bytes =
            |execution: &Option<LargestExecution>| execution.as_ref().map(|found| found.bytes);
        if bytes(&other.largest) > bytes(&self.largest) {
            self.largest.clone_from(&other.largest);
        }
    }
}

/// The executions of all contexts at one moment.
pub(crate) type AllExecutions = BTreeMap<ContextId, Executions>;

/// Adds what grew between two moments.
pub(crate) fn add_growth(sums: &mut AllExecutions, now: &AllExecutions, then: &AllExecutions) {
    let nothing = Executions::default();
    for (context, executions) in now {
        let grown = executions.since(then.get(context).unwrap_or(&nothing));
        if grown.count > 0 {
            sums.entry(*context).or_default().add(&grown);
        }
    }
}

/// The rows of all contexts, in order of their ids, without objects.
pub(crate) fn context_rows(
    definitions: &Definitions,
    executions: &AllExecutions,
) -> Vec<ContextRow> {
    let contexts = definitions.contexts();
    contexts
        .map(|context| ContextRow {
            kind: context.kind.clone(),
            name: context.name.clone(),
            total: Tally::default(),
            executions: executions.get(&context.id).cloned(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use ducktrack_trace_format::execution_bucket;

    fn executions(bytes: &[u64]) -> Executions {
        let mut all = Executions::default();
        for value in bytes {
            all.count += 1;
            all.bytes += value;
            *all.buckets.entry(execution_bucket(*value)).or_default() += 1;
        }
        all
    }

    #[test]
    fn quantiles_are_within_one_percent() {
        let values: Vec<u64> = (1..=1000).map(|value| value * 1000).collect();
        let all = executions(&values);
        for (part, exact) in [
            (0.5, 500_000.0),
            (0.99, 990_000.0),
            (1.0, 1_000_000.0),
            (0.0, 1000.0),
        ] {
            let found = all.quantile(part).expect("executions") as f64;
            assert!((found - exact).abs() <= exact / 100.0, "{part}: {found}");
        }
        assert_eq!(executions(&[]).quantile(0.5), None);
        assert_eq!(executions(&[7, 7, 9]).quantile(0.5), Some(7));
    }

    #[test]
    fn a_window_has_what_grew_in_it() {
        let mut sums = AllExecutions::new();
        let id = ContextId(1);
        let then = AllExecutions::from([(id, executions(&[100, 3000]))]);
        let now = AllExecutions::from([(id, executions(&[100, 3000, 5000]))]);
        add_growth(&mut sums, &now, &then);
        assert_eq!(sums[&id], executions(&[5000]));
        add_growth(&mut sums, &now, &now);
        assert_eq!(sums[&id].count, 1);
    }
}
