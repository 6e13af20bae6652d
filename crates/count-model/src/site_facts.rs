//! Facts about sites that only their bytecode has.

use std::sync::Arc;

use ducktrack_trace_format::{
    AllocationKind, BytecodeFacts, Captures, MethodName, Site, SiteId, VarargsMethod,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// The facts of one site; of merged sites, those of the first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteFacts {
    /// Loops of its method around it.
    pub loops: u8,
    /// Of a closure: the values that it captures.
    pub captures: Captures,
    /// Of an array: the method that takes it as its last argument.
    pub passed_to: Option<Arc<MethodName>>,
}

/// The facts of all sites.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteFactsTable {
    facts: FxHashMap<SiteId, SiteFacts>,
    varargs: FxHashSet<MethodName>,
    /// The same without their classes: the code may name a class that inherits the method.
    inherited: FxHashSet<(String, String)>,
}

impl SiteFactsTable {
    pub(crate) fn add(&mut self, facts: BytecodeFacts) {
        let known = SiteFacts {
            loops: facts.loops,
            captures: facts.captures,
            passed_to: facts.passed_to.map(Arc::new),
        };
        self.facts.insert(facts.site, known);
    }

    pub(crate) fn add_varargs(&mut self, varargs: VarargsMethod) {
        let MethodName {
            name, descriptor, ..
        } = &varargs.method;
        self.inherited.insert((name.clone(), descriptor.clone()));
        self.varargs.insert(varargs.method);
    }

    pub(crate) fn of(&self, site: SiteId) -> SiteFacts {
        self.facts.get(&site).cloned().unwrap_or_default()
    }

    /// How a site allocates. Whether an array is that of a call with variable arguments is known when the called method is.
    pub(crate) fn kind(&self, site: &Site) -> AllocationKind {
        let facts = self.facts.get(&site.id);
        let passed_to = facts.and_then(|facts| facts.passed_to.as_ref());
        match passed_to {
            Some(method) if self.takes_varargs(method) => AllocationKind::Varargs,
            _ => site.kind,
        }
    }

    fn takes_varargs(&self, method: &MethodName) -> bool {
        self.varargs.contains(method)
            || self
                .inherited
                .contains(&(method.name.clone(), method.descriptor.clone()))
    }
}
