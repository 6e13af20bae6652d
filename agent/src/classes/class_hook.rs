//! The class file load hook: bytes in, bytes with probes out, or the class as it is.

use std::sync::atomic::Ordering;
use std::time::Instant;

use ducktrack_class_rewriter::{
    ApplicationClasses, ClassRewriter, ContextMethods, MODULES, MethodProfile, Numbers, Reason,
    RewrittenClass,
};
use ducktrack_classfile::ClassFile;
use ducktrack_jvmti::sys::{jbyteArray, jclass, jobject};
use ducktrack_jvmti::{Jni, is_retransforming};
use ducktrack_probe_vocabulary::helper::HELPER_NAMES;
use rustc_hash::FxHashMap;

use crate::classes::instrumentation::Instrumentation;
use crate::classes::metaspace_room::METASPACE;
use crate::classes::module_reads::ModuleReads;
use crate::classes::parameter_names::with_lost_parameters;
use crate::classes::redefined_classes::{NewBytes, RedefinedClasses};
use crate::classes::retransformation::note_hook_left;
use crate::core::loaders::Loaders;
use crate::core::phase::Phase;
use crate::core::registry::{ClassContent, ClassKey, ClassNumbers, KnownClass, LoaderId, Origin};
use crate::core::{Core, Cost};
use crate::count::call_helper::call_totals;
use crate::helper_classes::loader_links::{HELPER_UNKNOWN, Readiness};
use crate::options::Context;
use crate::process::clock::nanos_since;
use crate::process::memory;
use crate::recording::{Recording, SiteNews};

/// All helpers' names begin like that of the first, in its package or that of method handles.
pub(crate) fn is_helper(class: &[u8]) -> bool {
    let name = class
        .strip_prefix(b"java/lang/invoke/")
        .or(class.strip_prefix(b"java/lang/"));
    name.is_some_and(|name| name.starts_with(HELPER_NAMES))
}

/// The VM refuses to make a class of this.
const NO_CLASS: &[u8] = &[0];

/// The class that lets modules read others.
fn is_modules(key: &ClassKey) -> bool {
    key.loader == LoaderId(0) && *key.name == *MODULES.as_bytes()
}

/// A run, as its rewriting of classes sees it.
pub(crate) struct ClassHook<'a> {
    pub(crate) core: &'a Core,
    pub(crate) recording: &'a dyn Recording,
    pub(crate) instrumentation: &'a Instrumentation,
}

impl ClassHook<'_> {
    /// The bytes of a class that is loaded, or of one that was loaded before and is redefined or retransformed; `None` leaves it as it is.
    pub(crate) fn new_class_bytes(
        &self,
        jni: Option<Jni>,
        loader: jobject,
        bytes: &[u8],
        loaded: Option<jclass>,
    ) -> Option<Vec<u8>> {
        let new_bytes = self.settled_class_bytes(jni, loader, bytes, loaded);
        note_hook_left(loaded.is_some());
        new_bytes
    }

    fn settled_class_bytes(
        &self,
        jni: Option<Jni>,
        loader: jobject,
        bytes: &[u8],
        loaded: Option<jclass>,
    ) -> Option<Vec<u8>> {
        let phase = self.core.phase.get();
        if phase < Phase::Starting || phase == Phase::Ended && loaded.is_none() {
            return None;
        }
        let class = ClassFile::parse(bytes).ok()?;
        let key = ClassKey {
            loader: self.core.loaders.id(self.core.env, jni, loader),
            name: class.name().into(),
        };
        let others = match self.bytes_to_begin_with(jni, &key, &class, loaded) {
            Ok(others) => others,
            Err(reason) => {
                self.core.registry.refuse(class.name(), reason);
                // The VM leaves the class as it is. Other agents must have their way.
                return is_retransforming().then(|| NO_CLASS.to_vec());
            }
        };
        match others {
            None => {
                let rewritten = self.rewrite_loaded(jni, loader, &key, &class);
                if is_modules(&key) && self.rewrites() {
                    let bytes = rewritten.as_deref().unwrap_or(bytes);
                    let reads = ModuleReads::of_process();
                    return reads.with_gate(bytes).or(rewritten);
                }
                rewritten
            }
            Some(others) => {
                let class = ClassFile::parse(&others).ok()?;
                let rewritten = self.rewrite_loaded(jni, loader, &key, &class);
                Some(rewritten.unwrap_or_else(|| others.to_vec()))
            }
        }
    }

    /// The bytes of a loaded class that are to be rewritten, if they are others than
    /// those that the VM has passed. An error is why the class must stay as it is.
    fn bytes_to_begin_with(
        &self,
        jni: Option<Jni>,
        key: &ClassKey,
        class: &ClassFile<'_>,
        loaded: Option<jclass>,
    ) -> Result<Option<Box<[u8]>>, &'static str> {
        let (Some(loaded), Some(jni)) = (loaded, jni) else {
            return Ok(None);
        };
        let redefined = RedefinedClasses::of_process(self.core.env);
        match redefined.settle(self.core.env, key, class.bytes()) {
            NewBytes::Redefined => Ok(None),
            NewBytes::RedefinedBefore(bytes) => Ok(Some(bytes)),
            NewBytes::Retransformed => with_lost_parameters(self.core, jni, loaded, class),
        }
    }

    /// Whether classes get probes now.
    fn rewrites(&self) -> bool {
        matches!(self.core.phase.get(), Phase::Starting | Phase::Counting)
    }

    fn rewrite_loaded(
        &self,
        jni: Option<Jni>,
        loader: jobject,
        key: &ClassKey,
        class: &ClassFile<'_>,
    ) -> Option<Vec<u8>> {
        if !self.rewrites() {
            return None;
        }
        let loader_name = jni.map_or_else(String::new, |jni| {
            Loaders::name(self.core.env, jni, loader, key.loader)
        });
        let origin = Origin {
            key,
            loader_name: &loader_name,
            hidden: false,
        };
        let rewritten = self.rewrite(class, &origin)?;
        let readiness = jni.map_or(Readiness::Later, |jni| {
            self.instrumentation
                .links
                .link_loader(jni, loader, key.loader)
        });
        match readiness {
            Readiness::Ready => return Some(rewritten),
            Readiness::Later => self.instrumentation.links.rewrite_later(key),
            Readiness::Refused => self.core.registry.refuse(class.name(), HELPER_UNKNOWN),
        }
        None
    }

    /// Rewrites a hidden class that is about to be defined.
    pub(crate) fn rewrite_hidden(&self, jni: Jni, array: jbyteArray) -> Option<jbyteArray> {
        if self.core.phase.get() != Phase::Counting {
            return None;
        }
        let bytes = jni.byte_array(array).ok()?;
        let class = ClassFile::parse(&bytes).ok()?;
        let key = ClassKey {
            loader: LoaderId::OF_HIDDEN,
            name: class.name().into(),
        };
        let rewritten = self.rewrite(
            &class,
            &Origin {
                key: &key,
                loader_name: "hidden",
                hidden: true,
            },
        )?;
        jni.new_byte_array(&rewritten).ok()
    }

    fn rewrite(&self, class: &ClassFile<'_>, origin: &Origin<'_>) -> Option<Vec<u8>> {
        Cost::add(&self.core.cost.classes_seen, 1);
        if memory::is_short() {
            Cost::add(&self.core.cost.classes_without_memory, 1);
            return None;
        }
        let name = class.name();
        if is_helper(name) {
            return None;
        }
        if !self.core.chosen.wants(&String::from_utf8_lossy(name)) {
            self.core.registry.refuse(name, "excluded-by-option");
            return None;
        }
        if self
            .instrumentation
            .metaspace_is_full
            .load(Ordering::Acquire)
        {
            self.core.registry.refuse(name, METASPACE);
            return None;
        }
        if self.core.is_memory_full() {
            self.core.registry.refuse(name, "memory-bound");
            return None;
        }
        if self.core.needs.rewriting.calls && !origin.hidden {
            self.core.registry.note_varargs_methods(class);
        }
        let start = Instant::now();
        let result = self.rewrite_and_register(class, origin);
        Cost::add(&self.core.cost.rewrite_nanos, nanos_since(start));
        match result {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.core.log.debug(|| {
                    format!(
                        "{} is left as it is: {reason}",
                        String::from_utf8_lossy(name)
                    )
                });
                self.core.registry.refuse(name, reason.name());
                None
            }
        }
    }

    fn rewrite_and_register(
        &self,
        class: &ClassFile<'_>,
        origin: &Origin<'_>,
    ) -> Result<Option<Vec<u8>>, Reason> {
        let content = ClassContent::of(class.bytes(), origin.hidden);
        let prepared = &self.instrumentation.prepared;
        let agree = |class: &[u8]| prepared.has_one_size(class);
        let mut known = self.core.registry.known(origin.key, content, agree);
        if self.core.options.context == Context::Auto && !origin.hidden {
            self.instrumentation.tracking.note_calls(origin.key, class);
        }
        self.instrumentation.versions.apply(origin.key, &mut known);
        let profiles: Vec<MethodProfile> = known.profiles.clone();
        let tracked = self.instrumentation.tracking.methods();
        let rewriter = ClassRewriter {
            options: &self.core.needs.rewriting,
            tracked: &tracked,
            application: call_totals(self.core)
                .and_then(|totals| totals.application())
                .map(|application| application as &dyn ApplicationClasses),
            contexts: self
                .core
                .needs
                .counts_in_blocks
                .then_some(&self.instrumentation.contexts as &dyn ContextMethods),
            hidden: origin.hidden,
            stamps: self
                .instrumentation
                .stamps_of(&String::from_utf8_lossy(class.name())),
        };
        let may_be_kept = self.instrumentation.tracking.are_first(&tracked)
            && profiles.is_empty()
            && rewriter.plans_alike_in_each_run(class);
        let plan = |known: &mut KnownClass| {
            let is_first = known.versions.values().all(|version| *version == 0);
            let mut numbers = ClassNumbers::new(&self.core.registry.next, known);
            // Later recordings in a process write numbers in another way.
            match may_be_kept && is_first && !numbers.are_of_later_run() {
                true => self.rewrite_as_kept(&rewriter, (class, content), &mut numbers),
                false => rewriter.rewrite(class.bytes(), &profiles, &mut numbers),
            }
        };
        let mut rewritten = plan(&mut known)?;
        if !known.counts_the_same(&rewritten.counters) {
            known.take_new_counters();
            rewritten = plan(&mut known)?;
        }
        let bytes = rewritten.bytes.take();
        if bytes.is_some() && rewritten.hidden_class_gate {
            self.instrumentation
                .hidden_class_gate
                .store(true, Ordering::Release);
        }
        if bytes.is_some() {
            self.add_cost(&rewritten);
        }
        let sizes = self.learn_sites(&rewritten, origin);
        let layout = self
            .core
            .facts()
            .map(|facts| facts.layout)
            .unwrap_or_default();
        if let Some(totals) = call_totals(self.core) {
            let prepared = &self.instrumentation.prepared;
            let size_of = |descriptor: &[u8], loader| prepared.size_for(descriptor, loader);
            totals.learn(&rewritten, origin.key.loader, &layout, size_of);
        }
        if bytes.is_some() || !rewritten.refusals.is_empty() {
            self.core.registry.register(
                (origin, content),
                class,
                rewritten,
                known,
                (&layout, &sizes),
            );
            // The VM may run the code from here on: what it counts must have its place and its meaning by then.
            self.core.cover_counters();
            self.core.secure_definitions();
        }
        Ok(bytes)
    }

    /// Takes the template of an earlier run, or makes one for later runs.
    fn rewrite_as_kept(
        &self,
        rewriter: &ClassRewriter<'_>,
        (class, content): (&ClassFile<'_>, ClassContent),
        numbers: &mut ClassNumbers<'_>,
    ) -> Result<RewrittenClass, Reason> {
        let kept = &self.instrumentation.kept;
        if let Some(template) = kept.get(self.core, content) {
            match template.link(class, numbers) {
                Err(Reason::BadTemplate) => {}
                linked => return linked,
            }
        }
        let template = rewriter.plan(class, &[], numbers)?;
        kept.put(self.core, content, &template);
        template.link(class, numbers)
    }

    /// The sizes of objects of a class's sites that are known by now. The reader of events learns what it must know of the sites.
    fn learn_sites(&self, rewritten: &RewrittenClass, origin: &Origin<'_>) -> FxHashMap<u32, u32> {
        let sizes = self
            .instrumentation
            .prepared
            .sizes_of_sites(rewritten, origin.key.loader);
        self.recording.sites(SiteNews::Rewritten(rewritten, &sizes));
        sizes
    }

    fn add_cost(&self, rewritten: &RewrittenClass) {
        Cost::add(&self.core.cost.classes_rewritten, 1);
        Cost::add(&self.core.cost.methods_rewritten, rewritten.methods.into());
        self.core
            .cost
            .code_before
            .fetch_add(rewritten.code_bytes.0, Ordering::Relaxed);
        self.core
            .cost
            .code_after
            .fetch_add(rewritten.code_bytes.1, Ordering::Relaxed);
    }
}
