//! Who is to blame for an object that native code makes: the native method that runs.
//!
//! JVMTI names the topmost Java frame. In a native method that is the method itself; where no Java code runs (a thread that
//! native code attached) or where the VM was called by bytecode (another agent's callback while a class is loaded), the object is filed
//! under the class `(JNI)` and the JNI function that made it.

use std::sync::atomic::{AtomicU64, Ordering};

use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::{jclass, jmethodID, jobject};
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use crate::core::Core;
use crate::core::loaders::Loaders;
use crate::core::registry::NativeMethod;
use crate::helper_classes::helper_class::HelperClass;
use crate::native_code::jni_table::JniFunctions;
use crate::recording::{NativeObject, Recording, SiteNews};

/// JVMTI's place in a native method.
const IN_NATIVE_METHOD: i64 = -1;

/// Instead of a site: the callers of this native method count its allocations (in JDK 11 it is written with JNI).
const COUNTED_BY_CALLERS: u32 = 0;

/// Objects that native code makes.
#[derive(Default)]
pub(crate) struct NativeObjects {
    /// Sites by whom they blame.
    sites: RwLock<FxHashMap<Blamed, u32>>,
    /// Objects that could not be counted.
    uncounted: AtomicU64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Blamed {
    /// A method id: the VM never gives one twice.
    Method(usize),
    /// The JNI function.
    Function(&'static str),
}

impl NativeObjects {
    /// An object that `function` has made.
    pub(crate) fn count(
        &self,
        core: &Core,
        recording: &dyn Recording,
        jni: Jni,
        made: jobject,
        function: &'static str,
    ) {
        let site = self.site(core, recording, jni, function);
        self.note_uncounted(site.and_then(|site| match site {
            COUNTED_BY_CALLERS => Some(()),
            site => recording.made_by_native(jni, NativeObject::Object(made), site),
        }));
    }

    /// A string and its array.
    pub(crate) fn count_string(
        &self,
        core: &Core,
        recording: &dyn Recording,
        jni: Jni,
        made: jobject,
        function: &'static str,
    ) {
        let count = |site: u32| {
            let field = JniFunctions::get()?.string_value?;
            let value = jni.object_field(made, field);
            let string = NativeObject::String {
                string: made,
                value,
            };
            let counted = recording.made_by_native(jni, string, site);
            jni.delete_local_ref(value);
            counted
        };
        let site = self.site(core, recording, jni, function);
        self.note_uncounted(site.and_then(count));
    }

    /// An object of a class whose constructor threw: it is gone.
    pub(crate) fn count_gone(
        &self,
        core: &Core,
        recording: &dyn Recording,
        jni: Jni,
        class: jclass,
        function: &'static str,
    ) {
        let count = |site: u32| {
            let klass = HelperClass::get()?.klass_of(jni, class).ok()?;
            let bytes = core.facts()?.instance_bytes(klass)?;
            recording.made_by_native(jni, NativeObject::Gone { class, bytes }, site)
        };
        let site = self.site(core, recording, jni, function);
        self.note_uncounted(site.and_then(count));
    }

    /// Objects that could not be counted, as a sentence.
    pub(crate) fn losses(&self) -> Option<String> {
        let uncounted = self.uncounted.load(Ordering::Relaxed);
        (uncounted > 0).then(|| {
            format!(
                "{uncounted} objects made by native code could not be counted: no stack was left"
            )
        })
    }

    fn note_uncounted(&self, counted: Option<()>) {
        if counted.is_none() {
            self.uncounted.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The site of what `function` makes now in this thread. `None` if all numbers are given away.
    fn site(
        &self,
        core: &Core,
        recording: &dyn Recording,
        jni: Jni,
        function: &'static str,
    ) -> Option<u32> {
        let method = match core.env.frame_location(std::ptr::null_mut(), 0) {
            Ok((method, IN_NATIVE_METHOD)) => Some(method),
            _ => None,
        };
        let blamed = method.map_or(Blamed::Function(function), |method| {
            Blamed::Method(method as usize)
        });
        if let Some(site) = self.sites.read().get(&blamed) {
            return Some(*site);
        }
        let name = method
            .and_then(|method| native_method(core, jni, method))
            .unwrap_or_else(|| outside(function));
        let mut sites = self.sites.write();
        if let Some(site) = sites.get(&blamed) {
            return Some(*site);
        }
        let by_callers =
            name.class == "jdk/internal/misc/Unsafe" && name.method == "allocateInstance";
        let site = if by_callers {
            COUNTED_BY_CALLERS
        } else {
            let site = core.registry.add_native_site(&name)?;
            recording.sites(SiteNews::Native(site));
            site
        };
        // Before anybody finds it.
        core.secure_definitions();
        sites.insert(blamed, site);
        Some(site)
    }
}

fn native_method(core: &Core, jni: Jni, method: jmethodID) -> Option<NativeMethod> {
    let text = |bytes: &[u8]| ducktrack_classfile::decode_modified_utf8(bytes).into_owned();
    let name = core.env.method_name(method).ok()?;
    let class = core.env.method_declaring_class(method).ok()?;
    let signature = core.env.class_signature(class).unwrap_or_default();
    let loader = core.env.class_loader(class).unwrap_or(std::ptr::null_mut());
    let loader_name = Loaders::name(
        core.env,
        jni,
        loader,
        core.loaders.id(core.env, Some(jni), loader),
    );
    jni.delete_local_ref(class);
    if !loader.is_null() {
        jni.delete_local_ref(loader);
    }
    let class = signature
        .strip_prefix(b"L")
        .and_then(|name| name.strip_suffix(b";"))?;
    Some(NativeMethod {
        class: text(class),
        loader: loader_name,
        method: text(&name.name),
        descriptor: text(&name.descriptor),
    })
}

fn outside(function: &str) -> NativeMethod {
    NativeMethod {
        class: "(JNI)".to_owned(),
        loader: "boot".to_owned(),
        method: function.to_owned(),
        descriptor: String::new(),
    }
}
