//! Live objects by site while a run goes on: the rows of a heap whose replay has read what there is so far.

use ducktrack_count_model::{CountModel, LiveName, LiveRow, LiveTable, SiteRow, Tally};
use ducktrack_heap_replay::Heap;

/// Rows that keep their positions for good, however many sites are defined later.
#[derive(Clone, Debug, Default)]
pub struct FollowedSites {
    rows: LiveTable,
    /// By column of the replay.
    positions: Vec<usize>,
    /// Meanings of the columns.
    sites: Vec<SiteRow>,
}

impl FollowedSites {
    /// Takes the sites that are defined by now. False: those from before have other positions than they had, so the replay must begin anew.
    pub fn define(&mut self, model: &CountModel) -> bool {
        let is_place = |(known, now): (&SiteRow, &SiteRow)| {
            (known.method, known.bci, known.line, known.kind)
                == (now.method, now.bci, now.line, now.kind)
                && known.ty == now.ty
        };
        let is_kept = self.sites.len() <= model.sites.len()
            && self.sites.iter().zip(&model.sites).all(is_place);
        if !is_kept {
            self.sites.clear();
            self.positions.clear();
        }
        if self.positions.is_empty() {
            let unknown = self.rows.position(LiveName::UnknownSite);
            self.positions.push(unknown);
        }
        for site in model.sites.iter().skip(self.sites.len()) {
            let method = model.method(site.method);
            let name = LiveName::Site {
                class: method.class.to_string(),
                method: method.name.to_string(),
                line: site.line,
                ty: site.ty.as_deref().map(str::to_owned),
            };
            self.positions.push(self.rows.position(name));
            self.sites.push(site.clone());
        }
        is_kept
    }

    /// Adds up what lives after the last collection of the replay; nothing where its heap is not known.
    pub fn fill(&mut self, heap: &Heap) -> bool {
        self.rows.zero();
        if !heap.is_known() {
            return false;
        }
        let signed = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        for (column, live) in heap.counts.sites.iter().enumerate() {
            let position = self.positions.get(column).or(self.positions.first());
            let live = Tally {
                count: signed(live.count),
                bytes: signed(live.bytes),
            };
            if let Some(position) = position {
                self.rows.add(*position, live);
            }
        }
        true
    }

    /// Rows in no order; they only become more.
    pub fn rows(&self) -> &[LiveRow] {
        &self.rows.rows
    }
}
