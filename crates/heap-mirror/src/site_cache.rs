//! Caches facts about sites. The pipeline needs one for every event.

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use ducktrack_trace_format::{
    ArrayLayout, CallSiteId, ClassNameHash, FIRST_CALLED_SITE, SiteFacts, SiteId,
};

const PAGE: usize = 1 << 12;
const PAGES: usize = 1 << 8;

/// Not asked yet, or not known yet: ask again.
const ASK: u32 = 0;
const MEASURED: u32 = u32::MAX;

type Page = Box<[Cell<u32>]>;

/// A table of known answers: the bytes of fixed-size sites, or that a site is measured.
pub struct SiteCache {
    facts: Arc<dyn SiteFacts + Send + Sync>,
    pages: Box<[OnceCell<Page>]>,
}

impl SiteCache {
    /// Nothing is known yet.
    pub fn new(facts: Arc<dyn SiteFacts + Send + Sync>) -> Self {
        Self {
            facts,
            pages: (0..PAGES).map(|_| OnceCell::new()).collect(),
        }
    }

    #[inline]
    fn look_up(&self, site: SiteId) -> u32 {
        let index = site.0 as usize;
        let page = self.pages.get(index / PAGE);
        let cell = page
            .and_then(OnceCell::get)
            .and_then(|page| page.get(index % PAGE));
        match cell.map_or(ASK, Cell::get) {
            ASK => self.ask(site),
            known => known,
        }
    }

    /// Whether an object of the site can have this size: it is fixed, or the site is measured.
    #[inline]
    pub fn can_have(&self, site: SiteId, bytes: u32) -> bool {
        match self.look_up(site) {
            ASK => false,
            known => known == bytes || known == MEASURED,
        }
    }

    #[cold]
    fn ask(&self, site: SiteId) -> u32 {
        let known = match self.facts.fixed_bytes(site) {
            Some(bytes) if bytes != ASK && bytes != MEASURED => bytes,
            _ if self.facts.is_measured(site) => MEASURED,
            _ => ASK,
        };
        let index = site.0 as usize;
        if let Some(page) = self.pages.get(index / PAGE) {
            let page = page.get_or_init(|| (0..PAGE).map(|_| Cell::new(ASK)).collect());
            if let Some(cell) = page.get(index % PAGE) {
                cell.set(known);
            }
        }
        known
    }
}

impl SiteFacts for SiteCache {
    #[inline]
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        match self.look_up(site) {
            ASK | MEASURED => None,
            bytes => Some(bytes),
        }
    }

    #[inline]
    fn is_measured(&self, site: SiteId) -> bool {
        self.look_up(site) == MEASURED
    }

    #[inline]
    fn called(&self, site: SiteId) -> Option<(SiteId, CallSiteId)> {
        if site.0 < FIRST_CALLED_SITE {
            return None;
        }
        self.facts.called(site)
    }

    fn array_layout(&self, site: SiteId) -> Option<ArrayLayout> {
        self.facts.array_layout(site)
    }

    fn class_name(&self, site: SiteId) -> Option<ClassNameHash> {
        self.facts.class_name(site)
    }
}
