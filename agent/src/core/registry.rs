//! The registry: every class, method, site, counter and call site that was given a number.
//!
//! A class is known by its loader and name, so that re-instrumenting it finds the same sites again. What the trace needs is
//! handed over as records and forgotten here; what stays is what re-instrumentation, sizes and the summary ask for.
//!
//! ```text
//! numbers       given without a lock while classes are rewritten
//! class_entry   what is kept of a class for rewriting it again
//! dictionary    the records that the trace gets, once
//! unsized_sites sites that wait for the size of a class
//! totals        what counters stand for, for the summary
//! ```

mod class_entry;
mod dictionary;
mod identity;
mod numbers;
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
pub(crate) use totals::SiteInfo;

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
    /// Sites get numbers below `most_sites`; no number is given that the registry of the run before has given.
    pub(crate) fn new(most_sites: u32, before: Option<&Self>) -> Self {
        Self {
            next: NextNumbers::new(most_sites, before.map(|before| &before.next)),
            state: Mutex::new(State::default()),
        }
    }

    /// Classes that were rewritten and can be changed back.
    pub(crate) fn rewritten_classes(&self) -> FxHashSet<ClassKey> {
        self.state.lock().classes.keys().cloned().collect()
    }

    /// Counters that this run has given away.
    pub(crate) fn counters(&self) -> u32 {
        self.next.counters()
    }

    /// Whether a counter was given by this run: code of an earlier one may still run.
    pub(crate) fn has_counter(&self, counter: u32) -> bool {
        self.next.is_own_counter(counter)
    }

    /// Whether a site was given by this run.
    pub(crate) fn has_site(&self, site: u32) -> bool {
        self.next.is_own_site(site)
    }

    /// Whether a call site was given by this run.
    pub(crate) fn has_call_site(&self, call_site: u32) -> bool {
        self.next.is_own_call_site(call_site)
    }

    /// The sites of this run, for the recordings after it: frames that were entered with its probes go on writing events of these sites.
    pub(crate) fn take_sites(&self) -> Vec<(u32, SiteInfo)> {
        let mut state = self.state.lock();
        state.dictionary.meanings.take_infos(self.next.first_site())
    }

    /// Defines sites of earlier recordings for this one.
    pub(crate) fn define_earlier(&self, sites: &[(u32, SiteInfo)]) {
        self.state.lock().dictionary.add_earlier_sites(sites);
    }

    /// The run is over: what it knew takes no memory any more.
    pub(crate) fn forget(&self) {
        *self.state.lock() = State::default();
    }

    /// One more than the last counter given away.
    pub(crate) fn counter_end(&self) -> u32 {
        self.next.counter_end()
    }

    /// The numbers that this class was given when it was rewritten before, from the same bytes.
    pub(crate) fn known(&self, key: &ClassKey, bytes: &[u8]) -> KnownClass {
        let state = self.state.lock();
        match state.classes.get(key) {
            Some(entry) if entry.bytes_hash == hash(bytes) => entry.known(),
            _ => KnownClass::default(),
        }
    }

    /// Takes over what rewriting a class gave. `known` has the numbers that it was given before and while it was rewritten, `sizes` those of objects by
    /// site, of classes that are prepared.
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

    /// A new site for what native code makes in a method; its objects are filed under their classes.
    pub(crate) fn add_native_site(&self, blamed: &NativeMethod) -> Option<u32> {
        let number = self.next.new_site()?;
        self.state.lock().dictionary.add_native_site(number, blamed);
        Some(number)
    }

    /// Which classes are the application's.
    pub(crate) fn note_application(&self, application: &format::Application) {
        self.note(Record::Application(application.clone()));
    }

    /// A refusal of a whole class.
    pub(crate) fn refuse(&self, class: &[u8], reason: &str) {
        self.note(Record::Refusal(format::Refusal {
            class: decode_modified_utf8(class).into_owned(),
            method: None,
            reason: reason.to_owned(),
            sites: 0,
        }));
    }

    /// Records that are not written yet.
    pub(crate) fn take_pending(&self) -> Vec<Record> {
        self.state.lock().dictionary.take_pending()
    }

    /// Descriptors of classes that have no known size yet and whose objects sites make.
    pub(crate) fn unsized_classes(&self) -> Vec<Box<[u8]>> {
        self.state.lock().dictionary.unsized_sites.descriptors()
    }

    /// Gives sites of a class the sizes that were found, by the loaders of the classes they are in; those sites.
    pub(crate) fn size_sites(
        &self,
        descriptor: &[u8],
        size_for: impl Fn(LoaderId) -> Option<u32>,
    ) -> Vec<(SiteId, u32)> {
        let mut state = self.state.lock();
        state.dictionary.size_sites(descriptor, size_for)
    }

    /// Shows each method whose current version tells edge frequencies, with the number of that version. The registry is locked meanwhile.
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
        let entry = state.classes.get(key)?;
        entry.owed_by_frame(name, descriptor, bytecode_index, obsolete)
    }

    /// Adds a record about a run of the agent.
    pub(crate) fn note(&self, record: Record) {
        self.state.lock().dictionary.note(record);
    }

    /// Objects and bytes of each site, by number, as counters say. Keyed counts come on top.
    pub(crate) fn totals(&self, counters: &FxHashMap<u32, u64>) -> Vec<(i128, i128)> {
        self.state.lock().dictionary.meanings.totals(counters)
    }

    /// Shows each site, in the order of their numbers. The registry is locked meanwhile.
    pub(crate) fn visit_sites(&self, visit: impl FnMut(&SiteInfo)) {
        self.state
            .lock()
            .dictionary
            .meanings
            .infos()
            .iter()
            .for_each(visit);
    }

    /// What is known of a site.
    pub(crate) fn site(&self, number: usize) -> Option<SiteInfo> {
        let state = self.state.lock();
        state.dictionary.meanings.infos().get(number).cloned()
    }

    /// Executed increments among these counters.
    pub(crate) fn increments(&self, counters: &FxHashMap<u32, u64>) -> u64 {
        self.state.lock().dictionary.meanings.increments(counters)
    }
}

/// The class as it is known from the same bytes, or a new one. Hidden classes of one name are all different.
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
