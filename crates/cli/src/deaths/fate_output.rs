//! Where fates go: into the sums, and on demand into a list or a file of columns.

use anyhow::Result;
use ducktrack_analyses::{DeathTallies, Deaths};
use ducktrack_merlin::{Definition, Fate, Names, ObjectId, RunTotals, ThreadId, Time};

use crate::deaths::columns::ColumnWriter;
use crate::deaths::object_list::ObjectList;

/// All outputs of a run.
pub(crate) struct FateOutput {
    names: Names,
    tallies: DeathTallies,
    list: Option<ObjectList>,
    columns: Option<ColumnWriter>,
    moments: Option<Vec<(ObjectId, Time, ThreadId)>>,
}

impl FateOutput {
    pub(crate) fn new(
        tallies: DeathTallies,
        list: Option<ObjectList>,
        columns: Option<ColumnWriter>,
    ) -> Self {
        Self {
            names: Names::default(),
            tallies,
            list,
            columns,
            moments: None,
        }
    }

    /// An output that keeps the moment of each death.
    pub(crate) fn of_moments(tallies: DeathTallies) -> Self {
        Self {
            moments: Some(Vec::new()),
            ..Self::new(tallies, None, None)
        }
    }

    /// The moments and the names.
    pub(crate) fn into_moments(self) -> (Vec<(ObjectId, Time, ThreadId)>, Names) {
        (self.moments.unwrap_or_default(), self.names)
    }

    pub(crate) fn define(&mut self, definition: &Definition) {
        self.names.define(definition);
    }

    pub(crate) fn dead(&mut self, fates: &[Fate]) -> Result<()> {
        if let Some(moments) = &mut self.moments {
            let deaths = fates.iter().filter_map(|fate| {
                let at = fate.unreachable.or(fate.collected)?;
                Some((fate.object, at.time, fate.thread))
            });
            moments.extend(deaths);
            return Ok(());
        }
        fates.iter().for_each(|fate| self.tallies.dead(fate));
        self.write(fates)
    }

    /// The live objects at the end; nothing follows.
    pub(crate) fn alive(&mut self, fates: &[Fate], totals: &RunTotals) -> Result<()> {
        fates
            .iter()
            .for_each(|fate| self.tallies.alive(fate, totals));
        self.write(fates)?;
        if let Some(list) = &mut self.list {
            list.finish()?;
        }
        if let Some(columns) = &mut self.columns {
            columns.finish(&self.names)?;
        }
        Ok(())
    }

    fn write(&mut self, fates: &[Fate]) -> Result<()> {
        if let Some(list) = &mut self.list {
            list.write(fates, &self.names)?;
        }
        if let Some(columns) = &mut self.columns {
            columns.write(fates)?;
        }
        Ok(())
    }

    pub(crate) fn finish(self, totals: RunTotals) -> Deaths {
        self.tallies.finish(totals, self.names)
    }
}
