//! Reads the counters of a running program for all clients, at most twice a second.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use ducktrack_count_model::RunState;
use ducktrack_reports::LiveDoc;

use crate::top::columns::RowOrder;
use crate::top::grouping::By;
use crate::top::live_run::LiveRun;
use crate::top::live_table::LiveTable;

const LEAST_INTERVAL: Duration = Duration::from_millis(500);
/// Rows that are shown.
const MOST_ROWS: usize = 60;

/// See the module.
pub(crate) struct LiveLooks {
    inner: Mutex<Looks>,
}

struct Looks {
    live: LiveRun,
    tables: Vec<LiveTable>,
    last: Instant,
}

impl LiveLooks {
    /// `None` if the run has ended, or cannot be read while it runs.
    pub(crate) fn open(directory: &Path) -> Option<Self> {
        let mut live = LiveRun::open(directory).ok()?;
        let table = |by| LiveTable::new(by, RowOrder::default(), String::new());
        let mut tables: Vec<LiveTable> = By::ALL.into_iter().map(table).collect();
        let now = Instant::now();
        live.look().ok()?;
        tables.iter_mut().for_each(|table| table.take(&live, now));
        let inner = Looks {
            live,
            tables,
            last: now,
        };
        (inner.live.state == RunState::Running).then_some(Self {
            inner: Mutex::new(inner),
        })
    }

    pub(crate) fn document(&self, by: By, order: RowOrder, filter: &str) -> Result<LiveDoc> {
        // Tables are whole between two looks, whatever became of the thread that looked.
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let Looks { live, tables, last } = &mut *inner;
        if by == By::Heap {
            live.follow_heap()?;
        }
        if last.elapsed() >= LEAST_INTERVAL {
            let now = Instant::now();
            live.look()?;
            tables.iter_mut().for_each(|table| table.take(live, now));
            *last = now;
        }
        let place = By::ALL.iter().position(|one| *one == by).unwrap_or(0);
        let table = &mut tables[place];
        table.order = order;
        filter.clone_into(&mut table.filter);
        Ok(table.document(live, MOST_ROWS))
    }
}
