//! `context=auto`: library methods that turn out to allocate much for the program become tracked methods.
//!
//! ```text
//! every while: sites by bytes ── in a JDK class, not tracked yet, a share worth asking about
//!   ── its methods that lead to these sites are tracked ── it is retransformed, with the classes of the program that call one of them
//! ```
//!
//! Not the site's method alone, because most sites stand in a method that only the class
//! itself calls (`HashMap.newNode`, `ArrayList.grow`), and not the whole class, because a
//! note at every `HashMap.get` would cost much and tell nothing ([`methods_reaching`]).
//!
//! Calls are noted by the class that they name: `LinkedHashMap.put` leads through `HashMap` to `LinkedHashMap.newNode`,
//! `Map.put` is not known to. Where no code in the program names one of these methods, the class is left as it was;
//! classes that have allocated next to nothing by then are not searched (`log=debug` names the searched ones).
//!
//! That `TreeMap.readObject` is to blame for the records of `ObjectInputStream` does not help. So calls by the library itself are
//! not noted either, and its other classes not retransformed: what they were inlined into must be compiled anew, which is most of
//! what runs. (With that, a program that deserializes took 2.3 times as long in its first seconds, and 1.1 times without.)
//!
//! Objects allocated before have no caller; the report names them. Retransformed code must be compiled
//! anew, and so must all that it was inlined into: for seconds the program can be slower. So the first
//! look is early, while the JIT has most of its work ahead, and the looks are further and further apart.

use std::collections::BTreeSet;
use std::hash::Hasher;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ducktrack_classfile::{ClassFile, Constant};
use ducktrack_jvmti::Jni;
use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use ducktrack_class_rewriter::{TrackedMethods, methods_reaching};

use crate::core::Core;
use crate::core::registry::{ClassKey, LoaderId};
use crate::helper_classes::library_class::with_superclasses;

const FIRST_LOOK: Duration = Duration::from_secs(2);
/// Factor from one pause to the next.
const LONGER: u32 = 4;
const MOST_LOOKS: u32 = 5;
/// A site with less than this part of all bytes is not asked about.
const LEAST_SHARE: f64 = 0.1;
/// Below this many bytes in all, shares say nothing.
const LEAST_BYTES: i128 = 64 << 20;
/// A class that more classes call is left alone: retransforming them would cost more than the answer is worth.
const MOST_CALLERS: usize = 400;
/// Classes that one look may add.
const MOST_CLASSES: usize = 2;
/// A method of a hot class is hot if it makes at least this part of the bytes of its class.
const LEAST_OF_CLASS: f64 = 0.1;
/// Who calls what makes much makes at least this part of all objects itself, if it makes any.
const LEAST_OF_CALLER: f64 = 0.0001;

/// The methods that are tracked now, and the program's classes that call library methods.
pub(crate) struct Tracking {
    methods: RwLock<Arc<TrackedMethods>>,
    first_methods: Arc<TrackedMethods>,
    /// By a hash of the library class.
    callers: Mutex<FxHashMap<u32, Vec<Call>>>,
    classes: Mutex<Classes>,
}

/// The findings of one look.
#[derive(Default)]
struct Found {
    /// The largest first.
    hot: Vec<HotClass>,
    /// Classes with sites that have made next to nothing: they hardly call what makes most.
    idle: FxHashSet<Arc<str>>,
}

/// A library class with sites that have a large share of all bytes.
struct HotClass {
    /// In internal form.
    name: Arc<str>,
    /// The methods of these sites.
    methods: Vec<Box<[u8]>>,
}

/// A class of the program names a method of a library class.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Call {
    /// Index of [`Classes::keys`].
    caller: u32,
    /// Hash of the method's name.
    method: u32,
}

#[derive(Default)]
struct Classes {
    keys: Vec<ClassKey>,
    seen: FxHashSet<ClassKey>,
}

/// When the next look is due.
pub(crate) struct NextLook {
    at: Instant,
    pause: Duration,
    left: u32,
}

impl NextLook {
    pub(crate) fn new() -> Self {
        Self {
            at: Instant::now() + FIRST_LOOK,
            pause: FIRST_LOOK,
            left: MOST_LOOKS,
        }
    }

    pub(crate) fn is_due(&mut self) -> bool {
        if self.left == 0 || Instant::now() < self.at {
            return false;
        }
        self.left -= 1;
        self.pause *= LONGER;
        self.at = Instant::now() + self.pause;
        true
    }
}

impl Tracking {
    pub(crate) fn new(methods: Arc<TrackedMethods>) -> Self {
        Self {
            methods: RwLock::new(Arc::clone(&methods)),
            first_methods: methods,
            callers: Mutex::default(),
            classes: Mutex::default(),
        }
    }

    /// Whether these are the methods that are tracked from the start.
    pub(crate) fn are_first(&self, methods: &Arc<TrackedMethods>) -> bool {
        Arc::ptr_eq(&self.first_methods, methods)
    }

    /// The methods that are tracked now.
    pub(crate) fn methods(&self) -> Arc<TrackedMethods> {
        Arc::clone(&self.methods.read())
    }

    /// Remembers which library classes a class of the program calls, when it is seen for the first time.
    pub(crate) fn note_calls(&self, key: &ClassKey, class: &ClassFile<'_>) {
        let is_new = self.classes.lock().seen.insert(key.clone());
        if !is_new || is_library(class.name()) {
            return;
        }
        let mut found: FxHashSet<(u32, u32)> = FxHashSet::default();
        for (index, constant) in class.pool().iter() {
            if matches!(
                constant,
                Constant::MethodRef(..) | Constant::InterfaceMethodRef(..)
            ) && let Ok(member) = class.pool().member_ref(index)
                && is_library(member.class)
            {
                found.insert((hash(member.class), hash(member.name)));
            }
        }
        if found.is_empty() {
            return;
        }
        let mut callers = self.callers.lock();
        let mut classes = self.classes.lock();
        let Ok(caller) = u32::try_from(classes.keys.len()) else {
            return;
        };
        classes.keys.push(key.clone());
        drop(classes);
        for (class, method) in found {
            let calls = callers.entry(class).or_default();
            calls.push(Call { caller, method });
        }
    }

    /// Frees the memory for classes.
    pub(crate) fn forget(&self) {
        *self.methods.write() = Arc::clone(&self.first_methods);
        *self.callers.lock() = FxHashMap::default();
        *self.classes.lock() = Classes::default();
    }

    /// Forgets the classes of loaders that are gone.
    pub(crate) fn forget_loaders(&self, gone: &FxHashSet<LoaderId>) {
        let mut callers = self.callers.lock();
        let mut classes = self.classes.lock();
        classes.seen.retain(|key| !gone.contains(&key.loader));
        let mut left = 0;
        let is_left = |key: &ClassKey| !gone.contains(&key.loader);
        let renumbered: Vec<Option<u32>> = classes
            .keys
            .iter()
            .map(|key| {
                is_left(key).then(|| {
                    left += 1;
                    left - 1
                })
            })
            .collect();
        classes.keys.retain(is_left);
        callers.retain(|_, calls| {
            calls.retain_mut(|call| {
                let number = renumbered.get(call.caller as usize).copied().flatten();
                call.caller = number.unwrap_or_default();
                number.is_some()
            });
            !calls.is_empty()
        });
    }

    /// Does any class of the program name a method of this one?
    fn is_called(&self, class: &[u8]) -> bool {
        self.callers.lock().contains_key(&hash(class))
    }

    /// The classes of the program that name one of these methods of a class.
    fn callers_of(&self, class: &[u8], methods: &BTreeSet<Box<[u8]>>) -> FxHashSet<ClassKey> {
        let hashes: FxHashSet<u32> = methods.iter().map(|method| hash(method)).collect();
        let callers = self.callers.lock();
        let classes = self.classes.lock();
        let calls = callers.get(&hash(class)).into_iter().flatten();
        let leading = calls.filter(|call| hashes.contains(&call.method));
        leading
            .filter_map(|call| classes.keys.get(call.caller as usize).cloned())
            .collect()
    }

    /// The classes of this name, of all loaders.
    fn named(&self, name: &[u8]) -> FxHashSet<ClassKey> {
        let classes = self.classes.lock();
        let of_name = classes.seen.iter().filter(|key| &*key.name == name);
        of_name.cloned().collect()
    }

    fn add(&self, class: &str, methods: &BTreeSet<Box<[u8]>>) {
        let mut tracked = self.methods.write();
        let tracked = Arc::make_mut(&mut tracked);
        for method in methods {
            tracked.add(class, &String::from_utf8_lossy(method));
        }
    }
}

impl Tracking {
    /// Tracks the methods of hot library sites. Sizes of sites are looked up before, because shares of bytes need them.
    pub(crate) fn track_hot_library_sites(&self, core: &Core) {
        let mut found = self.find_hot_classes(core);
        found.hot.retain(|hot| self.is_called(hot.name.as_bytes()));
        if found.hot.is_empty() {
            return;
        }
        let tracked = core.in_vm(|jni| {
            let tracks = |hot: &&HotClass| self.track_class(core, jni, hot, &found.idle);
            found.hot.iter().filter(tracks).take(MOST_CLASSES).count()
        });
        if let Err(error) = tracked {
            core.log
                .warn(&format!("hot library sites have no callers: {error}"));
        }
    }

    /// Tracks what leads to the hot methods of a class, if the program calls that. Does it?
    fn track_class(
        &self,
        core: &Core,
        jni: Jni,
        hot: &HotClass,
        idle: &FxHashSet<Arc<str>>,
    ) -> bool {
        let class = &*hot.name;
        let leading = methods_leading_to(jni, hot);
        let mut keys = self.callers_of(class.as_bytes(), &leading);
        keys.retain(|key| str::from_utf8(&key.name).is_ok_and(|name| !idle.contains(name)));
        if keys.is_empty() || keys.len() > MOST_CALLERS {
            return false;
        }
        core.log.debug(|| {
            let names = keys.iter().map(|key| String::from_utf8_lossy(&key.name));
            let names = names.collect::<Vec<_>>().join(", ");
            format!("{class} is hot, and called by {names}")
        });
        self.add(class, &leading);
        keys.extend(self.named(class.as_bytes()));
        if let Err(error) = core.retransform(jni, &keys) {
            core.log
                .warn(&format!("hot library sites have no callers: {error}"));
        }
        core.add_note(format!(
            "{} became a tracked class when it was found hot: what it had allocated by then has no caller.",
            class.replace('/', ".")
        ));
        true
    }

    /// Looks at what all sites have made by now.
    fn find_hot_classes(&self, core: &Core) -> Found {
        let Some(facts) = core.facts() else {
            return Found::default();
        };
        let end = core.registry.counter_end();
        let mut counters: FxHashMap<u32, u64> = FxHashMap::default();
        let written = core.blocks.written();
        for (row, _) in core.threads.rows(&facts.threads) {
            for (id, value) in written.counters(row.block, end) {
                *counters.entry(id).or_default() += value;
            }
        }
        let totals = core.registry.totals(&counters);
        let all: i128 = totals.iter().map(|total| total.1).sum();
        if all < LEAST_BYTES {
            return Found::default();
        }
        let objects: i128 = totals.iter().map(|total| total.0).sum();
        let tracked = self.methods();
        let mut made: FxHashMap<Arc<str>, i128> = FxHashMap::default();
        let mut untracked: FxHashMap<Arc<str>, BytesByMethod> = FxHashMap::default();
        let mut totals = totals.into_iter();
        core.registry.visit_sites(|site| {
            let (count, bytes) = totals.next().unwrap_or_default();
            *made.entry(site.class.clone()).or_default() += count;
            let class = site.class.as_bytes();
            if is_library(class) && !tracked.contains(class, site.method.as_bytes()) {
                let methods = untracked.entry(Arc::clone(&site.class)).or_default();
                *methods.entry(Arc::clone(&site.method)).or_default() += bytes;
            }
        });
        made.retain(|_, count| share(*count, objects) < LEAST_OF_CALLER);
        Found {
            hot: hot_classes(untracked, all),
            idle: made.into_keys().collect(),
        }
    }
}

/// Bytes of the sites of a class, by the name of the method that they are in.
type BytesByMethod = FxHashMap<Arc<str>, i128>;

/// The classes with a large share of all bytes, the largest first.
fn hot_classes(classes: FxHashMap<Arc<str>, BytesByMethod>, all: i128) -> Vec<HotClass> {
    let with_bytes = classes.into_iter().map(|(class, methods)| {
        let bytes: i128 = methods.values().sum();
        (bytes, class, methods)
    });
    let mut hot: Vec<_> = with_bytes
        .filter(|(bytes, ..)| share(*bytes, all) >= LEAST_SHARE)
        .collect();
    hot.sort_unstable_by_key(|(bytes, ..)| std::cmp::Reverse(*bytes));
    let with_methods = hot.into_iter().map(|(of_class, name, mut methods)| {
        methods.retain(|_, bytes| share(*bytes, of_class) >= LEAST_OF_CLASS);
        let methods = methods.into_keys().map(|method| method.as_bytes().into());
        HotClass {
            name,
            methods: methods.collect(),
        }
    });
    with_methods.collect()
}

/// The names of the methods of a class, inherited ones included, that may
/// reach its hot ones; none where the JDK does not give its class files out.
fn methods_leading_to(jni: Jni, hot: &HotClass) -> BTreeSet<Box<[u8]>> {
    let files = with_superclasses(jni, &hot.name);
    let classes: Result<Vec<_>, _> = files.iter().map(|file| ClassFile::parse(file)).collect();
    let leading = classes.and_then(|classes| methods_reaching(&classes, &hot.methods));
    let mut leading = leading.unwrap_or_default();
    // By name all constructors are one, and nearly everybody calls one of them.
    if !hot.methods.iter().any(|method| **method == *b"<init>") {
        leading.remove(b"<init>".as_slice());
    }
    leading
}

/// Code that programs call and do not write: the JDK's, but not the machinery of method handles, which belongs to no class.
fn is_library(class: &[u8]) -> bool {
    let library: [&[u8]; 5] = [b"java/", b"javax/", b"jdk/", b"sun/", b"com/sun/"];
    library.iter().any(|prefix| class.starts_with(prefix))
        && !class.starts_with(b"java/lang/invoke/")
}

fn hash(class: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(class);
    (hasher.finish() >> 32) as u32
}

#[allow(clippy::cast_precision_loss, reason = "a share")]
fn share(part: i128, whole: i128) -> f64 {
    part as f64 / whole as f64
}
