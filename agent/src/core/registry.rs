//! The registry of every class, method, site, counter and call site that was numbered.
//!
//! A class is identified by its loader and name, and its numbers by the content of its class file: re-instrumenting it finds the same sites
//! again, and so do other loaders. Data for the trace is handed over as records and not kept. The registry keeps what re-instrumentation,
//! sizes and the summary need.
//!
//! ```text
//! numbers       assigned without a lock while classes are rewritten
//! contents      which class files have which numbers, and who defines classes from them
//! class_entry   the data needed to rewrite a class again
//! counter_plan  the counters that a rewriting has taken
//! kept_numbers  the numbers of class files, for the next recording
//! number_set    the numbers that this recording has defined
//! dictionary    the records for the trace, each written once
//! unsized_sites sites that wait for the size of a class
//! totals        the meaning of counters, for the summary
//! ```

mod class_entry;
mod contents;
mod counter_plan;
mod dictionary;
mod identity;
mod kept_numbers;
mod number_set;
mod numbers;
pub(crate) mod object_bytes;
mod totals;
mod unsized_sites;

use ducktrack_class_rewriter::{PlannedSite, ProfilePoints, RewrittenClass, SizeRule};
use ducktrack_classfile::{ClassFile, decode_modified_utf8};
use ducktrack_trace_format as format;
use ducktrack_trace_format::{CounterId, MethodId, Record, SiteId};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use contents::Contents;
use dictionary::{Dictionary, Registered};
use kept_numbers::KeptNumbers;
use number_set::NumberSet;
use numbers::NextNumbers;

pub(crate) use identity::{ClassContent, ClassKey, LoaderId, NativeMethod, Origin, hash_of};
pub(crate) use numbers::{ClassNumbers, KnownClass, MOST_SITES, MOST_SITES_OF_EVENTS};
pub(crate) use totals::{CallInfo, SiteInfo};

/// Blocks made, their bytes, blocks released, theirs.
const COUNTERS_OF_MAKER: u32 = 4;

/// The registry.
pub(crate) struct Registry {
    pub(crate) next: NextNumbers,
    counters: NumberSet,
    sites: NumberSet,
    call_sites: NumberSet,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Numbers of class files: those that the previous run has left, and after this run those that it leaves.
    kept: KeptNumbers,
    contents: Contents,
    dictionary: Dictionary,
    /// Classes that were refused as a whole, by name and reason.
    refused: FxHashSet<(Box<[u8]>, &'static str)>,
}

impl Registry {
    /// Site numbers are below `most_sites`. Numbers assigned by the previous run's registry are only given to the same class files.
    pub(crate) fn new(most_sites: u32, before: Option<&Self>) -> Self {
        let kept = before.map(|before| std::mem::take(&mut before.state.lock().kept));
        let state = State {
            kept: kept.unwrap_or_default(),
            ..State::default()
        };
        Self {
            next: NextNumbers::new(most_sites, before.map(|before| &before.next)),
            counters: NumberSet::default(),
            sites: NumberSet::default(),
            call_sites: NumberSet::default(),
            state: Mutex::new(state),
        }
    }

    /// Classes that were rewritten and can be restored.
    pub(crate) fn rewritten_classes(&self) -> FxHashSet<ClassKey> {
        self.state.lock().contents.keys().cloned().collect()
    }

    /// The number of counters that this run has defined.
    pub(crate) fn counters(&self) -> u32 {
        self.counters.len()
    }

    /// Whether this run has defined the counter. Code of an earlier run may still be executing.
    pub(crate) fn has_counter(&self, counter: u32) -> bool {
        self.counters.contains(counter)
    }

    /// Whether this run has defined the site.
    pub(crate) fn has_site(&self, site: u32) -> bool {
        self.sites.contains(site)
    }

    /// Whether this run has defined the call site.
    pub(crate) fn has_call_site(&self, call_site: u32) -> bool {
        self.call_sites.contains(call_site)
    }

    /// Takes the sites of this run, for later recordings: running frames continue to write events of these sites.
    pub(crate) fn take_sites(&self) -> Vec<(u32, SiteInfo)> {
        let mut state = self.state.lock();
        state.dictionary.meanings.take_infos(self.next.first_site())
    }

    /// Defines the sites of earlier recordings that no class has in this one.
    pub(crate) fn define_earlier(&self, sites: &[(u32, SiteInfo)]) {
        let mut state = self.state.lock();
        let undefined = sites.iter().filter(|(site, _)| !self.has_site(*site));
        let undefined: Vec<_> = undefined.cloned().collect();
        state.dictionary.add_earlier_sites(&undefined);
        undefined
            .iter()
            .for_each(|(site, _)| self.sites.insert(*site));
    }

    /// Frees the registry's memory after the run, except for the numbers of class files.
    pub(crate) fn forget(&self) {
        let mut state = self.state.lock();
        let kept = KeptNumbers::of(state.contents.living(), &state.kept);
        *state = State {
            kept,
            ..State::default()
        };
        drop(state);
        for numbers in [&self.counters, &self.sites, &self.call_sites] {
            numbers.clear();
        }
    }

    /// One more than the last counter number assigned.
    pub(crate) fn counter_end(&self) -> u32 {
        self.next.counter_end()
    }

    /// The numbers assigned when a class was rewritten before from the same bytes, by this loader or by another. `agree` tells whether all
    /// loaders have the same size of a class.
    pub(crate) fn known(
        &self,
        key: &ClassKey,
        content: ClassContent,
        agree: impl Fn(&[u8]) -> bool,
    ) -> KnownClass {
        let state = self.state.lock();
        let contents = &state.contents;
        let id = contents.find(key, content, agree);
        let known = id.and_then(|id| Some(contents.get(id)?.known(id)));
        let of_before = || state.kept.of_class(content, self.next.most_sites());
        known.or_else(of_before).unwrap_or_default()
    }

    /// Forgets the classes of loaders that are gone. Their sites and counters stay.
    pub(crate) fn forget_loaders(&self, gone: &FxHashSet<LoaderId>) {
        self.state.lock().contents.forget_loaders(gone);
    }

    /// Whether several loaders share sites that allocate this class.
    pub(crate) fn shares_sites_of(&self, descriptor: &[u8]) -> bool {
        self.state.lock().contents.is_shared(descriptor)
    }

    /// Registers the result of rewriting a class. `known` holds the numbers assigned earlier and during this rewriting; `sizes` holds
    /// object sizes by site, for classes that are prepared.
    pub(crate) fn register(
        &self,
        (origin, content): (&Origin<'_>, ClassContent),
        class: &ClassFile<'_>,
        rewritten: RewrittenClass,
        mut known: KnownClass,
        (layout, sizes): (&format::ObjectLayout, &FxHashMap<u32, u32>),
    ) {
        let mut state = self.state.lock();
        let State {
            contents,
            dictionary,
            ..
        } = &mut *state;
        let (id, mut entry) = contents.take(known.entry, content);
        if entry.id.is_none() {
            dictionary.add_refusals(class, &rewritten.refusals);
        }
        let registered = Registered {
            id: *entry
                .id
                .get_or_insert_with(|| dictionary.add_class(origin, class)),
            class,
            loader: origin.key.loader,
            layout,
            sizes,
        };
        dictionary.add_sites(
            &mut entry,
            &registered,
            &rewritten,
            (&self.sites, &self.call_sites),
        );
        entry.sites = std::mem::take(&mut known.sites);
        entry.call_sites = std::mem::take(&mut known.call_sites);
        let new_causes = rewritten.causes.iter();
        dictionary.add_causes(new_causes.filter(|cause| !self.has_counter(cause.first)));
        dictionary.add_record_names(&mut entry, &registered, &rewritten);
        for counter in &rewritten.counters {
            if self.has_counter(counter.id) {
                continue;
            }
            let version = known.versions.get(&counter.method).copied().unwrap_or(0);
            dictionary.add_counter(counter, version);
            self.counters.insert(counter.id);
        }
        entry.set_plan(&rewritten.counters, known.taken);
        entry.of_loader = sized_by_loader(&rewritten.sites);
        entry.set_versions(&known.versions, &known.profiles);
        for points in rewritten.profiles {
            dictionary.method(&mut entry, &registered, points.method);
            entry.set_points(points);
        }
        entry.set_owed(class, rewritten.owed);
        contents.put(origin.key, origin.hidden, id, entry);
    }

    /// Records which methods of a class take a variable number of arguments.
    pub(crate) fn note_varargs_methods(&self, class: &ClassFile<'_>) {
        self.state.lock().dictionary.add_varargs_methods(class);
    }

    /// Adds a site for objects that native code allocates in a method. They are counted under their classes.
    pub(crate) fn add_native_site(&self, blamed: &NativeMethod) -> Option<u32> {
        let number = self.next.new_site()?;
        self.sites.insert(number);
        self.state.lock().dictionary.add_native_site(number, blamed);
        Some(number)
    }

    /// Adds a maker of memory outside of the heap; the first of its counters.
    pub(crate) fn add_off_heap_maker(
        &self,
        kind: format::OffHeapKind,
        frames: Vec<format::OffHeapFrame>,
    ) -> Option<u32> {
        let first = self.next.new_counters(COUNTERS_OF_MAKER)?;
        for counter in first..first + COUNTERS_OF_MAKER {
            self.note(Record::Counter(format::Counter {
                id: CounterId(counter),
                role: format::CounterRole::Amount,
                version: 0,
                terms: Vec::new(),
            }));
            self.counters.insert(counter);
        }
        self.note(Record::OffHeapMaker(format::OffHeapMaker {
            first: CounterId(first),
            kind,
            frames,
        }));
        Some(first)
    }

    /// Records which classes belong to the application.
    pub(crate) fn note_application(&self, application: &format::Application) {
        self.note(Record::Application(application.clone()));
    }

    /// Records that a whole class was refused, once for each name.
    pub(crate) fn refuse(&self, class: &[u8], reason: &'static str) {
        if !self.state.lock().refused.insert((class.into(), reason)) {
            return;
        }
        self.note(Record::Refusal(format::Refusal {
            class: decode_modified_utf8(class).into_owned(),
            method: None,
            reason: reason.to_owned(),
            sites: 0,
        }));
    }

    /// Takes the records that are not written yet.
    pub(crate) fn take_pending(&self) -> Vec<Record> {
        self.state.lock().dictionary.take_pending()
    }

    /// Descriptors of classes that sites allocate but whose size is unknown.
    pub(crate) fn unsized_classes(&self) -> Vec<Box<[u8]>> {
        self.state.lock().dictionary.unsized_sites.descriptors()
    }

    /// Sets the sizes of the sites that allocate a class. `size_for` gives the
    /// size as seen from the loader of the site's class. Returns these sites.
    pub(crate) fn size_sites(
        &self,
        descriptor: &[u8],
        size_for: impl Fn(LoaderId) -> Option<u32>,
    ) -> Vec<(SiteId, u32)> {
        let mut state = self.state.lock();
        state.dictionary.size_sites(descriptor, size_for)
    }

    /// Visits each method whose current version measures edge frequencies, with its version number. Holds the registry's lock.
    pub(crate) fn visit_profiled(&self, mut visit: impl FnMut(&ClassKey, u16, &ProfilePoints)) {
        let state = self.state.lock();
        state.contents.each(|key, entry, version| {
            for (index, method) in &entry.methods {
                if let Some(points) = &method.points
                    && version(*index) == method.version
                {
                    visit(key, method.version, points);
                }
            }
        });
    }

    /// The id, the version and the points of a method's current version.
    pub(crate) fn version(
        &self,
        key: &ClassKey,
        method: u16,
    ) -> Option<(MethodId, u16, Option<ProfilePoints>)> {
        let state = self.state.lock();
        let (entry, _) = state.contents.of(key)?;
        let entry = entry.methods.get(&method)?;
        Some((entry.id, entry.version, entry.points.clone()))
    }

    /// The counter that holds the debt of a frame waiting in a call. An obsolete frame runs the version before the current one.
    pub(crate) fn owed_by_frame(
        &self,
        key: &ClassKey,
        name: &[u8],
        descriptor: &[u8],
        bytecode_index: u32,
        obsolete: bool,
    ) -> Option<u32> {
        let state = self.state.lock();
        let (entry, version) = state.contents.of(key)?;
        entry.owed_by_frame((name, descriptor), version, bytecode_index, obsolete)
    }

    /// Adds a record about the run.
    pub(crate) fn note(&self, record: Record) {
        self.state.lock().dictionary.note(record);
    }

    /// Objects and bytes of each site, by site number, from counters. Keyed counts must be added.
    pub(crate) fn totals(&self, counters: &FxHashMap<u32, u64>) -> Vec<(i128, i128)> {
        self.state.lock().dictionary.meanings.totals(counters)
    }

    /// Sites that these counters count, with their objects and bytes.
    pub(crate) fn measured_sites(
        &self,
        counters: &FxHashMap<u32, u64>,
    ) -> Vec<(SiteInfo, (i128, i128))> {
        let state = self.state.lock();
        let meanings = &state.dictionary.meanings;
        let totals = meanings.infos().iter().zip(meanings.totals(counters));
        totals
            .filter(|(_, amounts)| *amounts != (0, 0))
            .map(|(info, amounts)| (info.clone(), amounts))
            .collect()
    }

    /// The call site with this number.
    pub(crate) fn call_site(&self, number: u32) -> Option<CallInfo> {
        let state = self.state.lock();
        state.dictionary.meanings.call(number).cloned()
    }

    /// Visits each site in the order of site numbers. Holds the registry's lock.
    pub(crate) fn visit_sites(&self, visit: impl FnMut(&SiteInfo)) {
        self.state
            .lock()
            .dictionary
            .meanings
            .infos()
            .iter()
            .for_each(visit);
    }

    /// The site with this number.
    pub(crate) fn site(&self, number: usize) -> Option<SiteInfo> {
        let state = self.state.lock();
        state.dictionary.meanings.infos().get(number).cloned()
    }

    /// The sum of executed increments over these counters.
    pub(crate) fn increments(&self, counters: &FxHashMap<u32, u64>) -> u64 {
        self.state.lock().dictionary.meanings.increments(counters)
    }
}

/// The classes that sites allocate and that each loader may have defined for itself, with another size.
fn sized_by_loader(sites: &[PlannedSite]) -> Vec<Box<[u8]>> {
    let of_class = sites.iter().filter(|site| site.size == SizeRule::OfClass);
    let named = of_class.filter_map(|site| site.ty.as_deref());
    let mut classes: Vec<&[u8]> = named.filter(|ty| !ty.starts_with(b"Ljava/")).collect();
    classes.sort_unstable();
    classes.dedup();
    classes.into_iter().map(Into::into).collect()
}
