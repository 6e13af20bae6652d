//! The registry of every class, method, site, counter and call site that was numbered.
//!
//! A class is identified by its loader and name, so that re-instrumenting it finds the same sites again. Data for the trace is handed over
//! as records and not kept. The registry keeps what re-instrumentation, sizes and the summary need.
//!
//! ```text
//! numbers       assigned without a lock while classes are rewritten
//! class_entry   the data needed to rewrite a class again
//! dictionary    the records for the trace, each written once
//! unsized_sites sites that wait for the size of a class
//! totals        the meaning of counters, for the summary
//! ```

mod class_entry;
mod dictionary;
mod identity;
mod numbers;
pub(crate) mod object_bytes;
mod totals;
mod unsized_sites;

use std::hash::{Hash, Hasher};

use ducktrack_class_rewriter::{ProfilePoints, RewrittenClass};
use ducktrack_classfile::{ClassFile, decode_modified_utf8};
use ducktrack_trace_format as format;
use ducktrack_trace_format::{MethodId, Record, SiteId};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use class_entry::ClassEntry;
use dictionary::{Dictionary, Registered};
use numbers::NextNumbers;

pub(crate) use identity::{ClassKey, LoaderId, NativeMethod, Origin};
pub(crate) use numbers::{ClassNumbers, KnownClass, MOST_SITES, MOST_SITES_OF_EVENTS};
pub(crate) use totals::{CallInfo, SiteInfo};

/// The registry.
pub(crate) struct Registry {
    pub(crate) next: NextNumbers,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    classes: FxHashMap<ClassKey, ClassEntry>,
    dictionary: Dictionary,
}

impl Registry {
    /// Site numbers are below `most_sites`. Numbers assigned by the previous run's registry are not reused.
    pub(crate) fn new(most_sites: u32, before: Option<&Self>) -> Self {
        Self {
            next: NextNumbers::new(most_sites, before.map(|before| &before.next)),
            state: Mutex::new(State::default()),
        }
    }

    /// Classes that were rewritten and can be restored.
    pub(crate) fn rewritten_classes(&self) -> FxHashSet<ClassKey> {
        self.state.lock().classes.keys().cloned().collect()
    }

    /// The number of counters that this run has assigned.
    pub(crate) fn counters(&self) -> u32 {
        self.next.counters()
    }

    /// Whether this run assigned the counter. Code of an earlier run may still be executing.
    pub(crate) fn has_counter(&self, counter: u32) -> bool {
        self.next.is_own_counter(counter)
    }

    /// Whether this run assigned the site.
    pub(crate) fn has_site(&self, site: u32) -> bool {
        self.next.is_own_site(site)
    }

    /// Whether this run assigned the call site.
    pub(crate) fn has_call_site(&self, call_site: u32) -> bool {
        self.next.is_own_call_site(call_site)
    }

    /// Takes the sites of this run, for later recordings: running frames continue to write events of these sites.
    pub(crate) fn take_sites(&self) -> Vec<(u32, SiteInfo)> {
        let mut state = self.state.lock();
        state.dictionary.meanings.take_infos(self.next.first_site())
    }

    /// Defines sites of earlier recordings for this one.
    pub(crate) fn define_earlier(&self, sites: &[(u32, SiteInfo)]) {
        self.state.lock().dictionary.add_earlier_sites(sites);
    }

    /// Frees the registry's memory after the run.
    pub(crate) fn forget(&self) {
        *self.state.lock() = State::default();
    }

    /// One more than the last counter number assigned.
    pub(crate) fn counter_end(&self) -> u32 {
        self.next.counter_end()
    }

    /// The numbers assigned when this class was rewritten before, from the same bytes.
    pub(crate) fn known(&self, key: &ClassKey, bytes: &[u8]) -> KnownClass {
        let state = self.state.lock();
        match state.classes.get(key) {
            Some(entry) if entry.bytes_hash == hash(bytes) => entry.known(),
            _ => KnownClass::default(),
        }
    }

    /// Registers the result of rewriting a class. `known` holds the numbers assigned earlier and during this rewriting; `sizes` holds
    /// object sizes by site, for classes that are prepared.
    pub(crate) fn register(
        &self,
        origin: &Origin<'_>,
        class: &ClassFile<'_>,
        rewritten: RewrittenClass,
        known: KnownClass,
        (layout, sizes): (&format::ObjectLayout, &FxHashMap<u32, u32>),
    ) {
        let mut state = self.state.lock();
        let State {
            classes,
            dictionary,
        } = &mut *state;
        let mut entry = entry_of(classes, origin, class);
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
            known.sites,
            known.call_sites,
        );
        dictionary.add_causes(&rewritten.causes);
        dictionary.add_record_names(&mut entry, &registered, &rewritten);
        for counter in &rewritten.counters {
            let version = known.versions.get(&counter.method).copied().unwrap_or(0);
            dictionary.add_counter(counter, version);
        }
        entry.set_versions(&known.versions, &known.profiles);
        for points in rewritten.profiles {
            dictionary.method(&mut entry, &registered, points.method);
            entry.set_points(points);
        }
        entry.set_owed(class, rewritten.owed);
        if !origin.hidden {
            classes.insert(origin.key.clone(), entry);
        }
    }

    /// Adds a site for objects that native code allocates in a method. They are counted under their classes.
    pub(crate) fn add_native_site(&self, blamed: &NativeMethod) -> Option<u32> {
        let number = self.next.new_site()?;
        self.state.lock().dictionary.add_native_site(number, blamed);
        Some(number)
    }

    /// Records which classes belong to the application.
    pub(crate) fn note_application(&self, application: &format::Application) {
        self.note(Record::Application(application.clone()));
    }

    /// Records that a whole class was refused.
    pub(crate) fn refuse(&self, class: &[u8], reason: &str) {
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

    /// Sets the sizes of the sites that allocate a class. `size_for` gives the size as seen from the loader of the site's class. Returns these sites.
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
        for (key, entry) in &state.classes {
            for method in entry.methods.values() {
                if let Some(points) = &method.points {
                    visit(key, method.version, points);
                }
            }
        }
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
        let entry = state.classes.get(key)?;
        entry.owed_by_frame(name, descriptor, bytecode_index, obsolete)
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

/// The entry of the class if its bytes are the same, or a new one. Hidden classes with the same name are all distinct.
fn entry_of(
    classes: &mut FxHashMap<ClassKey, ClassEntry>,
    origin: &Origin<'_>,
    class: &ClassFile<'_>,
) -> ClassEntry {
    let bytes_hash = hash(class.bytes());
    let same = classes
        .get(origin.key)
        .is_some_and(|entry| entry.bytes_hash == bytes_hash);
    let mut entry = match same && !origin.hidden {
        true => classes.remove(origin.key).unwrap_or_default(),
        false => ClassEntry::default(),
    };
    entry.bytes_hash = bytes_hash;
    entry
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = FxHasher::default();
    bytes.hash(&mut hasher);
    hasher.finish()
}
