//! Rows with totals, rates and what the rates were in the last looks.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::time::Instant;

use ducktrack_count_model::{LiveRow, Tally};
use ducktrack_reports::{LiveDoc, LiveRowDoc, live_name, live_row};

use super::columns::RowOrder;
use super::grouping::By;
use super::live_run::LiveRun;

/// Looks that a spark line shows.
pub(crate) const SPARKS: usize = 20;

/// The totals of all rows at a look.
#[derive(Clone, Debug)]
struct Look {
    at: Instant,
    rows: Vec<Tally>,
}

/// See the module.
pub(crate) struct LiveTable {
    pub(crate) by: By,
    pub(crate) order: RowOrder,
    pub(crate) filter: String,
    rows: Vec<LiveRow>,
    /// The last looks, the newest at the end.
    looks: VecDeque<Look>,
    /// Totals are counted from here.
    mark: Option<Vec<Tally>>,
}

/// A row that is shown.
pub(crate) struct ShownRow {
    pub(crate) row: LiveRowDoc,
    /// Bytes per second, the newest at the end.
    pub(crate) sparks: Vec<f64>,
}

impl LiveTable {
    pub(crate) fn new(by: By, order: RowOrder, filter: String) -> Self {
        Self {
            by,
            order,
            filter,
            rows: Vec::new(),
            looks: VecDeque::new(),
            mark: None,
        }
    }

    /// Takes the values of a look.
    pub(crate) fn take(&mut self, live: &LiveRun, at: Instant) {
        let rows = live.rows(self.by);
        for (known, row) in self.rows.iter_mut().zip(rows) {
            known.total = row.total;
            known.inclusive = row.inclusive;
        }
        let new = rows.get(self.rows.len()..).unwrap_or_default();
        self.rows.extend(new.iter().cloned());
        let rows = self.rows.iter().map(|row| row.total).collect();
        self.looks.push_back(Look { at, rows });
        while self.looks.len() > SPARKS + 1 {
            self.looks.pop_front();
        }
    }

    /// Other rows from now on: rates begin anew.
    pub(crate) fn show(&mut self, by: By) {
        *self = Self::new(by, self.order, std::mem::take(&mut self.filter));
    }

    /// Totals are 0 now.
    pub(crate) fn set_mark(&mut self) {
        self.mark = self.looks.back().map(|look| look.rows.clone());
    }

    pub(crate) fn has_mark(&self) -> bool {
        self.mark.is_some()
    }

    /// Seconds between the two last looks.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.before(), self.looks.back()) {
            (Some(before), Some(last)) => (last.at - before.at).as_secs_f64(),
            _ => 0.0,
        }
    }

    fn before(&self) -> Option<&Look> {
        self.looks
            .len()
            .checked_sub(2)
            .and_then(|at| self.looks.get(at))
    }

    /// How many rows the filter keeps, and the first of them from a position on, in order.
    pub(crate) fn shown(&self, from: usize, most: usize) -> (usize, Vec<ShownRow>) {
        let wanted = self.filter.to_lowercase();
        let mut keys: Vec<(Tally, usize)> = (0..self.rows.len())
            .filter(|index| wanted.is_empty() || self.name(*index).to_lowercase().contains(&wanted))
            .map(|index| (self.ordered_by(index), index))
            .filter(|(_, index)| !self.total(*index).is_zero())
            .collect();
        let number = |tally: &Tally| match self.order {
            RowOrder::BytesRate | RowOrder::Bytes => (tally.bytes, tally.count),
            RowOrder::ObjectsRate | RowOrder::Objects => (tally.count, tally.bytes),
        };
        // Where nothing grows, what is largest comes first: always so in a run that is over.
        keys.sort_by_cached_key(|(tally, index)| {
            Reverse((number(tally), number(&self.total(*index)), Reverse(*index)))
        });
        let page = keys.iter().skip(from).take(most);
        (
            keys.len(),
            page.map(|(_, index)| self.row(*index)).collect(),
        )
    }

    /// The output of `top --once`.
    pub(crate) fn document(&self, live: &LiveRun, most: usize) -> LiveDoc {
        let (_, rows) = self.shown(0, most);
        LiveDoc {
            format: "ducktrack-top",
            version: 1,
            trace: live.directory().display().to_string(),
            pid: live.pid,
            state: live.state.name(),
            by: self.by.word(),
            seconds: self.seconds(),
            total: LiveRowDoc {
                name: "total".to_owned(),
                ..self.whole()
            },
            heap: live.heap(),
            rows: rows.into_iter().map(|shown| shown.row).collect(),
        }
    }

    /// All rows together.
    pub(crate) fn whole(&self) -> LiveRowDoc {
        let total = (0..self.rows.len()).map(|index| self.total(index)).sum();
        let grown = (0..self.rows.len()).map(|index| self.grown(index)).sum();
        live_row(String::new(), total, grown, self.seconds())
    }

    fn ordered_by(&self, index: usize) -> Tally {
        match self.order {
            RowOrder::BytesRate | RowOrder::ObjectsRate => self.grown(index),
            RowOrder::Bytes | RowOrder::Objects => self.total(index),
        }
    }

    fn name(&self, index: usize) -> String {
        self.rows
            .get(index)
            .map_or_else(String::new, |row| live_name(&row.name))
    }

    /// Since the mark, or the start.
    fn total(&self, index: usize) -> Tally {
        let mark = self.mark.as_ref().and_then(|mark| mark.get(index));
        self.since(index, mark)
    }

    /// Between the two last looks.
    fn grown(&self, index: usize) -> Tally {
        let Some(before) = self.before() else {
            return Tally::default();
        };
        self.since(index, before.rows.get(index))
    }

    fn since(&self, index: usize, before: Option<&Tally>) -> Tally {
        let now = self.rows.get(index).map(|row| row.total);
        let now = now.unwrap_or_default();
        let before = before.copied().unwrap_or_default();
        Tally {
            count: now.count.saturating_sub(before.count),
            bytes: now.bytes.saturating_sub(before.bytes),
        }
    }

    fn row(&self, index: usize) -> ShownRow {
        let (total, grown) = (self.total(index), self.grown(index));
        ShownRow {
            row: self.with_inclusive(
                index,
                live_row(self.name(index), total, grown, self.seconds()),
            ),
            sparks: self.sparks(index),
        }
    }

    /// The executed allocations of a call, those before the mark included.
    fn with_inclusive(&self, index: usize, row: LiveRowDoc) -> LiveRowDoc {
        let row_of_call = self.rows.get(index).filter(|_| self.by == By::Calls);
        LiveRowDoc {
            inclusive_objects: row_of_call.map(|call| call.inclusive.count),
            inclusive_bytes: row_of_call.map(|call| call.inclusive.bytes),
            ..row
        }
    }

    fn sparks(&self, index: usize) -> Vec<f64> {
        let pairs = self.looks.iter().zip(self.looks.iter().skip(1));
        let rate = |(before, after): (&Look, &Look)| {
            let bytes = |look: &Look| look.rows.get(index).map_or(0, |tally| tally.bytes);
            let seconds = (after.at - before.at).as_secs_f64().max(1e-3);
            (bytes(after) - bytes(before)).max(0) as f64 / seconds
        };
        pairs.map(rate).collect()
    }
}
