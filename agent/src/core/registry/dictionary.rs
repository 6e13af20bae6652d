//! Builds the dictionary: one record for every class, method, site, counter and call site.
//!
//! Records wait here until a snapshot takes them. Object sizes are found after their sites and have their own records.

use std::sync::Arc;

use ducktrack_class_rewriter as rewriter;
use ducktrack_class_rewriter::RewrittenClass;
use ducktrack_classfile::{ClassFile, access, decode_modified_utf8};
use ducktrack_trace_format as format;
use ducktrack_trace_format::{ClassId, CounterId, MethodId, Record, SiteId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::class_entry::{ClassEntry, MethodEntry};
use super::identity::{LoaderId, NativeMethod, Origin};
use super::number_set::NumberSet;
use super::totals::{CallInfo, Meanings, SiteInfo, role};
use super::unsized_sites::UnsizedSites;
use crate::core::registry::object_bytes::object_bytes;

/// The loader of classes known only from an earlier recording.
const EARLIER: &str = "(earlier recording)";

/// Waiting records, the last numbers of classes and methods, and the data for the summary.
#[derive(Default)]
pub(super) struct Dictionary {
    pub(super) meanings: Meanings,
    pub(super) unsized_sites: UnsizedSites,
    pending: Vec<Record>,
    unsent_sizes: Vec<Record>,
    methods: u32,
    class_ids: u32,
    /// Classes that have sites but are not rewritten, by loader and name.
    native_classes: FxHashMap<(String, String), ClassId>,
    /// The numbers of static fields that have their records.
    static_fields: FxHashSet<u32>,
}

/// Records for which there is room when those before them have been taken:
/// as many as these were, so that a class's do not grow a list from nothing.
const ROOM_AT_MOST: usize = 256;

/// A class that is being registered.
pub(super) struct Registered<'a> {
    pub(super) id: ClassId,
    pub(super) class: &'a ClassFile<'a>,
    pub(super) loader: LoaderId,
    pub(super) layout: &'a format::ObjectLayout,
    /// Object sizes by site, for classes that are prepared.
    pub(super) sizes: &'a FxHashMap<u32, u32>,
}

impl Dictionary {
    /// Adds a record about the run.
    pub(super) fn note(&mut self, record: Record) {
        self.pending.push(record);
    }

    /// Takes the records that are not written yet. Sizes come after their sites.
    pub(super) fn take_pending(&mut self) -> Vec<Record> {
        let room = Vec::with_capacity(self.pending.len().min(ROOM_AT_MOST));
        let mut records = std::mem::replace(&mut self.pending, room);
        records.append(&mut self.unsent_sizes);
        records
    }

    /// Sets the sizes of sites that allocate a class, by loader. Returns these sites.
    pub(super) fn size_sites(
        &mut self,
        descriptor: &[u8],
        size_for: impl Fn(LoaderId) -> Option<u32>,
    ) -> Vec<(SiteId, u32)> {
        let sized = self.unsized_sites.take(descriptor, size_for);
        for (site, bytes) in sized.iter().copied() {
            self.set_size(site, bytes);
        }
        sized
    }

    /// Adds a class that is seen for the first time.
    pub(super) fn add_class(&mut self, origin: &Origin<'_>, class: &ClassFile<'_>) -> ClassId {
        self.class_ids += 1;
        let id = ClassId(self.class_ids);
        self.pending.push(Record::Class(format::Class {
            id,
            name: decode_modified_utf8(&origin.key.name).into_owned(),
            loader: origin.loader_name.to_owned(),
            hidden: origin.hidden,
            source_file: class
                .source_file()
                .map(|name| decode_modified_utf8(name).into_owned()),
        }));
        id
    }

    /// Records the parts of a class that were not instrumented.
    pub(super) fn add_refusals(&mut self, class: &ClassFile<'_>, refusals: &[rewriter::Refusal]) {
        for refusal in refusals {
            let method = refusal
                .method
                .and_then(|index| class.methods().nth(index.into()));
            self.pending.push(Record::Refusal(format::Refusal {
                class: decode_modified_utf8(class.name()).into_owned(),
                method: method.map(|method| {
                    format!(
                        "{}{}",
                        decode_modified_utf8(method.name()),
                        decode_modified_utf8(method.descriptor())
                    )
                }),
                reason: refusal.reason.name().to_owned(),
                sites: refusal.sites,
            }));
        }
    }

    /// Adds the sites and call sites that are not defined yet.
    pub(super) fn add_sites(
        &mut self,
        entry: &mut ClassEntry,
        registered: &Registered<'_>,
        rewritten: &RewrittenClass,
        (sites, call_sites): (&NumberSet, &NumberSet),
    ) {
        for site in &rewritten.sites {
            if sites.contains(site.id) {
                self.size_known_site(site, registered);
                continue;
            }
            let method = self.method(entry, registered, site.key.method);
            self.add_site(site, method, registered);
            sites.insert(site.id);
        }
        for call in &rewritten.counted_calls {
            if !sites.contains(call.id) {
                let method = self.method(entry, registered, call.key.method);
                self.add_counted_call(call, method);
                sites.insert(call.id);
            }
        }
        for call_site in &rewritten.call_sites {
            if !call_sites.contains(call_site.id) {
                let method = self.method(entry, registered, call_site.key.method);
                self.add_call_site(call_site, method, registered);
                call_sites.insert(call_site.id);
            }
        }
    }

    /// The method's number. The method's record is written before all records that refer to it.
    pub(super) fn method(
        &mut self,
        entry: &mut ClassEntry,
        registered: &Registered<'_>,
        index: u16,
    ) -> MethodId {
        if let Some(method) = entry.methods.get(&index) {
            return method.id;
        }
        self.methods += 1;
        let id = MethodId(self.methods);
        let method = registered.class.methods().nth(index.into());
        let text = |bytes: Option<&[u8]>| {
            bytes.map_or_else(String::new, |bytes| {
                decode_modified_utf8(bytes).into_owned()
            })
        };
        self.pending.push(Record::Method(format::Method {
            id,
            class: registered.id,
            name: text(method.as_ref().map(|method| method.name())),
            descriptor: text(method.as_ref().map(|method| method.descriptor())),
        }));
        entry.methods.insert(index, MethodEntry::new(id));
        id
    }

    fn add_site(
        &mut self,
        site: &rewriter::PlannedSite,
        method: MethodId,
        registered: &Registered<'_>,
    ) {
        let id = SiteId(site.id);
        let ty = site
            .ty
            .as_deref()
            .map(|ty| decode_modified_utf8(ty).into_owned());
        let bytes = object_bytes(&site.size, registered.layout)
            .or_else(|| registered.sizes.get(&site.id).copied());
        match (bytes, &site.size, &site.ty) {
            (Some(bytes), ..) => self.unsent_sizes.push(Record::SiteSize { site: id, bytes }),
            (None, rewriter::SizeRule::OfClass, Some(ty)) => {
                self.unsized_sites.wait(id, ty, registered.loader);
            }
            _ => {}
        }
        let (class, blamed) = self.names_of(registered, site.key.method);
        let info = SiteInfo {
            class,
            method: blamed,
            line: site.line,
            ty: self.meanings.name(ty.as_deref().unwrap_or_default()),
            bytes,
        };
        self.meanings.set_info(site.id, info);
        self.pending.push(Record::Site(format::Site {
            id,
            method,
            bci: u16::try_from(site.key.offset.0).unwrap_or(u16::MAX),
            line: site.line,
            kind: site.kind,
            ty,
        }));
        if site.facts != rewriter::BytecodeFacts::default() {
            self.pending
                .push(Record::BytecodeFacts(format::BytecodeFacts {
                    site: id,
                    loops: site.facts.loops,
                    captures: site.facts.captures,
                    passed_to: site.facts.passed_to.as_ref().map(method_name),
                }));
        }
    }

    /// The names of a class and of one of its methods.
    fn names_of(&mut self, registered: &Registered<'_>, method: u16) -> (Arc<str>, Arc<str>) {
        let class = decode_modified_utf8(registered.class.name());
        let method = registered.class.methods().nth(method.into());
        let method = method.map(|method| decode_modified_utf8(method.name()));
        (
            self.meanings.name(&class),
            self.meanings.name(&method.unwrap_or_default()),
        )
    }

    fn add_counted_call(&mut self, call: &rewriter::PlannedCall, method: MethodId) {
        self.pending.push(Record::CountedCall(format::CountedCall {
            id: SiteId(call.id),
            method,
            bci: u16::try_from(call.key.offset.0).unwrap_or(u16::MAX),
            line: call.line,
            target: method_name(&call.target),
            loops: call.loops,
            has_constant_argument: call.has_constant_argument,
        }));
    }

    /// Records which methods of a class take a variable number of arguments.
    pub(super) fn add_varargs_methods(&mut self, class: &ClassFile<'_>) {
        let text = |bytes: &[u8]| decode_modified_utf8(bytes).into_owned();
        let methods = class.methods();
        let methods = methods.filter(|method| method.access_flags() & access::VARARGS != 0);
        self.pending.extend(methods.map(|method| {
            Record::VarargsMethod(format::VarargsMethod {
                method: format::MethodName {
                    class: text(class.name()),
                    name: text(method.name()),
                    descriptor: text(method.descriptor()),
                },
            })
        }));
    }

    /// A site that was there before, without a size, is now also one of this loader's.
    fn size_known_site(&mut self, site: &rewriter::PlannedSite, registered: &Registered<'_>) {
        let (rewriter::SizeRule::OfClass, Some(ty)) = (&site.size, &site.ty) else {
            return;
        };
        let (id, loader) = (SiteId(site.id), registered.loader);
        if self.unsized_sites.wait_for(id, ty, loader)
            && let Some(bytes) = registered.sizes.get(&site.id)
        {
            self.size_sites(ty, |waits| (waits == loader).then_some(*bytes));
        }
    }

    fn set_size(&mut self, site: SiteId, bytes: u32) {
        self.meanings.set_bytes(site, bytes);
        self.unsent_sizes.push(Record::SiteSize { site, bytes });
    }

    fn native_class(&mut self, name: &str, loader: &str) -> ClassId {
        if let Some(id) = self
            .native_classes
            .get(&(loader.to_owned(), name.to_owned()))
        {
            return *id;
        }
        self.class_ids += 1;
        let id = ClassId(self.class_ids);
        self.native_classes
            .insert((loader.to_owned(), name.to_owned()), id);
        self.pending.push(Record::Class(format::Class {
            id,
            name: name.to_owned(),
            loader: loader.to_owned(),
            hidden: false,
            source_file: None,
        }));
        id
    }

    /// Adds a site for objects that native code allocates in a method.
    pub(super) fn add_native_site(&mut self, number: u32, blamed: &NativeMethod) {
        let class = self.native_class(&blamed.class, &blamed.loader);
        self.methods += 1;
        let method = MethodId(self.methods);
        self.pending.push(Record::Method(format::Method {
            id: method,
            class,
            name: blamed.method.clone(),
            descriptor: blamed.descriptor.clone(),
        }));
        self.pending.push(Record::Site(format::Site {
            id: SiteId(number),
            method,
            bci: 0,
            line: None,
            kind: format::AllocationKind::Jni,
            ty: None,
        }));
        let class = self.meanings.name(&blamed.class);
        let method = self.meanings.name(&blamed.method);
        self.meanings.set_info(
            number,
            SiteInfo {
                class,
                method,
                ..SiteInfo::default()
            },
        );
    }

    /// Adds sites of earlier recordings in this JVM. Not everything about them is known any more.
    pub(super) fn add_earlier_sites(&mut self, sites: &[(u32, SiteInfo)]) {
        let mut methods: FxHashMap<(ClassId, &str), MethodId> = FxHashMap::default();
        for (number, info) in sites {
            let id = SiteId(*number);
            let class = self.native_class(&info.class, EARLIER);
            let method = *methods.entry((class, &info.method)).or_insert_with(|| {
                self.methods += 1;
                let id = MethodId(self.methods);
                self.pending.push(Record::Method(format::Method {
                    id,
                    class,
                    name: info.method.as_ref().to_owned(),
                    descriptor: String::new(),
                }));
                id
            });
            let is_array = info.ty.starts_with('[');
            self.pending.push(Record::Site(format::Site {
                id,
                method,
                bci: 0,
                line: info.line,
                kind: match is_array {
                    true => format::AllocationKind::NewArray,
                    false => format::AllocationKind::New,
                },
                ty: (!info.ty.is_empty()).then(|| info.ty.as_ref().to_owned()),
            }));
            if let Some(bytes) = info.bytes {
                self.unsent_sizes.push(Record::SiteSize { site: id, bytes });
            }
            self.meanings.set_info(*number, info.clone());
        }
    }

    fn add_call_site(
        &mut self,
        call_site: &rewriter::PlannedCallSite,
        method: MethodId,
        registered: &Registered<'_>,
    ) {
        let (class, blamed) = self.names_of(registered, call_site.key.method);
        let info = CallInfo {
            class,
            method: blamed,
            line: call_site.line,
        };
        self.meanings.set_call(call_site.id, info);
        let (class, name) = &call_site.target;
        self.pending.push(Record::CallSite(format::CallSite {
            id: format::CallSiteId(call_site.id),
            method,
            bci: u16::try_from(call_site.key.offset.0).unwrap_or(u16::MAX),
            line: call_site.line,
            target: format!(
                "{}.{}",
                decode_modified_utf8(class),
                decode_modified_utf8(name)
            ),
        }));
    }

    /// Adds the names to which records of updates and calls refer.
    pub(super) fn add_record_names(
        &mut self,
        entry: &mut ClassEntry,
        registered: &Registered<'_>,
        rewritten: &RewrittenClass,
    ) {
        for called in &rewritten.called {
            if entry.called.insert(called.index, called.number) == Some(called.number) {
                continue;
            }
            let method = self.method(entry, registered, called.index);
            self.pending
                .push(Record::CalledMethod(format::CalledMethod {
                    number: called.number,
                    method,
                }));
        }
        let text = |bytes: &[u8]| decode_modified_utf8(bytes).into_owned();
        let known = &mut self.static_fields;
        let fields = rewritten.static_fields.iter();
        self.pending.extend(
            fields
                .filter(|field| known.insert(field.number))
                .map(|field| {
                    Record::StaticField(format::StaticField {
                        number: field.number,
                        class: text(&field.class),
                        name: text(&field.name),
                        descriptor: text(&field.descriptor),
                    })
                }),
        );
    }

    /// Marks calls that leave the application.
    pub(super) fn add_causes<'a>(
        &mut self,
        causes: impl Iterator<Item = &'a rewriter::PlannedCause>,
    ) {
        self.pending.extend(causes.map(|cause| {
            Record::Cause(format::Cause {
                call: format::CallSiteId(cause.call_site),
                first: CounterId(cause.first),
            })
        }));
    }

    /// Adds a counter and its meaning.
    pub(super) fn add_counter(&mut self, counter: &rewriter::PlannedCounter, version: u16) {
        let terms = self.meanings.add_counter(counter);
        let id = CounterId(counter.id);
        self.pending.push(Record::Counter(format::Counter {
            id,
            role: role(counter.role),
            version,
            terms,
        }));
        let calls = counter
            .terms
            .iter()
            .filter(|term| term.unit == format::Unit::Calls);
        let terms: Vec<_> = calls.map(|term| (SiteId(term.site), term.factor)).collect();
        if !terms.is_empty() {
            self.pending
                .push(Record::CallTerms(format::CallTerms { counter: id, terms }));
        }
    }
}

fn method_name(called: &rewriter::CalledMethodName) -> format::MethodName {
    let text = |bytes: &[u8]| decode_modified_utf8(bytes).into_owned();
    format::MethodName {
        class: text(&called.class),
        name: text(&called.name),
        descriptor: text(&called.descriptor),
    }
}
