//! `context=auto`: library methods that turn out to allocate much for their callers become tracked methods.
//!
//! ```text
//! every while: sites by bytes ── in a JDK class, not tracked yet, a share worth asking about
//!   ── their classes are retransformed: the methods that allocate for their caller are tracked ── then all classes that call them
//! ```
//!
//! Not the site's method alone, because most sites stand in a method that only the class itself calls (`HashMap.newNode`, `ArrayList.grow`), and not
//! the whole class, because a note at every `HashMap.get` would cost much and tell nothing ([`BlamePassing`]).
//! Calls are noted by the class that they name. A class of which others name nothing but constructors (`HeapByteBufferR`, whose methods are called as
//! those of `ByteBuffer`) is left alone: its objects would be counted at more cost, and still without a caller.
//! What was allocated before has no caller; the report says so. Retransformed code must be compiled anew, and so must all that it was inlined into: for seconds the
//! program can be several times slower. So the first look is early, while the JIT has most of its work ahead, and the looks are further and further apart.

use std::hash::Hasher;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ducktrack_classfile::{ClassFile, Constant};
use ducktrack_jvmti::Jni;
use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use ducktrack_class_rewriter::{BlamePassing, TrackedMethods};

use crate::agent::Agent;
use crate::options::Context;
use crate::registry::ClassKey;

const FIRST_LOOK: Duration = Duration::from_secs(2);
/// Each pause is so many times as long as the one before.
const LONGER: u32 = 4;
const MOST_LOOKS: u32 = 5;
/// A site with less than this part of all bytes is not asked about.
const LEAST_SHARE: f64 = 0.1;
/// Below so many bytes in all, shares say nothing.
const LEAST_BYTES: i128 = 64 << 20;
/// A class that more classes call is left alone: retransforming them would cost more than the answer is worth.
const MOST_CALLERS: usize = 400;
/// Classes that one look may add.
const MOST_CLASSES: usize = 2;

/// The methods that are tracked now, and who calls library methods.
pub(crate) struct Tracking {
    methods: RwLock<Arc<TrackedMethods>>,
    /// Tracked classes, in internal form, whose idle methods are still to be taken out.
    unexamined: Mutex<FxHashSet<Box<[u8]>>>,
    /// By a hash of the library class.
    callers: Mutex<FxHashMap<u32, Callers>>,
    classes: Mutex<Classes>,
}

/// Who calls a library class by its name, and what.
#[derive(Default)]
struct Callers {
    /// Indices of [`Classes::keys`].
    classes: Vec<u32>,
    called: Called,
}

/// Constructors, other methods, or both.
#[derive(Clone, Copy, Default)]
struct Called {
    constructors: bool,
    methods: bool,
}

impl Called {
    /// May calls by name lead to this method? Those of constructors lead to constructors only: what an object does later, others ask of it.
    fn reaches(self, method: &str) -> bool {
        match method {
            "<init>" => self.constructors || self.methods,
            _ => self.methods,
        }
    }
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

    fn is_due(&mut self) -> bool {
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
    pub(crate) fn new(methods: TrackedMethods) -> Self {
        Self {
            methods: RwLock::new(Arc::new(methods)),
            unexamined: Mutex::default(),
            callers: Mutex::default(),
            classes: Mutex::default(),
        }
    }

    /// The methods that are tracked now.
    pub(crate) fn methods(&self) -> Arc<TrackedMethods> {
        Arc::clone(&self.methods.read())
    }

    /// Remembers which library classes a class calls, when it is seen for the first time.
    pub(crate) fn note_calls(&self, key: &ClassKey, class: &ClassFile<'_>) {
        if self.classes.lock().seen.contains(key) {
            return;
        }
        let mut found: FxHashMap<u32, Called> = FxHashMap::default();
        for (index, constant) in class.pool().iter() {
            if matches!(
                constant,
                Constant::MethodRef(..) | Constant::InterfaceMethodRef(..)
            ) && let Ok(member) = class.pool().member_ref(index)
                && is_library(member.class)
                && member.class != class.name()
            {
                let called = found.entry(hash(member.class)).or_default();
                match member.name {
                    b"<init>" => called.constructors = true,
                    _ => called.methods = true,
                }
            }
        }
        let mut classes = self.classes.lock();
        if !classes.seen.insert(key.clone()) || found.is_empty() {
            return;
        }
        let Ok(number) = u32::try_from(classes.keys.len()) else {
            return;
        };
        classes.keys.push(key.clone());
        drop(classes);
        let mut callers = self.callers.lock();
        for (hash, called) in found {
            let of_class = callers.entry(hash).or_default();
            of_class.classes.push(number);
            of_class.called.constructors |= called.constructors;
            of_class.called.methods |= called.methods;
        }
    }

    /// Would notes at the calls of a class, by its name, tell who makes objects in this method of it?
    fn has_named_callers(&self, class: &[u8], method: &str) -> bool {
        let callers = self.callers.lock();
        callers
            .get(&hash(class))
            .is_some_and(|callers| callers.called.reaches(method))
    }

    fn count_callers(&self, class: &[u8]) -> usize {
        let callers = self.callers.lock();
        callers
            .get(&hash(class))
            .map_or(0, |callers| callers.classes.len())
    }

    fn callers_of(&self, class: &[u8]) -> Vec<ClassKey> {
        let callers = self.callers.lock();
        let classes = self.classes.lock();
        let numbers = callers
            .get(&hash(class))
            .map(|callers| callers.classes.as_slice())
            .unwrap_or_default();
        numbers
            .iter()
            .filter_map(|number| classes.keys.get(*number as usize).cloned())
            .collect()
    }

    /// The classes of these names, whoever loaded them: the JDK's compiler is none of the boot loader's.
    fn named(&self, names: &[String]) -> FxHashSet<ClassKey> {
        let is_named = |key: &&ClassKey| names.iter().any(|name| name.as_bytes() == &*key.name);
        let classes = self.classes.lock();
        classes.seen.iter().filter(is_named).cloned().collect()
    }

    fn add(&self, classes: &[String]) {
        let mut methods = self.methods.write();
        let methods = Arc::make_mut(&mut methods);
        for class in classes {
            methods.add(class, "*");
        }
        let names = classes.iter().map(|class| class.as_bytes().into());
        self.unexamined.lock().extend(names);
    }

    /// Takes the methods of a class out that allocate nothing for their caller, when the class is seen for the first time since it is tracked.
    pub(crate) fn examine(&self, class: &ClassFile<'_>) {
        if !self.unexamined.lock().remove(class.name()) {
            return;
        }
        let Ok(found) = BlamePassing::of(std::slice::from_ref(class), &self.methods()) else {
            return;
        };
        let mut methods = self.methods.write();
        let methods = Arc::make_mut(&mut methods);
        for (class, method) in &found.idle {
            methods.take_out(class, method);
        }
    }
}

impl Agent {
    /// Tracks the methods of hot library sites, if it is time to look for them.
    pub(crate) fn track_hot_library_sites(&self, jni: Jni, next: &mut NextLook) {
        if self.options.context != Context::Auto || !next.is_due() {
            return;
        }
        // A share of the bytes needs bytes.
        self.find_site_sizes(jni);
        let found = self.hot_library_classes();
        if found.is_empty() {
            return;
        }
        let own = self.tracking.named(&found);
        let mut callers: FxHashSet<ClassKey> = FxHashSet::default();
        for class in &found {
            callers.extend(self.tracking.callers_of(class.as_bytes()));
        }
        callers.retain(|key| !own.contains(key));
        self.tracking.add(&found);
        // Which calls to note is known when the classes themselves have been seen again.
        for keys in [&own, &callers] {
            let outcome =
                jni.with_local_frame(64, || self.env.retransform_classes(&self.loaded(jni, keys)));
            if let Ok(Err(error)) | Err(error) = outcome {
                self.log
                    .warn(&format!("hot library sites have no callers: {error}"));
            }
        }
        for class in found {
            self.add_note(format!(
                "{} became a tracked class when it was found hot: what it had allocated by then has no caller.",
                class.replace('/', ".")
            ));
        }
    }

    /// Library classes with sites that have a large share of all bytes.
    fn hot_library_classes(&self) -> Vec<String> {
        let Some(facts) = self.facts() else {
            return Vec::new();
        };
        let end = self.registry.counter_end();
        let mut counters: FxHashMap<u32, u64> = FxHashMap::default();
        for (row, _) in self.threads.rows(&facts.threads) {
            for (id, value) in row.block.counters(end) {
                *counters.entry(id).or_default() += value;
            }
        }
        let totals = self.registry.totals(&counters);
        let all: i128 = totals.iter().map(|total| total.2).sum();
        if all < LEAST_BYTES {
            return Vec::new();
        }
        let tracked = self.tracking.methods();
        let mut by_class: FxHashMap<Box<str>, i128> = FxHashMap::default();
        for (site, _, bytes) in totals {
            let class = site.class.as_bytes();
            if is_library(class)
                && !tracked.contains(class, site.method.as_bytes())
                && self.tracking.has_named_callers(class, &site.method)
            {
                *by_class.entry(site.class).or_default() += bytes;
            }
        }
        let mut hot: Vec<(i128, String)> = by_class
            .into_iter()
            .filter(|(_, bytes)| share(*bytes, all) >= LEAST_SHARE)
            .filter(|(class, _)| self.tracking.count_callers(class.as_bytes()) <= MOST_CALLERS)
            .map(|(class, bytes)| (bytes, class.into()))
            .collect();
        hot.sort_unstable_by(|a, b| b.cmp(a));
        hot.into_iter()
            .take(MOST_CLASSES)
            .map(|(_, class)| class)
            .collect()
    }
}

/// Code that programs call and do not write: the JDK's, but not the machinery of method handles, which is nobody's.
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
