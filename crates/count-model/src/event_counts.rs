//! Counts of a traced run that could not write its own: its events are added up instead.

use crate::own_objects::is_helper;
use crate::{CallIndex, CountModel, SiteIndex, SitePart, Tally};

/// The events of one site and caller.
#[derive(Clone, Copy, Debug)]
pub struct EventCount {
    /// The site.
    pub site: SiteIndex,
    /// The caller to blame, if one is known.
    pub call: Option<CallIndex>,
    /// Objects that reached the heap, and their bytes.
    pub reached_heap: Tally,
    /// Executions whose object the JIT eliminated.
    pub eliminated: i64,
}

impl CountModel {
    /// Replaces all counts by those of the events. Threads and types of sites that make several are not known.
    pub fn count_events(&mut self, events: impl IntoIterator<Item = EventCount>) {
        self.forget_counts();
        for event in events {
            self.count_event(&event);
        }
        self.total = self.sites.iter().map(|site| site.total).sum();
        self.completeness.executed = self.total;
        self.completeness.bytes_unknown = self.sites.iter().map(|site| site.bytes_unknown).sum();
        self.completeness.materialized = self
            .sites
            .iter()
            .filter_map(|site| site.materialized)
            .reduce(|a, b| {
                let mut sum = a;
                sum += b;
                sum
            });
        self.completeness.vm_bytes = None;
        self.counts_events = true;
    }

    fn forget_counts(&mut self) {
        for site in &mut self.sites {
            site.total = Tally::default();
            site.bytes_unknown = 0;
            site.materialized = None;
            site.parts.clear();
            site.threads.clear();
        }
        for call in &mut self.calls {
            call.total = Tally::default();
        }
        for thread in &mut self.threads {
            thread.total = Tally::default();
        }
    }

    fn count_event(&mut self, event: &EventCount) {
        let Some(site) = self.sites.get_mut(event.site.get()) else {
            return;
        };
        let method = self.methods.get(site.method.get());
        if method.is_some_and(|method| is_helper(&method.class)) {
            return;
        }
        let mut made = event.reached_heap;
        made.count = made.count.saturating_add(event.eliminated);
        match site.size {
            Some(size) => {
                let bytes = event.eliminated.saturating_mul(i64::from(size));
                made.bytes = made.bytes.saturating_add(bytes);
            }
            None => site.bytes_unknown = site.bytes_unknown.saturating_add(event.eliminated),
        }
        site.total += made;
        *site.materialized.get_or_insert_default() += event.reached_heap;
        site.parts.push(SitePart {
            context: event.call,
            ty: None,
            tally: made,
            threads: Vec::new(),
        });
        if let Some(call) = event.call.and_then(|call| self.calls.get_mut(call.get())) {
            call.total += made;
        }
    }
}
