//! The totals of a run that is over and wrote none: it was killed, and its events have been added up.

use super::LiveCounts;
use crate::live_rows::LiveName;
use crate::{CountModel, SiteRow};

/// Whose objects are those of an event that is counted without its thread.
const UNKNOWN_THREAD: &str = "(threads of events are not counted)";

impl LiveCounts {
    /// Adds up what the sites of the model have.
    pub fn count(&mut self, model: &CountModel) {
        for site in model.sites.iter().filter(|site| !site.total.is_zero()) {
            self.count_site(model, site);
        }
    }

    fn count_site(&mut self, model: &CountModel, site: &SiteRow) {
        let method = model.method(site.method);
        let class = method.class.to_string();
        let package = class.rsplit_once('/').map_or("", |(package, _)| package);
        let package = LiveName::Package(package.to_owned());
        let ty = site.ty.as_deref().map(str::to_owned);
        let [sites, types, threads, packages, ..] = &mut self.tables;
        let position = packages.position(package);
        packages.add(position, site.total);
        let position = threads.position(LiveName::Thread(UNKNOWN_THREAD.to_owned()));
        threads.add(position, site.total);
        if let Some(ty) = ty.clone() {
            let position = types.position(LiveName::Type(ty));
            types.add(position, site.total);
        }
        let position = sites.position(LiveName::Site {
            class,
            method: method.name.to_string(),
            line: site.line,
            ty,
        });
        sites.add(position, site.total);
    }
}
