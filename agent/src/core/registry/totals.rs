//! The meaning of counters, and the sums of their values per site.

use ducktrack_class_rewriter as rewriter;
use ducktrack_trace_format as format;
use ducktrack_trace_format::SiteId;
use rustc_hash::{FxHashMap, FxHashSet};

use std::sync::Arc;

use crate::threads::counter_block::FIRST_COUNTER;

/// How a counter of the rewriter grows, in the trace's terms.
pub(super) fn role(role: rewriter::Role) -> format::CounterRole {
    match role {
        rewriter::Role::Increment => format::CounterRole::Increment,
        rewriter::Role::Amount => format::CounterRole::Amount,
    }
}

/// The names of a site for the summary. Sites share equal names.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteInfo {
    pub(crate) class: Arc<str>,
    pub(crate) method: Arc<str>,
    pub(crate) line: Option<u16>,
    pub(crate) ty: Arc<str>,
    pub(crate) bytes: Option<u32>,
}

/// The names of a call site for a program's own measurements.
#[derive(Clone, Debug)]
pub(crate) struct CallInfo {
    pub(crate) class: Arc<str>,
    pub(crate) method: Arc<str>,
    pub(crate) line: Option<u16>,
}

#[derive(Clone, Copy, Debug)]
struct CounterInfo {
    first_term: u32,
    terms: u32,
    role: format::CounterRole,
}

/// Sites and counters by number.
#[derive(Default)]
pub(super) struct Meanings {
    sites: Vec<SiteInfo>,
    names: FxHashSet<Arc<str>>,
    calls: FxHashMap<u32, CallInfo>,
    counters: Vec<CounterInfo>,
    terms: Vec<format::Term>,
}

impl Meanings {
    /// Sets the data of a site.
    pub(super) fn set_info(&mut self, site: u32, new: SiteInfo) {
        let index = site as usize;
        if self.sites.len() <= index {
            make_room(&mut self.sites, index + 1);
            self.sites.resize_with(index + 1, SiteInfo::default);
        }
        if let Some(info) = self.sites.get_mut(index) {
            *info = new;
        }
    }

    /// A name for a site or a call site. Equal names are one.
    pub(super) fn name(&mut self, name: &str) -> Arc<str> {
        if let Some(known) = self.names.get(name) {
            return Arc::clone(known);
        }
        let name: Arc<str> = name.into();
        self.names.insert(Arc::clone(&name));
        name
    }

    /// Sets the data of a call site.
    pub(super) fn set_call(&mut self, number: u32, new: CallInfo) {
        self.calls.insert(number, new);
    }

    /// The data of a call site.
    pub(super) fn call(&self, number: u32) -> Option<&CallInfo> {
        self.calls.get(&number)
    }

    /// Takes the data of the sites from `first` on.
    pub(super) fn take_infos(&mut self, first: u32) -> Vec<(u32, SiteInfo)> {
        let sites = std::mem::take(&mut self.sites);
        let numbered = (0..).zip(sites).skip(first as usize);
        numbered
            .filter(|(_, info)| !info.class.is_empty())
            .collect()
    }

    /// Sets the size of a site's objects, which is found later.
    pub(super) fn set_bytes(&mut self, site: SiteId, bytes: u32) {
        if let Some(info) = self.sites.get_mut(site.0 as usize) {
            info.bytes = Some(bytes);
        }
    }

    /// Adds a counter; returns its terms of sites as the trace has them.
    pub(super) fn add_counter(&mut self, counter: &rewriter::PlannedCounter) -> Vec<format::Term> {
        let terms: Vec<format::Term> = counter
            .terms
            .iter()
            .filter(|term| term.unit != format::Unit::Calls)
            .map(|term| format::Term {
                site: SiteId(term.site),
                factor: term.factor,
                unit: term.unit,
            })
            .collect();
        let index = counter.id.saturating_sub(FIRST_COUNTER) as usize;
        if self.counters.len() <= index {
            make_room(&mut self.counters, index + 1);
            let empty = CounterInfo {
                first_term: 0,
                terms: 0,
                role: format::CounterRole::Amount,
            };
            self.counters.resize(index + 1, empty);
        }
        if let Some(info) = self.counters.get_mut(index) {
            *info = CounterInfo {
                first_term: u32::try_from(self.terms.len()).unwrap_or(u32::MAX),
                terms: u32::try_from(terms.len()).unwrap_or(0),
                role: role(counter.role),
            };
        }
        let length = self.terms.len() + terms.len();
        make_room(&mut self.terms, length);
        self.terms.extend_from_slice(&terms);
        terms
    }

    /// The data of each site, by site number.
    pub(super) fn infos(&self) -> &[SiteInfo] {
        &self.sites
    }

    /// Objects and bytes of each site, by site number, from counters. Keyed counts must be added.
    pub(super) fn totals(&self, counters: &FxHashMap<u32, u64>) -> Vec<(i128, i128)> {
        let mut totals = vec![(0, 0); self.sites.len()];
        for (id, value) in counters {
            let Some(counter) = id
                .checked_sub(FIRST_COUNTER)
                .and_then(|index| self.counters.get(index as usize))
            else {
                continue;
            };
            let (first, end) = (
                counter.first_term as usize,
                (counter.first_term + counter.terms) as usize,
            );
            for term in self.terms.get(first..end).unwrap_or_default() {
                let site = term.site.0 as usize;
                let (Some(total), Some(info)) = (totals.get_mut(site), self.sites.get(site)) else {
                    continue;
                };
                let amount = i128::from(*value) * i128::from(term.factor);
                match term.unit {
                    format::Unit::Count => {
                        total.0 += amount;
                        total.1 += amount * i128::from(info.bytes.unwrap_or(0));
                    }
                    format::Unit::Bytes => total.1 += amount,
                    _ => {}
                }
            }
        }
        totals
    }

    /// The sum of executed increments over these counters.
    pub(super) fn increments(&self, counters: &FxHashMap<u32, u64>) -> u64 {
        let is_increment = |id: &u32| {
            id.checked_sub(FIRST_COUNTER)
                .and_then(|index| self.counters.get(index as usize))
                .is_some_and(|counter| counter.role != format::CounterRole::Amount)
        };
        counters
            .iter()
            .filter(|(id, _)| is_increment(id))
            .map(|(_, value)| value)
            .sum()
    }
}

/// Reserves room for `length` elements and an eighth more; a vector by itself would double.
fn make_room<T>(elements: &mut Vec<T>, length: usize) {
    if length > elements.capacity() {
        let more = length - elements.len() + length / 8;
        elements.reserve_exact(more);
    }
}
