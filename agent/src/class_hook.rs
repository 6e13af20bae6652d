//! The class file load hook: bytes in, bytes with probes out, or the class as it is.

use std::sync::atomic::Ordering;
use std::time::Instant;

use ducktrack_class_rewriter::{
    ClassRewriter, HELPER_CLASS, MethodProfile, Reason, RewrittenClass,
};
use ducktrack_classfile::ClassFile;
use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::{jbyteArray, jobject};
use ducktrack_trace_format::SiteId;
use rustc_hash::FxHashMap;

use crate::agent::{Agent, Cost};
use crate::loaders::Loaders;
use crate::options::Context;
use crate::phase::Phase;
use crate::registry::{ClassKey, ClassNumbers, LoaderId, Origin};

impl Agent {
    /// Rewrites a class that is loaded or retransformed; `None` leaves it as it is.
    pub(crate) fn rewrite_loaded(
        &self,
        jni: Option<Jni>,
        loader: jobject,
        bytes: &[u8],
    ) -> Option<Vec<u8>> {
        if !matches!(self.phase.get(), Phase::Starting | Phase::Counting) {
            return None;
        }
        let class = ClassFile::parse(bytes).ok()?;
        let id = self.loaders.id(self.env, loader);
        let key = ClassKey {
            loader: id,
            name: class.name().into(),
        };
        let loader_name =
            jni.map_or_else(String::new, |jni| Loaders::name(self.env, jni, loader, id));
        self.rewrite(
            &class,
            &Origin {
                key: &key,
                loader_name: &loader_name,
                hidden: false,
            },
        )
    }

    /// Rewrites a hidden class that is about to be defined.
    pub(crate) fn rewrite_hidden(&self, jni: Jni, array: jbyteArray) -> Option<jbyteArray> {
        if self.phase.get() != Phase::Counting {
            return None;
        }
        let bytes = jni.byte_array(array).ok()?;
        let class = ClassFile::parse(&bytes).ok()?;
        let key = ClassKey {
            loader: LoaderId(u32::MAX),
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
        Cost::add(&self.cost.classes_seen, 1);
        let name = class.name();
        // All helpers' names begin with it.
        if name.starts_with(HELPER_CLASS) {
            return None;
        }
        if !self.options.wants(&String::from_utf8_lossy(name)) {
            self.registry.refuse(name, "excluded-by-option");
            return None;
        }
        let start = Instant::now();
        let result = self.rewrite_and_register(class, origin);
        Cost::add(
            &self.cost.rewrite_nanos,
            u64::try_from(start.elapsed().as_nanos()).unwrap_or(0),
        );
        match result {
            Ok(bytes) => bytes,
            Err(reason) => {
                self.log.debug(|| {
                    format!(
                        "{} is left as it is: {reason}",
                        String::from_utf8_lossy(name)
                    )
                });
                self.registry.refuse(name, reason.name());
                None
            }
        }
    }

    fn rewrite_and_register(
        &self,
        class: &ClassFile<'_>,
        origin: &Origin<'_>,
    ) -> Result<Option<Vec<u8>>, Reason> {
        let mut known = match origin.hidden {
            true => Default::default(),
            false => self.registry.known(origin.key, class.bytes()),
        };
        if self.options.context == Context::Auto && !origin.hidden {
            self.tracking.note_calls(origin.key, class);
        }
        self.reinstrumenting.lock().apply(origin.key, &mut known);
        let profiles: Vec<MethodProfile> = known.profiles.clone();
        let tracked = self.tracking.methods();
        let rewriter = ClassRewriter {
            options: &self.rewrite_options,
            tracked: &tracked,
            hidden: origin.hidden,
        };
        let mut numbers = ClassNumbers::new(&self.registry.next, &mut known);
        let mut rewritten = rewriter.rewrite(class.bytes(), &profiles, &mut numbers)?;
        let bytes = rewritten.bytes.take();
        if bytes.is_some() && rewritten.hidden_class_gate {
            self.hidden_class_gate.store(true, Ordering::Release);
        }
        if bytes.is_some() {
            self.add_cost(&rewritten);
        }
        let sizes = self.learn_sites(&rewritten, origin);
        let layout = self.facts().map(|facts| facts.layout).unwrap_or_default();
        if bytes.is_some() || !rewritten.refusals.is_empty() {
            self.registry
                .register(origin, class, rewritten, known, (&layout, &sizes));
        }
        Ok(bytes)
    }

    /// Tells the reader of events what it must know of a class's sites; the sizes that are known by now.
    fn learn_sites(&self, rewritten: &RewrittenClass, origin: &Origin<'_>) -> FxHashMap<u32, u32> {
        let Some(table) = &self.sites else {
            return FxHashMap::default();
        };
        table.learn(rewritten);
        let sizes = self.prepared.sizes_of_sites(rewritten, origin.key.loader);
        for (site, bytes) in &sizes {
            table.set_bytes(SiteId(*site), *bytes);
        }
        sizes
    }

    fn add_cost(&self, rewritten: &RewrittenClass) {
        Cost::add(&self.cost.classes_rewritten, 1);
        Cost::add(&self.cost.methods_rewritten, rewritten.methods.into());
        self.cost
            .code_before
            .fetch_add(rewritten.code_bytes.0, Ordering::Relaxed);
        self.cost
            .code_after
            .fetch_add(rewritten.code_bytes.1, Ordering::Relaxed);
    }
}
