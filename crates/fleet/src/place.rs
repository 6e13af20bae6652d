//! A row of the dictionary: a site, or a call that allocations are filed under.

use std::sync::Arc;

use ducktrack_count_model::{CallIndex, CountModel, MethodRow, SiteIndex};
use ducktrack_reports::type_name;

use crate::SiteId;
use crate::ordinals::Ordinals;

/// A place in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its identity across hosts and builds.
    pub id: SiteId,
    /// Class, with dots.
    pub class: String,
    /// Method.
    pub method: Arc<str>,
    /// Descriptor of the method.
    pub descriptor: Arc<str>,
    /// Which of its like in the method.
    pub ordinal: u32,
    /// Bytecode index, in this build.
    pub bci: u16,
    /// Line, in this build.
    pub line: Option<u16>,
    /// Source file.
    pub file: Option<Arc<str>>,
    /// The type that is allocated, or the method that is called.
    pub ty: String,
    /// The way of allocating, or `call`.
    pub how: &'static str,
}

impl Place {
    /// The package of the class; empty for none.
    pub fn package(&self) -> &str {
        self.class
            .rsplit_once('.')
            .map_or("", |(package, _)| package)
    }
}

/// The way of a call.
const CALL: &str = "call";

/// Names the places of a model.
pub(crate) struct PlaceBook<'m> {
    model: &'m CountModel,
    ordinals: Ordinals,
}

impl<'m> PlaceBook<'m> {
    pub(crate) fn of(model: &'m CountModel) -> Self {
        Self {
            model,
            ordinals: Ordinals::of(model),
        }
    }

    /// A site, and which type of objects it makes, where that is not always the same.
    pub(crate) fn site_id(&self, site: SiteIndex, ty: Option<&str>) -> SiteId {
        let row = self.model.site(site);
        let method = self.model.method(row.method);
        let number = self.ordinal(&self.ordinals.sites, site.get());
        id(method, row.kind.name(), ty.unwrap_or_default(), number)
    }

    pub(crate) fn site(&self, site: SiteIndex, ty: Option<&str>) -> Place {
        let row = self.model.site(site);
        let method = self.model.method(row.method);
        Place {
            id: self.site_id(site, ty),
            bci: row.bci,
            line: row.line,
            ordinal: self.ordinal(&self.ordinals.sites, site.get()),
            ty: type_name(ty),
            how: row.kind.name(),
            ..in_method(method)
        }
    }

    pub(crate) fn call_id(&self, call: CallIndex) -> SiteId {
        let row = self.model.call(call);
        let number = self.ordinal(&self.ordinals.calls, call.get());
        id(self.model.method(row.method), CALL, &row.target, number)
    }

    pub(crate) fn call(&self, call: CallIndex) -> Place {
        let row = self.model.call(call);
        Place {
            id: self.call_id(call),
            bci: row.bci,
            line: row.line,
            ordinal: self.ordinal(&self.ordinals.calls, call.get()),
            ty: row.target.replace('/', "."),
            how: CALL,
            ..in_method(self.model.method(row.method))
        }
    }

    fn ordinal(&self, ordinals: &[u32], at: usize) -> u32 {
        ordinals.get(at).copied().unwrap_or_default()
    }
}

fn id(method: &MethodRow, how: &str, what: &str, ordinal: u32) -> SiteId {
    SiteId::of(&[
        &method.class,
        &method.name,
        &method.descriptor,
        how,
        what,
        &ordinal.to_string(),
    ])
}

fn in_method(method: &MethodRow) -> Place {
    Place {
        id: SiteId([0; 16]),
        class: method.class.replace('/', "."),
        method: Arc::clone(&method.name),
        descriptor: Arc::clone(&method.descriptor),
        ordinal: 0,
        bci: 0,
        line: None,
        file: method.source_file.clone(),
        ty: String::new(),
        how: CALL,
    }
}
