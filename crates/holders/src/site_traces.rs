//! Sites of a trace as stack traces of a heap dump.

use rustc_hash::FxHashMap;

use ducktrack_analyses::LiveObjects;
use ducktrack_count_model::{CountModel, MethodIndex};
use ducktrack_heap_dump::{SiteFrame, SiteTrace};

use crate::join::colour_of;
use crate::type_table::Origin;

/// The stack traces of all makers, and which of them each object has.
#[derive(Debug)]
pub struct SiteTraces<'a> {
    objects: &'a LiveObjects,
    /// A trace of one frame, or of two with the caller to blame.
    pub traces: Vec<SiteTrace>,
    /// By maker.
    trace_of: Vec<Option<u32>>,
    /// A bit of the dump's identifiers that is in no address of the trace.
    colour: u64,
}

impl<'a> SiteTraces<'a> {
    /// The traces of all makers that have a site.
    pub fn new(model: &CountModel, objects: &'a LiveObjects) -> Self {
        let mut traces = Vec::new();
        let mut numbers: FxHashMap<Origin, u32> = FxHashMap::default();
        let makers = objects.makers().iter().map(|maker| {
            let origin = Origin {
                site: maker.site,
                call: maker.call,
            };
            origin.site?;
            if let Some(known) = numbers.get(&origin) {
                return Some(*known);
            }
            let next = u32::try_from(traces.len()).ok()?;
            traces.push(site_trace(model, origin)?);
            numbers.insert(origin, next);
            Some(next)
        });
        let trace_of = makers.collect();
        Self {
            objects,
            traces,
            trace_of,
            colour: 0,
        }
    }

    /// For a dump with these lowest and highest identifiers.
    pub fn of_identifiers(&mut self, ends: (u64, u64)) {
        self.colour = colour_of(ends, self.objects.addresses().last().unwrap_or(u64::MAX));
    }

    /// The trace of the object at an address.
    pub fn trace_of(&self, address: u64) -> Option<u32> {
        let place = self.objects.place(address & !self.colour)?;
        let maker = self.objects.facts_of(place)?.maker;
        self.trace_of.get(maker as usize).copied().flatten()
    }
}

fn site_trace(model: &CountModel, origin: Origin) -> Option<SiteTrace> {
    let site = model.sites.get(origin.site?.get())?;
    let mut trace = vec![frame(model, site.method, site.line)?];
    let call = origin.call.and_then(|call| model.calls.get(call.get()));
    trace.extend(call.and_then(|call| frame(model, call.method, call.line)));
    Some(trace)
}

fn frame(model: &CountModel, method: MethodIndex, line: Option<u16>) -> Option<SiteFrame> {
    let method = model.methods.get(method.get())?;
    Some(SiteFrame {
        class: method.class.to_string(),
        method: method.name.to_string(),
        descriptor: method.descriptor.to_string(),
        source: method.source_file.as_deref().unwrap_or_default().to_owned(),
        line,
    })
}
