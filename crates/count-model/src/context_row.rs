//! Contexts: what threads were doing while they allocated (a request, a query, a job), and how much each execution of it took.

use std::collections::BTreeMap;

use ducktrack_trace_format::{
    ContextExecutions, ContextId, ExecutionObjects, LargestExecution, execution_bucket_range,
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
    /// How many by their bytes.
    pub by_bytes: Distribution,
    /// The largest; `None` where it was not in the chosen windows.
    pub largest: Option<LargestExecution>,
    /// Their objects; `None`: they were not counted by execution.
    pub objects: Option<ObjectsOfExecutions>,
}

/// Objects of executions, contexts inside included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectsOfExecutions {
    /// Of all.
    pub sum: u64,
    /// The most of one; `None` where it was not in the chosen windows.
    pub most: Option<u64>,
    /// How many executions by their objects.
    pub by_objects: Distribution,
}

/// How many executions there are of each size: buckets that are at most 1/128 of their values wide.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution(BTreeMap<u16, u64>);

impl Distribution {
    fn of(buckets: &[(u16, u64)]) -> Self {
        Self(buckets.iter().copied().collect())
    }

    /// The value that this part of all executions (0 to 1) does not exceed: the middle of its bucket.
    pub fn quantile(&self, part: f64) -> Option<u64> {
        let all: u64 = self.0.values().sum();
        let wanted = (all as f64 * part).ceil().max(1.0);
        let mut seen = 0;
        let found = self.0.iter().find(|(_, count)| {
            seen += **count;
            seen as f64 >= wanted
        });
        let (lowest, highest) = execution_bucket_range(*found?.0);
        Some(lowest + (highest - lowest) / 2)
    }

    /// How many executions by the lowest value of their bucket, ascending.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> {
        let range = |bucket: &u16| execution_bucket_range(*bucket).0;
        self.0
            .iter()
            .map(move |(bucket, count)| (range(bucket), *count))
    }

    fn since(&self, earlier: &Self) -> Self {
        let of = |bucket: &u16| earlier.0.get(bucket).copied().unwrap_or(0);
        let grown = self.0.iter();
        let grown = grown.map(|(bucket, count)| (*bucket, count.saturating_sub(of(bucket))));
        Self(grown.filter(|(_, count)| *count > 0).collect())
    }

    fn add(&mut self, other: &Self) {
        for (bucket, count) in &other.0 {
            *self.0.entry(*bucket).or_default() += count;
        }
    }
}

impl ObjectsOfExecutions {
    fn of(record: &ExecutionObjects) -> Self {
        Self {
            sum: record.sum,
            most: Some(record.most),
            by_objects: Distribution::of(&record.buckets),
        }
    }

    fn since(&self, earlier: Option<&Self>) -> Self {
        let nothing = Self::default();
        let earlier = earlier.unwrap_or(&nothing);
        Self {
            sum: self.sum.saturating_sub(earlier.sum),
            most: self.most.filter(|_| self.most != earlier.most),
            by_objects: self.by_objects.since(&earlier.by_objects),
        }
    }

    fn add(&mut self, other: &Self) {
        self.sum += other.sum;
        self.most = self.most.max(other.most);
        self.by_objects.add(&other.by_objects);
    }
}

impl Executions {
    pub(crate) fn of(record: &ContextExecutions) -> Self {
        Self {
            count: record.executions,
            bytes: record.bytes,
            by_bytes: Distribution::of(&record.buckets),
            largest: record.largest.clone(),
            objects: record.objects.as_ref().map(ObjectsOfExecutions::of),
        }
    }

    /// Mean bytes of an execution.
    pub fn mean(&self) -> f64 {
        match self.count {
            0 => 0.0,
            count => self.bytes as f64 / count as f64,
        }
    }

    /// What was added since an earlier moment.
    fn since(&self, earlier: &Self) -> Self {
        let objects = self.objects.as_ref();
        Self {
            count: self.count.saturating_sub(earlier.count),
            bytes: self.bytes.saturating_sub(earlier.bytes),
            by_bytes: self.by_bytes.since(&earlier.by_bytes),
            objects: objects.map(|objects| objects.since(earlier.objects.as_ref())),
            largest: self
                .largest
                .clone()
                .filter(|_| self.largest != earlier.largest),
        }
    }

    fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.by_bytes.add(&other.by_bytes);
        if let Some(objects) = &other.objects {
            self.objects.get_or_insert_default().add(objects);
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
            let bucket = execution_bucket(*value);
            *all.by_bytes.0.entry(bucket).or_default() += 1;
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
            let found = all.by_bytes.quantile(part).expect("executions") as f64;
            assert!((found - exact).abs() <= exact / 100.0, "{part}: {found}");
        }
        assert_eq!(executions(&[]).by_bytes.quantile(0.5), None);
        assert_eq!(executions(&[7, 7, 9]).by_bytes.quantile(0.5), Some(7));
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
