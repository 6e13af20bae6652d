//! The part of a model that was counted in some contexts.

use crate::{CountModel, SiteRow, Tally, ThreadPart, ThreadRow};

impl CountModel {
    /// The model of the objects that these rows of threads counted. Figures that are known of
    /// a site as a whole only, like lengths, are kept where the site has no other objects.
    pub fn of_threads(&self, is_wanted: impl Fn(&ThreadRow) -> bool) -> Self {
        let wanted: Vec<bool> = self.threads.iter().map(is_wanted).collect();
        let mut model = self.clone();
        for site in &mut model.sites {
            keep_in_site(site, &wanted);
        }
        for call in &mut model.calls {
            call.total = Tally::default();
        }
        for part in model.sites.iter().flat_map(|site| &site.parts) {
            let call = part
                .context
                .and_then(|call| model.calls.get_mut(call.get()));
            if let Some(call) = call {
                call.total += part.tally;
            }
        }
        for (thread, wanted) in model.threads.iter_mut().zip(&wanted) {
            if !wanted {
                thread.total = Tally::default();
            }
        }
        model.total = model.sites.iter().map(|site| site.total).sum();
        model
    }
}

fn keep_in_site(site: &mut SiteRow, wanted: &[bool]) {
    let whole = site.total;
    site.total = keep(&mut site.threads, wanted);
    for part in &mut site.parts {
        part.tally = keep(&mut part.threads, wanted);
    }
    site.parts.retain(|part| !part.tally.is_zero());
    if site.total != whole {
        site.bytes_unknown = 0;
        site.materialized = None;
        site.lengths.clear();
    }
}

fn keep(threads: &mut Vec<ThreadPart>, wanted: &[bool]) -> Tally {
    threads.retain(|part| wanted.get(part.thread.get()).copied().unwrap_or(false));
    threads.iter().map(|part| part.tally).sum()
}
