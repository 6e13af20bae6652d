//! Numbers frequent pairs of a site and a caller while the program runs.

use ducktrack_trace_format::Record;

use super::site_facts::SiteTable;
use crate::core::Core;
use crate::trace::buffers::called_sites::CalledSites;

/// Gives numbers to the pairs that are frequent now, and writes their definitions before the program uses them.
pub(super) fn number_called_sites(core: &Core, called_sites: &CalledSites, sites: &SiteTable) {
    let numbered = called_sites.number_wanted();
    for called in &numbered {
        sites.learn_called(called);
        core.registry.note(Record::CalledSite(*called));
    }
    core.secure_definitions();
    called_sites.publish(&numbered);
}
