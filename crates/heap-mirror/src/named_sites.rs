//! For tests: sites whose bytecode names a class, and whose events say the size.

use std::sync::Arc;

use ducktrack_trace_format::{ClassNameHash, SiteFacts, SiteId};

use crate::site_cache::SiteCache;

/// Sites with the names of their objects' classes; other sites are unknown.
struct NamedSites(&'static [(u32, &'static str)]);

impl SiteFacts for NamedSites {
    fn fixed_bytes(&self, _: SiteId) -> Option<u32> {
        None
    }

    fn is_measured(&self, _: SiteId) -> bool {
        true
    }

    fn class_name(&self, site: SiteId) -> Option<ClassNameHash> {
        let (_, name) = self.0.iter().find(|(number, _)| *number == site.0)?;
        ClassNameHash::of(name.as_bytes())
    }
}

/// A cache that knows only these sites.
pub(crate) fn named_sites(sites: &'static [(u32, &'static str)]) -> SiteCache {
    SiteCache::new(Arc::new(NamedSites(sites)))
}
