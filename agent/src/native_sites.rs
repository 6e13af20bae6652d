//! Who is to blame for an object that native code makes: the native method that runs.
//!
//! JVMTI names the topmost Java frame. In a native method that is the method itself; where no Java code runs (a thread that
//! native code attached) or where the VM was called by bytecode (another agent's callback while a class is loaded), the object is filed
//! under the class `(JNI)` and the JNI function that made it.

use ducktrack_jvmti::Jni;
use ducktrack_jvmti::sys::jmethodID;
use parking_lot::RwLock;
use rustc_hash::FxHashMap;

use crate::agent::Agent;
use crate::loaders::Loaders;
use crate::registry::NativeMethod;

/// What JVMTI says of the place in a native method.
const IN_NATIVE_METHOD: i64 = -1;

/// Instead of a site: what this native method makes is counted by those who call it (in JDK 11 it is written with JNI).
pub(crate) const COUNTED_BY_CALLERS: u32 = 0;

/// Sites by whom they blame.
#[derive(Default)]
pub(crate) struct NativeSites(RwLock<FxHashMap<Blamed, u32>>);

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Blamed {
    /// A method id: the VM never gives one twice.
    Method(usize),
    /// The JNI function.
    Function(&'static str),
}

impl Agent {
    /// The site of what `function` makes now in this thread. `None` if all numbers are given away.
    pub(crate) fn native_site(&self, jni: Jni, function: &'static str) -> Option<u32> {
        let method = match self.env.frame_location(std::ptr::null_mut(), 0) {
            Ok((method, IN_NATIVE_METHOD)) => Some(method),
            _ => None,
        };
        let blamed = method.map_or(Blamed::Function(function), |method| {
            Blamed::Method(method as usize)
        });
        if let Some(site) = self.native_sites.0.read().get(&blamed) {
            return Some(*site);
        }
        let name = method
            .and_then(|method| self.native_method(jni, method))
            .unwrap_or_else(|| outside(function));
        let mut sites = self.native_sites.0.write();
        if let Some(site) = sites.get(&blamed) {
            return Some(*site);
        }
        let by_callers =
            name.class == "jdk/internal/misc/Unsafe" && name.method == "allocateInstance";
        let site = if by_callers {
            COUNTED_BY_CALLERS
        } else {
            let site = self.registry.add_native_site(&name)?;
            if let Some(table) = &self.sites {
                table.learn_native(site);
            }
            site
        };
        sites.insert(blamed, site);
        Some(site)
    }

    fn native_method(&self, jni: Jni, method: jmethodID) -> Option<NativeMethod> {
        let text = |bytes: &[u8]| ducktrack_classfile::decode_modified_utf8(bytes).into_owned();
        let name = self.env.method_name(method).ok()?;
        let class = self.env.method_declaring_class(method).ok()?;
        let signature = self.env.class_signature(class).unwrap_or_default();
        let loader = self.env.class_loader(class).unwrap_or(std::ptr::null_mut());
        let loader_name = Loaders::name(self.env, jni, loader, self.loaders.id(self.env, loader));
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
}

fn outside(function: &str) -> NativeMethod {
    NativeMethod {
        class: "(JNI)".to_owned(),
        loader: "boot".to_owned(),
        method: function.to_owned(),
        descriptor: String::new(),
    }
}
