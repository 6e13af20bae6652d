//! The definitions of sites, classes and threads in a trace, in the form that a replay needs.

use std::sync::Arc;

use ducktrack_trace_format::{
    ArrayLayout, CallSiteId, ClassNameHash, FIRST_CALLED_SITE, HeapClass, HeapClassId,
    HeapClassSize, MethodId, ReferenceLayout, SiteFacts, SiteId, ThreadId,
};
use rustc_hash::FxHashMap;

use crate::MethodIndex;
use crate::column::{CallerColumn, SiteColumn, TypeColumn};

/// Site ids in events are below this; definitions of others are not for events.
pub(crate) const MOST_SITES: usize = 1 << 20;

/// Sites, types and threads by the ids that events use. Made by
/// [`CountModelBuilder::finish_trace`](crate::CountModelBuilder::finish_trace).
///
/// It can be shared by threads that decode: it answers as [`SiteFacts`].
#[derive(Clone, Debug, Default)]
pub struct TraceNames {
    /// By site id.
    pub(crate) sites: Vec<SiteEntry>,
    /// Sites with their callers, by number from the first of them on; `None`: the number is not used.
    pub(crate) called: Vec<Option<(SiteId, CallSiteId)>>,
    /// By site id, few.
    pub(crate) layouts: FxHashMap<SiteId, ArrayLayout>,
    /// Number of columns by site, that of "not known" included.
    pub site_columns: usize,
    /// Columns of calls.
    pub(crate) callers: FxHashMap<CallSiteId, CallerColumn>,
    /// All types.
    pub types: TypeNames,
    /// Types of classes by their ids.
    pub(crate) classes: FxHashMap<HeapClassId, TypeColumn>,
    /// The classes that were at an address one after the other, in the order of the trace.
    pub(crate) klasses: FxHashMap<u64, Vec<KlassEntry>>,
    /// The same classes as the trace has them, without their fields.
    pub heap_classes: Vec<HeapClass>,
    /// Names of threads.
    pub(crate) threads: FxHashMap<ThreadId, Arc<str>>,
    /// How the VM stores references.
    pub(crate) references: ReferenceLayout,
    /// By the number that records of calls use.
    pub called_methods: FxHashMap<u32, CalledMethodName>,
    /// Which static field a number of updates is: fields from 1 on, each once.
    pub static_fields: FxHashMap<u32, u32>,
    /// Their names: `class.field`.
    pub(crate) static_field_names: Vec<String>,
}

/// A method that records of calls name.
#[derive(Clone, Debug)]
pub struct CalledMethodName {
    /// The number in the trace.
    pub id: MethodId,
    /// Its row, if it has sites or calls.
    pub row: Option<MethodIndex>,
    /// Its class, with a stable name.
    pub class: String,
    /// Its name.
    pub name: String,
    /// Its source file, if known.
    pub file: String,
}

/// The facts about a site that events need.
#[derive(Clone, Copy, Debug, Default)]
pub struct SiteEntry {
    /// Its column.
    pub column: SiteColumn,
    /// The type that it states.
    pub ty: TypeColumn,
    /// Bytes of each object; 0: not fixed or not known.
    pub fixed: u32,
    /// Events have the size of each object.
    pub is_measured: bool,
    /// The class that its bytecode names, if all its objects are of that class.
    pub class: Option<ClassNameHash>,
}

/// A class at an address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KlassEntry {
    /// The type of its objects.
    pub(crate) ty: TypeColumn,
    /// The size of its objects.
    pub(crate) size: HeapClassSize,
}

/// Each type once, as a descriptor with stable names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeNames {
    names: Vec<Arc<str>>,
    position: FxHashMap<Arc<str>, TypeColumn>,
}

impl TypeNames {
    /// The column of a type, which is made if there is none.
    pub fn column(&mut self, name: &str) -> TypeColumn {
        if let Some(known) = self.position.get(name) {
            return *known;
        }
        let name: Arc<str> = Arc::from(name);
        self.names.push(Arc::clone(&name));
        let column = TypeColumn(u32::try_from(self.names.len()).unwrap_or_default());
        self.position.insert(name, column);
        column
    }

    /// The name of a column.
    pub fn name(&self, column: TypeColumn) -> Option<&Arc<str>> {
        self.names.get(column.position().checked_sub(1)?)
    }
}

impl TraceNames {
    /// The name of the static field with this number in records.
    pub fn static_field_name(&self, number: u32) -> Option<String> {
        let slot = *self.static_fields.get(&number)?;
        let at = usize::try_from(slot).ok()?.checked_sub(1)?;
        self.static_field_names.get(at).cloned()
    }

    /// The facts about a site.
    #[inline]
    pub fn site(&self, site: SiteId) -> SiteEntry {
        self.sites.get(site.0 as usize).copied().unwrap_or_default()
    }

    /// The meaning of the number in an event's word: a site, perhaps with a caller, and the facts about it. `None`: it is not defined.
    #[inline]
    pub fn in_word(&self, number: SiteId) -> Option<(SiteId, Option<CallSiteId>, &SiteEntry)> {
        if let Some(entry) = self.sites.get(number.0 as usize) {
            return Some((number, None, entry));
        }
        let (site, caller) = self.called(number)?;
        let entry = self.sites.get(site.0 as usize)?;
        Some((site, Some(caller), entry))
    }

    /// The facts about the number in an event's word: a site's, or that of a site and a caller.
    #[inline]
    fn said(&self, site: SiteId) -> SiteEntry {
        match self.sites.get(site.0 as usize) {
            Some(entry) => *entry,
            None => self
                .called(site)
                .map(|(site, _)| self.site(site))
                .unwrap_or_default(),
        }
    }

    /// The column of a call; 0 is no call.
    #[inline]
    pub fn caller(&self, call: CallSiteId) -> CallerColumn {
        match call {
            CallSiteId(0) => CallerColumn::NONE,
            known => self.callers.get(&known).copied().unwrap_or_default(),
        }
    }

    /// The type that each site states.
    pub fn column_types(&self) -> Vec<TypeColumn> {
        let mut types = vec![TypeColumn::NONE; self.site_columns];
        for entry in &self.sites {
            if let Some(ty) = types.get_mut(entry.column.position()) {
                *ty = entry.ty;
            }
        }
        if let Some(none) = types.first_mut() {
            *none = TypeColumn::NONE;
        }
        types
    }

    /// The type of a class.
    #[inline]
    pub fn class_type(&self, class: HeapClassId) -> TypeColumn {
        self.classes.get(&class).copied().unwrap_or_default()
    }

    /// The type of an object of a class at this address. An address that was used again: the last class whose objects can have these bytes.
    pub fn klass_type(&self, klass: u64, bytes: u64) -> TypeColumn {
        let classes = self.klasses.get(&klass).map_or(&[][..], Vec::as_slice);
        let can_have = |class: &&KlassEntry| match class.size {
            HeapClassSize::Instance(size) => u64::from(size) == bytes,
            HeapClassSize::Array { base, .. } => bytes >= u64::from(base),
            HeapClassSize::PerObject => true,
        };
        let fitting = classes.iter().rev().find(can_have);
        fitting
            .or(classes.last())
            .map_or(TypeColumn::NONE, |class| class.ty)
    }

    /// The name of a thread.
    pub fn thread(&self, thread: Option<ThreadId>) -> Option<Arc<str>> {
        self.threads.get(&thread?).cloned()
    }
}

impl SiteFacts for TraceNames {
    #[inline]
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        let fixed = self.said(site).fixed;
        (fixed != 0).then_some(fixed)
    }

    #[inline]
    fn is_measured(&self, site: SiteId) -> bool {
        self.said(site).is_measured
    }

    #[inline]
    fn called(&self, site: SiteId) -> Option<(SiteId, CallSiteId)> {
        let number = site.0.checked_sub(FIRST_CALLED_SITE)? as usize;
        if self.sites.len() > site.0 as usize {
            // Earlier agents have given this number to a site.
            return None;
        }
        self.called.get(number).copied().flatten()
    }

    fn array_layout(&self, site: SiteId) -> Option<ArrayLayout> {
        self.layouts.get(&site).copied()
    }

    fn class_name(&self, site: SiteId) -> Option<ClassNameHash> {
        self.said(site).class
    }

    fn references(&self) -> ReferenceLayout {
        self.references
    }
}
