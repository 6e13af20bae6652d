//! Where the tables of an export go.

use anyhow::Result;
use ducktrack_fleet::{Origin, RunFacts, TablePipe, TraceFacts, export};

/// Where tables go, and whose they are.
pub(super) struct Target {
    pub(super) pipe: TablePipe,
    pub(super) root: String,
    pub(super) origin: Origin,
    pub(super) window_millis: u64,
}

impl Target {
    pub(super) fn write(
        &mut self,
        facts: &RunFacts,
        trace: Option<&TraceFacts>,
    ) -> Result<Written> {
        let (rows, bytes) = export(&mut self.pipe, &self.origin, facts, trace)?;
        let objects = facts.days.iter().map(|day| day.objects).sum();
        Ok(Written {
            rows,
            bytes,
            objects,
        })
    }
}

/// The rows and bytes that were written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Written {
    pub(super) rows: usize,
    pub(super) bytes: u64,
    pub(super) objects: i64,
}

impl std::ops::AddAssign for Written {
    fn add_assign(&mut self, more: Self) {
        self.rows += more.rows;
        self.bytes += more.bytes;
        self.objects += more.objects;
    }
}
