//! The dictionary: every class, method, site, counter and call site that was given a number.
//!
//! A class is known by its loader and name, so that re-instrumenting it finds the same sites again. What the trace needs is
//! handed over as records and forgotten here; what stays is what re-instrumentation, sizes and the summary ask for.

use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};

use ducktrack_class_rewriter as rewriter;
use ducktrack_class_rewriter::{MethodProfile, Numbers, ProfilePoints, RewrittenClass, SiteKey};
use ducktrack_classfile::{ClassFile, decode_modified_utf8};
use ducktrack_trace_format as format;
use ducktrack_trace_format::{ClassId, CounterId, MethodId, Record, SiteId};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHasher};

use crate::counter_block::{FIRST_COUNTER, WORDS};
use crate::object_bytes::object_bytes;
use crate::trace_words::{kind, role, unit};

/// Sites that share the 32 low bits of a key with the call site above.
const MOST_SITES: u32 = i32::MAX as u32;

/// Numbers that were given away; asked without a lock while classes are rewritten.
pub(crate) struct NextNumbers {
    site: AtomicU32,
    counter: AtomicU32,
    call_site: AtomicU32,
}

/// The dictionary.
pub(crate) struct Registry {
    pub(crate) next: NextNumbers,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    classes: FxHashMap<ClassKey, ClassEntry>,
    pending: Vec<Record>,
    methods: u32,
    sites: Vec<SiteInfo>,
    counters: Vec<CounterInfo>,
    terms: Vec<format::Term>,
    unsized_sites: Vec<(SiteId, Box<[u8]>, LoaderId)>,
    unsent_sizes: Vec<Record>,
    class_ids: u32,
    /// Classes that have sites without being rewritten, by loader and name.
    native_classes: FxHashMap<(String, String), ClassId>,
}

/// A class loader; 0 is the boot loader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct LoaderId(pub(crate) u32);

/// What identifies a class.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct ClassKey {
    pub(crate) loader: LoaderId,
    pub(crate) name: Box<[u8]>,
}

impl ClassKey {
    /// A class of the boot loader.
    pub(crate) fn of_boot(name: &[u8]) -> Self {
        Self {
            loader: LoaderId(0),
            name: name.into(),
        }
    }
}

/// Where a class comes from.
pub(crate) struct Origin<'a> {
    pub(crate) key: &'a ClassKey,
    pub(crate) loader_name: &'a str,
    pub(crate) hidden: bool,
}

/// A class under registration.
struct Registered<'a> {
    id: ClassId,
    class: &'a ClassFile<'a>,
    loader: LoaderId,
    layout: &'a format::ObjectLayout,
}

#[derive(Default)]
struct ClassEntry {
    id: Option<ClassId>,
    bytes_hash: u64,
    sites: FxHashMap<SiteKey, u32>,
    call_sites: FxHashMap<SiteKey, u32>,
    methods: FxHashMap<u16, MethodEntry>,
    /// What frames owe in each version of a method, by name and descriptor.
    owed: FxHashMap<MethodKey, OwedByVersion>,
}

/// Name and descriptor of a method.
type MethodKey = (Box<[u8]>, Box<[u8]>);

/// For each version, places of the rewritten code and the counter that says what is owed from there on.
type OwedByVersion = Vec<(u16, Vec<(u32, Option<u32>)>)>;

struct MethodEntry {
    id: MethodId,
    version: u16,
    /// Counters of the current version that tell edge frequencies.
    points: Option<ProfilePoints>,
    /// What the current version was placed for; none in the first version.
    profile: Option<MethodProfile>,
}

/// A method without bytecode that objects are made in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NativeMethod {
    pub(crate) class: String,
    pub(crate) loader: String,
    pub(crate) method: String,
    pub(crate) descriptor: String,
}

/// What the summary needs to name a site.
#[derive(Clone, Debug, Default)]
pub(crate) struct SiteInfo {
    pub(crate) class: Box<str>,
    pub(crate) method: Box<str>,
    pub(crate) line: Option<u16>,
    pub(crate) ty: Box<str>,
    pub(crate) bytes: Option<u32>,
}

#[derive(Clone, Copy, Debug)]
struct CounterInfo {
    first_term: u32,
    terms: u32,
    role: format::CounterRole,
}

/// What is known of a class when it is rewritten: the numbers of its sites.
#[derive(Default)]
pub(crate) struct KnownClass {
    sites: FxHashMap<SiteKey, u32>,
    call_sites: FxHashMap<SiteKey, u32>,
    /// Methods that were re-instrumented, with their versions.
    pub(crate) versions: FxHashMap<u16, u16>,
    /// The profiles that they were placed for.
    pub(crate) profiles: Vec<MethodProfile>,
}

/// Gives numbers to one class under rewriting.
pub(crate) struct ClassNumbers<'a> {
    next: &'a NextNumbers,
    known: &'a mut KnownClass,
}

impl<'a> ClassNumbers<'a> {
    pub(crate) fn new(next: &'a NextNumbers, known: &'a mut KnownClass) -> Self {
        Self { next, known }
    }
}

impl Numbers for ClassNumbers<'_> {
    fn site(&mut self, key: SiteKey) -> Option<u32> {
        numbered(&mut self.known.sites, &self.next.site, key)
    }

    fn counters(&mut self, count: u32) -> Option<u32> {
        let take = |next: u32| next.checked_add(count).filter(|end| *end <= WORDS);
        self.next
            .counter
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .ok()
    }

    fn call_site(&mut self, key: SiteKey) -> Option<u32> {
        numbered(&mut self.known.call_sites, &self.next.call_site, key)
    }
}

fn numbered(known: &mut FxHashMap<SiteKey, u32>, next: &AtomicU32, key: SiteKey) -> Option<u32> {
    if let Some(number) = known.get(&key) {
        return Some(*number);
    }
    let take = |number: u32| (number < MOST_SITES).then_some(number + 1);
    let number = next
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
        .ok()?;
    known.insert(key, number);
    Some(number)
}

impl Registry {
    pub(crate) fn new() -> Self {
        Self {
            next: NextNumbers {
                site: AtomicU32::new(1),
                counter: AtomicU32::new(FIRST_COUNTER),
                call_site: AtomicU32::new(1),
            },
            state: Mutex::new(State::default()),
        }
    }

    /// One more than the last counter given away.
    pub(crate) fn counter_end(&self) -> u32 {
        self.next.counter.load(Ordering::Relaxed)
    }

    /// The numbers that this class was given when it was rewritten before, from the same bytes.
    pub(crate) fn known(&self, key: &ClassKey, bytes: &[u8]) -> KnownClass {
        let state = self.state.lock();
        match state.classes.get(key) {
            Some(entry) if entry.bytes_hash == hash(bytes) => KnownClass {
                sites: entry.sites.clone(),
                call_sites: entry.call_sites.clone(),
                versions: entry
                    .methods
                    .iter()
                    .map(|(method, entry)| (*method, entry.version))
                    .collect(),
                profiles: entry
                    .methods
                    .values()
                    .filter_map(|method| method.profile.clone())
                    .collect(),
            },
            _ => KnownClass::default(),
        }
    }

    /// Takes over what rewriting a class gave. `known` has the numbers that it was given before and while it was rewritten.
    pub(crate) fn register(
        &self,
        origin: &Origin<'_>,
        class: &ClassFile<'_>,
        rewritten: RewrittenClass,
        known: KnownClass,
        layout: &format::ObjectLayout,
    ) {
        let mut state = self.state.lock();
        let bytes_hash = hash(class.bytes());
        let same = state
            .classes
            .get(origin.key)
            .is_some_and(|entry| entry.bytes_hash == bytes_hash);
        let mut entry = match same && !origin.hidden {
            true => state.classes.remove(origin.key).unwrap_or_default(),
            false => ClassEntry::default(),
        };
        entry.bytes_hash = bytes_hash;
        if entry.id.is_none() {
            state.add_refusals(class, &rewritten.refusals);
        }
        let id = *entry
            .id
            .get_or_insert_with(|| state.add_class(origin, class));
        let registered = Registered {
            id,
            class,
            loader: origin.key.loader,
            layout,
        };
        state.add_sites(
            &mut entry,
            &registered,
            &rewritten,
            known.sites,
            known.call_sites,
        );
        for counter in rewritten.counters {
            let version = known.versions.get(&counter.method).copied().unwrap_or(0);
            state.add_counter(counter, version);
        }
        entry.set_versions(&known.versions, &known.profiles);
        for points in rewritten.profiles {
            state.method(&mut entry, &registered, points.method);
            if let Some(method) = entry.methods.get_mut(&points.method) {
                method.points = Some(points);
            }
        }
        entry.set_owed(class, rewritten.owed);
        if !origin.hidden {
            state.classes.insert(origin.key.clone(), entry);
        }
    }

    /// A new site for what native code makes in a method; its objects are filed under their classes.
    pub(crate) fn add_native_site(&self, blamed: &NativeMethod) -> Option<u32> {
        let take = |number: u32| (number < MOST_SITES).then_some(number + 1);
        let number = self
            .next
            .site
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .ok()?;
        let mut state = self.state.lock();
        let class = state.native_class(&blamed.class, &blamed.loader);
        state.add_native_site(number, class, blamed);
        Some(number)
    }

    /// A refusal of a whole class.
    pub(crate) fn refuse(&self, class: &[u8], reason: &str) {
        self.state
            .lock()
            .pending
            .push(Record::Refusal(format::Refusal {
                class: decode_modified_utf8(class).into_owned(),
                method: None,
                reason: reason.to_owned(),
                sites: 0,
            }));
    }

    /// Records that are not written yet.
    pub(crate) fn take_pending(&self) -> Vec<Record> {
        let mut state = self.state.lock();
        let mut records = std::mem::take(&mut state.pending);
        records.append(&mut state.unsent_sizes);
        records
    }

    /// Sites whose class has no known size yet: number, class descriptor, loader of the class they are in.
    pub(crate) fn unsized_sites(&self) -> Vec<(SiteId, Box<[u8]>, LoaderId)> {
        self.state.lock().unsized_sites.clone()
    }

    /// Sizes that were found.
    pub(crate) fn set_sizes(&self, sizes: &FxHashMap<SiteId, u32>) {
        let mut state = self.state.lock();
        state
            .unsized_sites
            .retain(|(site, _, _)| !sizes.contains_key(site));
        for (site, bytes) in sizes {
            if let Some(info) = state.sites.get_mut(site.0 as usize) {
                info.bytes = Some(*bytes);
            }
            state.unsent_sizes.push(Record::SiteSize {
                site: *site,
                bytes: *bytes,
            });
        }
    }

    /// Methods whose current version tells edge frequencies.
    pub(crate) fn profiled(&self) -> Vec<(ClassKey, ProfilePoints)> {
        let state = self.state.lock();
        let mut profiled = Vec::new();
        for (key, entry) in &state.classes {
            let points = entry
                .methods
                .values()
                .filter_map(|method| method.points.as_ref());
            profiled.extend(points.map(|points| (key.clone(), points.clone())));
        }
        profiled
    }

    /// The id, the version and the points of a method's current version.
    pub(crate) fn version(
        &self,
        key: &ClassKey,
        method: u16,
    ) -> Option<(MethodId, u16, Option<ProfilePoints>)> {
        let state = self.state.lock();
        let entry = state.classes.get(key)?.methods.get(&method)?;
        Some((entry.id, entry.version, entry.points.clone()))
    }

    /// The counter that says what a frame owes that waits in a call. An obsolete frame runs the version before the current one.
    pub(crate) fn owed_by_frame(
        &self,
        key: &ClassKey,
        name: &[u8],
        descriptor: &[u8],
        bytecode_index: u32,
        obsolete: bool,
    ) -> Option<u32> {
        let state = self.state.lock();
        let versions = state
            .classes
            .get(key)?
            .owed
            .get(&(name.into(), descriptor.into()))?;
        let (_, from) = if obsolete {
            versions.iter().rev().nth(1)
        } else {
            versions.last()
        }?;
        let next = from.partition_point(|(index, _)| *index <= bytecode_index);
        from.get(next.checked_sub(1)?)?.1
    }

    /// Adds a record about a run of the agent.
    pub(crate) fn note(&self, record: Record) {
        self.state.lock().pending.push(record);
    }

    /// Sites by number with the objects and bytes that counters say, for the summary. Keyed counts come on top.
    pub(crate) fn totals(&self, counters: &FxHashMap<u32, u64>) -> Vec<(SiteInfo, i128, i128)> {
        let state = self.state.lock();
        let mut totals: Vec<(SiteInfo, i128, i128)> = state
            .sites
            .iter()
            .map(|info| (info.clone(), 0, 0))
            .collect();
        for (id, value) in counters {
            let Some(counter) = id
                .checked_sub(FIRST_COUNTER)
                .and_then(|index| state.counters.get(index as usize))
            else {
                continue;
            };
            let (first, end) = (
                counter.first_term as usize,
                (counter.first_term + counter.terms) as usize,
            );
            for term in state.terms.get(first..end).unwrap_or_default() {
                let Some(total) = totals.get_mut(term.site.0 as usize) else {
                    continue;
                };
                let amount = i128::from(*value) * i128::from(term.factor);
                match term.unit {
                    format::Unit::Count => {
                        total.1 += amount;
                        total.2 += amount * i128::from(total.0.bytes.unwrap_or(0));
                    }
                    format::Unit::Bytes => total.2 += amount,
                    _ => {}
                }
            }
        }
        totals
    }

    /// Executed increments among these counters.
    pub(crate) fn increments(&self, counters: &FxHashMap<u32, u64>) -> u64 {
        let state = self.state.lock();
        let is_increment = |id: &u32| {
            id.checked_sub(FIRST_COUNTER)
                .and_then(|index| state.counters.get(index as usize))
                .is_some_and(|counter| counter.role != format::CounterRole::Amount)
        };
        counters
            .iter()
            .filter(|(id, _)| is_increment(id))
            .map(|(_, value)| value)
            .sum()
    }
}

impl ClassEntry {
    /// The versions of its methods, and what they were placed for.
    fn set_versions(&mut self, versions: &FxHashMap<u16, u16>, profiles: &[MethodProfile]) {
        for (index, version) in versions {
            if let Some(method) = self.methods.get_mut(index) {
                method.version = *version;
                method.points = None;
                method.profile = profiles
                    .iter()
                    .find(|profile| profile.method == *index)
                    .cloned();
            }
        }
    }

    /// What frames of the current versions owe.
    fn set_owed(&mut self, class: &ClassFile<'_>, owed: Vec<rewriter::OwedByFrames>) {
        for owed in owed {
            let version = self
                .methods
                .get(&owed.method)
                .map_or(0, |method| method.version);
            if let Some(method) = class.methods().nth(owed.method.into()) {
                let versions = self
                    .owed
                    .entry((method.name().into(), method.descriptor().into()))
                    .or_default();
                versions.retain(|(known, _)| *known != version);
                versions.push((version, owed.from));
            }
        }
    }
}

impl State {
    fn add_class(&mut self, origin: &Origin<'_>, class: &ClassFile<'_>) -> ClassId {
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

    fn add_refusals(&mut self, class: &ClassFile<'_>, refusals: &[rewriter::Refusal]) {
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

    /// Adds the sites and call sites that are new.
    fn add_sites(
        &mut self,
        entry: &mut ClassEntry,
        registered: &Registered<'_>,
        rewritten: &RewrittenClass,
        sites: FxHashMap<SiteKey, u32>,
        call_sites: FxHashMap<SiteKey, u32>,
    ) {
        let had_sites = std::mem::replace(&mut entry.sites, sites);
        let had_call_sites = std::mem::replace(&mut entry.call_sites, call_sites);
        for site in rewritten
            .sites
            .iter()
            .filter(|site| !had_sites.contains_key(&site.key))
        {
            let method = self.method(entry, registered, site.key.method);
            self.add_site(site, method, registered);
        }
        for call_site in rewritten
            .call_sites
            .iter()
            .filter(|site| !had_call_sites.contains_key(&site.key))
        {
            let method = self.method(entry, registered, call_site.key.method);
            self.add_call_site(call_site, method);
        }
    }

    fn method(
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
        entry.methods.insert(
            index,
            MethodEntry {
                id,
                version: 0,
                points: None,
                profile: None,
            },
        );
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
        let bytes = object_bytes(&site.size, registered.layout);
        match (bytes, &site.size, &site.ty) {
            (Some(bytes), ..) => self.unsent_sizes.push(Record::SiteSize { site: id, bytes }),
            (None, rewriter::SizeRule::OfClass, Some(ty)) => {
                self.unsized_sites.push((id, ty.clone(), registered.loader));
            }
            _ => {}
        }
        let name = registered.class.methods().nth(site.key.method.into());
        self.set_info(
            site.id,
            SiteInfo {
                class: decode_modified_utf8(registered.class.name()).into(),
                method: name
                    .map(|method| decode_modified_utf8(method.name()).into())
                    .unwrap_or_default(),
                line: site.line,
                ty: ty.clone().unwrap_or_default().into(),
                bytes,
            },
        );
        self.pending.push(Record::Site(format::Site {
            id,
            method,
            bci: u16::try_from(site.key.offset.0).unwrap_or(u16::MAX),
            line: site.line,
            kind: kind(site.kind),
            ty,
        }));
    }

    fn set_info(&mut self, site: u32, new: SiteInfo) {
        let index = site as usize;
        if self.sites.len() <= index {
            self.sites.resize_with(index + 1, SiteInfo::default);
        }
        if let Some(info) = self.sites.get_mut(index) {
            *info = new;
        }
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

    fn add_native_site(&mut self, number: u32, class: ClassId, blamed: &NativeMethod) {
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
        let (class, method) = (blamed.class.as_str().into(), blamed.method.as_str().into());
        self.set_info(
            number,
            SiteInfo {
                class,
                method,
                ..SiteInfo::default()
            },
        );
    }

    fn add_call_site(&mut self, call_site: &rewriter::PlannedCallSite, method: MethodId) {
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

    fn add_counter(&mut self, counter: rewriter::PlannedCounter, version: u16) {
        let terms: Vec<format::Term> = counter
            .terms
            .iter()
            .map(|term| format::Term {
                site: SiteId(term.site),
                factor: term.factor,
                unit: unit(term.unit),
            })
            .collect();
        let index = counter.id.saturating_sub(FIRST_COUNTER) as usize;
        if self.counters.len() <= index {
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
        self.terms.extend_from_slice(&terms);
        self.pending.push(Record::Counter(format::Counter {
            id: CounterId(counter.id),
            role: role(counter.role),
            version,
            terms,
        }));
    }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    hasher.finish()
}
