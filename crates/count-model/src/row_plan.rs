//! Which row of the model each site, call and method of the trace belongs to.
//!
//! Rows are named as a reader sees them: with stable names. Where two sites have the same name in everything, they
//! share a row; so the thousand classes of one lambda are one.

use std::collections::HashSet;
use std::sync::Arc;

use ducktrack_trace_format::{AllocationKind, CallSite, CallSiteId, Class, MethodId, Site, SiteId};
use rustc_hash::FxHashMap;

use crate::definitions::Definitions;
use crate::site_facts::SiteFacts;
use crate::stable_name::{stable_class, stable_descriptor, stable_loader};
use crate::{CallIndex, CallRow, Inconsistency, MethodIndex, MethodRow, SiteIndex, SiteRow, Tally};

/// The class and method of sites whose own the trace does not introduce.
const UNKNOWN: &str = "?";

/// The rows of the sites and calls that the trace introduces.
#[derive(Default)]
pub(crate) struct RowsById {
    pub(crate) sites: FxHashMap<SiteId, SiteIndex>,
    pub(crate) calls: FxHashMap<CallSiteId, CallIndex>,
    pub(crate) methods: FxHashMap<MethodId, MethodIndex>,
}

type MethodKey = (Arc<str>, Arc<str>, Arc<str>, Arc<str>);
type SiteKey = (
    MethodIndex,
    u16,
    Option<u16>,
    AllocationKind,
    Option<Arc<str>>,
);
type CallKey = (MethodIndex, u16, Option<u16>, Arc<str>);

/// The empty rows of a model, and the way from ids to rows.
#[derive(Default)]
pub(crate) struct RowPlan {
    pub(crate) methods: Vec<MethodRow>,
    pub(crate) sites: Vec<SiteRow>,
    pub(crate) calls: Vec<CallRow>,
    pub(crate) by_id: RowsById,
    method_of_key: FxHashMap<MethodKey, MethodIndex>,
    site_of_key: FxHashMap<SiteKey, SiteIndex>,
    call_of_key: FxHashMap<CallKey, CallIndex>,
    /// The row of values whose site is not introduced.
    unknown_site: Option<SiteIndex>,
    names: Names,
    unknown_classes: FirstUnknown,
    unknown_methods: FirstUnknown,
    unknown_sites: FirstUnknown,
    unknown_calls: FirstUnknown,
}

/// Each text once.
#[derive(Default)]
struct Names(HashSet<Arc<str>>);

impl Names {
    fn shared(&mut self, text: &str) -> Arc<str> {
        if let Some(known) = self.0.get(text) {
            return Arc::clone(known);
        }
        let name: Arc<str> = Arc::from(text);
        self.0.insert(Arc::clone(&name));
        name
    }
}

/// How often ids of one sort were not introduced, and the first of them.
#[derive(Clone, Copy, Default)]
pub(crate) struct FirstUnknown(Option<(u64, u32)>);

impl FirstUnknown {
    pub(crate) fn note(&mut self, id: u32) {
        let (times, first) = self.0.unwrap_or((0, id));
        self.0 = Some((times + 1, first));
    }

    pub(crate) fn inconsistency(self, what: &'static str) -> Option<Inconsistency> {
        let (times, first) = self.0?;
        Some(Inconsistency::Unknown { what, times, first })
    }
}

impl RowPlan {
    /// Rows for all sites and calls of the trace, in its order.
    pub(crate) fn of(definitions: &Definitions) -> Self {
        let mut plan = Self::default();
        for site in definitions.sites.items() {
            plan.add_site(site, definitions);
        }
        for call in definitions.calls.items() {
            plan.add_call(call, definitions);
        }
        plan
    }

    /// The row of a method, if it has sites or calls.
    pub(crate) fn method(&self, id: MethodId) -> Option<MethodIndex> {
        self.by_id.methods.get(&id).copied()
    }

    /// The row of a site; of one that the trace does not introduce, the row for all such.
    pub(crate) fn site(&mut self, id: SiteId) -> SiteIndex {
        if let Some(known) = self.by_id.sites.get(&id) {
            return *known;
        }
        self.unknown_sites.note(id.0);
        if let Some(known) = self.unknown_site {
            return known;
        }
        let method = self.unknown_method(UNKNOWN);
        let index = self.push_site((method, 0, None, AllocationKind::Other, None), None);
        self.unknown_site = Some(index);
        index
    }

    /// The row of a call; `None` when the trace does not introduce it.
    pub(crate) fn call(&mut self, id: CallSiteId) -> Option<CallIndex> {
        let known = self.by_id.calls.get(&id).copied();
        if known.is_none() {
            self.unknown_calls.note(id.0);
        }
        known
    }

    /// A type as reports name it.
    pub(crate) fn ty(&mut self, descriptor: &str) -> Arc<str> {
        self.names.shared(&stable_descriptor(descriptor))
    }

    /// Numbers that were used without a definition.
    pub(crate) fn inconsistencies(&self) -> Vec<Inconsistency> {
        [
            self.unknown_classes.inconsistency("class"),
            self.unknown_methods.inconsistency("method"),
            self.unknown_sites.inconsistency("site"),
            self.unknown_calls.inconsistency("call site"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    fn add_site(&mut self, site: &Site, definitions: &Definitions) {
        let method = self.add_method(site.method, definitions);
        let ty = site.ty.as_deref().map(|ty| self.ty(ty));
        let size = definitions.size(site.id);
        let kind = definitions.site_facts.kind(site);
        let index = self.push_site((method, site.bci, site.line, kind, ty), size);
        if let Some(row) = self
            .sites
            .get_mut(index.get())
            .filter(|row| row.merged == 1)
        {
            row.facts = definitions.site_facts.of(site.id);
        }
        self.by_id.sites.insert(site.id, index);
    }

    fn push_site(&mut self, key: SiteKey, size: Option<u32>) -> SiteIndex {
        let fresh = SiteIndex(self.sites.len());
        let index = *self.site_of_key.entry(key.clone()).or_insert(fresh);
        match self.sites.get_mut(index.get()) {
            Some(row) => {
                row.merged = row.merged.saturating_add(1);
                row.size = row.size.filter(|known| Some(*known) == size);
            }
            None => self.sites.push(empty_site(key, size)),
        }
        index
    }

    fn add_call(&mut self, call: &CallSite, definitions: &Definitions) {
        let method = self.add_method(call.method, definitions);
        let target = self.names.shared(&call.target);
        let key = (method, call.bci, call.line, target);
        let fresh = CallIndex(self.calls.len());
        let index = *self.call_of_key.entry(key.clone()).or_insert(fresh);
        if index == fresh {
            let (method, bci, line, target) = key;
            self.calls.push(CallRow {
                method,
                bci,
                line,
                target,
                total: Tally::default(),
            });
        }
        self.by_id.calls.insert(call.id, index);
    }

    /// The row of a method, which it now has.
    pub(crate) fn add_method(&mut self, id: MethodId, definitions: &Definitions) -> MethodIndex {
        if let Some(known) = self.by_id.methods.get(&id) {
            return *known;
        }
        let index = match definitions.methods.get(id) {
            None => {
                self.unknown_methods.note(id.0);
                self.unknown_method(&format!("{id:?}"))
            }
            Some(method) => {
                let class = definitions.classes.get(method.class);
                if class.is_none() {
                    self.unknown_classes.note(method.class.0);
                }
                let row = self.method_row(class, &method.name, &method.descriptor);
                self.push_method(row)
            }
        };
        self.by_id.methods.insert(id, index);
        index
    }

    fn unknown_method(&mut self, name: &str) -> MethodIndex {
        let row = self.method_row(None, name, "");
        self.push_method(row)
    }

    fn method_row(&mut self, class: Option<&Class>, name: &str, descriptor: &str) -> MethodRow {
        let class_name = class.map_or(UNKNOWN, |class| &class.name);
        let stable = stable_class(class_name);
        let generated = stable != class_name || class.is_some_and(|class| class.hidden);
        let loader = class.map_or("", |class| &class.loader);
        let loader = if generated {
            stable_loader(loader)
        } else {
            loader.to_owned()
        };
        let source_file = class.and_then(|class| class.source_file.as_deref());
        MethodRow {
            class: self.names.shared(&stable),
            loader: self.names.shared(&loader),
            source_file: source_file.map(|file| self.names.shared(file)),
            generated,
            name: self.names.shared(name),
            descriptor: self.names.shared(&stable_descriptor(descriptor)),
            reads_alike: false,
            increments: 0,
            one_per_site: 0,
        }
    }

    fn push_method(&mut self, row: MethodRow) -> MethodIndex {
        let name_of = |row: &MethodRow| {
            (
                Arc::clone(&row.class),
                Arc::clone(&row.loader),
                Arc::clone(&row.name),
                Arc::clone(&row.descriptor),
            )
        };
        let fresh = MethodIndex(self.methods.len());
        let index = *self.method_of_key.entry(name_of(&row)).or_insert(fresh);
        if index == fresh {
            self.methods.push(row);
        }
        index
    }
}

fn empty_site(key: SiteKey, size: Option<u32>) -> SiteRow {
    let (method, bci, line, kind, ty) = key;
    SiteRow {
        method,
        bci,
        line,
        kind,
        ty,
        facts: SiteFacts::default(),
        size,
        merged: 1,
        total: Tally::default(),
        bytes_unknown: 0,
        materialized: None,
        lengths: Vec::new(),
        parts: Vec::new(),
        threads: Vec::new(),
    }
}
