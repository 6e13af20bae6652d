//! Numbers of a trace as numbers of a neutral stream; each is defined when it is needed first.

use std::sync::Arc;

use ducktrack_merlin::{
    Definition, MethodId, Record, SiteId as StreamSite, SlotId, ThreadId as StreamThread, TypeId,
};
use ducktrack_trace_format::ThreadId;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::deaths::bridge::output::BridgeOutput;
use ducktrack_count_model::{
    CallIndex, CallerColumn, CountModel, MethodIndex, SiteColumn, SiteIndex, TraceNames, TypeColumn,
};

/// The names of a trace, and those that were written to the stream.
#[derive(Debug)]
pub(crate) struct BridgeNames {
    pub(crate) trace: TraceNames,
    pub(crate) model: CountModel,
    sites: FxHashMap<(SiteColumn, CallerColumn), StreamSite>,
    calls: FxHashMap<CallIndex, StreamSite>,
    methods: FxHashSet<MethodId>,
    called: FxHashMap<u32, MethodId>,
    types: FxHashSet<TypeColumn>,
    threads: FxHashMap<ThreadId, StreamThread>,
    thread: Option<StreamThread>,
}

impl BridgeNames {
    pub(crate) fn new(model: CountModel, trace: TraceNames) -> Self {
        Self {
            trace,
            model,
            sites: FxHashMap::default(),
            calls: FxHashMap::default(),
            methods: FxHashSet::default(),
            called: FxHashMap::default(),
            types: FxHashSet::default(),
            threads: FxHashMap::default(),
            thread: None,
        }
    }

    /// The events that follow are of this thread.
    pub(crate) fn switch_to(&mut self, thread: ThreadId, out: &mut BridgeOutput<'_>) {
        let next = StreamThread(self.threads.len() as u32 + 1);
        let number = *self.threads.entry(thread).or_insert(next);
        if number == next {
            let name = self.trace.thread(Some(thread));
            let name = name.map_or_else(|| format!("thread {}", thread.0), |name| name.to_string());
            let thread = number;
            out.define(Definition::Thread { thread, name });
        }
        if self.thread != Some(number) {
            self.thread = Some(number);
            out.push(Record::Thread(number));
        }
    }

    pub(crate) fn ty(&mut self, column: TypeColumn, out: &mut BridgeOutput<'_>) -> TypeId {
        if column != TypeColumn::NONE
            && self.types.insert(column)
            && let Some(name) = self.trace.types.name(column)
        {
            let (ty, name) = (TypeId(column.0), name.to_string());
            out.define(Definition::Type { ty, name });
        }
        TypeId(column.0)
    }

    pub(crate) fn site(
        &mut self,
        site: SiteColumn,
        caller: CallerColumn,
        out: &mut BridgeOutput<'_>,
    ) -> StreamSite {
        if let Some(known) = self.sites.get(&(site, caller)) {
            return *known;
        }
        let Some((method, line)) = site.site().and_then(|site| self.place_of(site)) else {
            return StreamSite(0);
        };
        let caller_site = caller
            .call()
            .map_or(StreamSite(0), |call| self.call(call, out));
        let number = self.define_site(method, line, caller_site, out);
        self.sites.insert((site, caller), number);
        number
    }

    fn place_of(&self, site: SiteIndex) -> Option<(MethodIndex, Option<u16>)> {
        let row = self.model.sites.get(site.get())?;
        Some((row.method, row.line))
    }

    fn call(&mut self, call: CallIndex, out: &mut BridgeOutput<'_>) -> StreamSite {
        if let Some(known) = self.calls.get(&call) {
            return *known;
        }
        let Some(row) = self.model.calls.get(call.get()) else {
            return StreamSite(0);
        };
        let (method, line) = (row.method, row.line);
        let number = self.define_site(method, line, StreamSite(0), out);
        self.calls.insert(call, number);
        number
    }

    fn define_site(
        &mut self,
        method: MethodIndex,
        line: Option<u16>,
        caller: StreamSite,
        out: &mut BridgeOutput<'_>,
    ) -> StreamSite {
        let method = self.method(method, out);
        let site = StreamSite((self.sites.len() + self.calls.len()) as u32 + 1);
        let line = line.map_or(0, u32::from);
        out.define(Definition::Site {
            site,
            method,
            line,
            caller,
        });
        site
    }

    fn method(&mut self, index: MethodIndex, out: &mut BridgeOutput<'_>) -> MethodId {
        let method = MethodId(u32::try_from(index.get() + 1).unwrap_or(0));
        if self.methods.insert(method)
            && let Some(row) = self.model.methods.get(index.get())
        {
            let text = |name: &Arc<str>| name.to_string();
            out.define(Definition::Method {
                method,
                class: text(&row.class),
                name: text(&row.name),
                file: row.source_file.as_ref().map(text).unwrap_or_default(),
            });
        }
        method
    }

    /// The method that a record of a call names; 0: the trace does not introduce it.
    pub(crate) fn called_method(&mut self, number: u32, out: &mut BridgeOutput<'_>) -> MethodId {
        if let Some(known) = self.called.get(&number) {
            return *known;
        }
        let Some(named) = self.trace.called_methods.get(&number) else {
            return MethodId(0);
        };
        let method = match named.row {
            Some(row) => self.method(row, out),
            None => {
                // Methods without sites come after those that have rows.
                let method = MethodId((self.model.methods.len() as u32 + 1).saturating_add(number));
                out.define(Definition::Method {
                    method,
                    class: named.class.clone(),
                    name: named.name.clone(),
                    file: named.file.clone(),
                });
                method
            }
        };
        self.called.insert(number, method);
        method
    }

    /// The slot of a static field; fields that the trace does not introduce share one.
    pub(crate) fn static_slot(&self, number: u32) -> SlotId {
        SlotId(self.trace.static_fields.get(&number).copied().unwrap_or(0))
    }
}
