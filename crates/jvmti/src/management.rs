//! The JDK's library of management functions (`libmanagement_ext`), called without the Java classes above it.
//!
//! These classes allocate some megabytes when they are first used. Of the two functions here, one needs no more than the name of a file:
//! a heap that is full can be dumped, and is as it was.
//!
//! | function of the library | caller in the JDK |
//! |---|---|
//! | `HotSpotDiagnostic.dumpHeap0(String file, boolean live)` | `HotSpotDiagnosticMXBean.dumpHeap` |
//! | `DiagnosticCommandImpl.executeDiagnosticCommand(String)` | the `DiagnosticCommand` bean, which executes what `jcmd` does |

use std::ffi::{CStr, OsString, c_void};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::PathBuf;

use jni::sys::{JNI_VERSION_1_2, JNIEnv, JavaVM, jboolean, jint, jobject, jstring};

use crate::env::Env;
use crate::error::{Error, c_string};
use crate::java_vm::Vm;
use crate::jni_env::Jni;

const FILE: &str = "libmanagement_ext.so";
const ON_LOAD: &CStr = c"JNI_OnLoad";
const DUMP_HEAP: &CStr = c"Java_com_sun_management_internal_HotSpotDiagnostic_dumpHeap0";
const EXECUTE: &CStr =
    c"Java_com_sun_management_internal_DiagnosticCommandImpl_executeDiagnosticCommand";

type OnLoad = unsafe extern "system" fn(*mut JavaVM, *mut c_void) -> jint;
type DumpHeap = unsafe extern "system" fn(*mut JNIEnv, jobject, jstring, jboolean);
type Execute = unsafe extern "system" fn(*mut JNIEnv, jobject, jstring) -> jobject;

/// The functions of the library, which stays loaded.
#[derive(Debug, Clone, Copy)]
pub struct Management {
    dump_heap: DumpHeap,
    execute: Execute,
}

impl Management {
    /// Loads the library, as `System.loadLibrary` does.
    ///
    /// # Errors
    /// If the JDK's image was made without it (module `jdk.management`).
    pub fn load(vm: Vm, env: Env) -> Result<Self, Error> {
        const MISSING: Error = Error::MissingFunction { function: FILE };
        let folder = env.system_property("sun.boot.library.path")?;
        let path = PathBuf::from(OsString::from_vec(folder.ok_or(MISSING)?)).join(FILE);
        let path = c_string("dlopen", path.as_os_str().as_bytes())?;
        // SAFETY: the JDK's own library, which has no initializers. It is never closed.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY) };
        if library.is_null() {
            return Err(MISSING);
        }
        let symbol = |name: &CStr| {
            // SAFETY: the handle is open, and the name ends with NUL.
            let found = unsafe { libc::dlsym(library, name.as_ptr()) };
            (!found.is_null()).then_some(found).ok_or(MISSING)
        };
        let (on_load, dump_heap, execute) =
            (symbol(ON_LOAD)?, symbol(DUMP_HEAP)?, symbol(EXECUTE)?);
        // SAFETY: `JNI_OnLoad` has this signature in every library.
        let on_load = unsafe { std::mem::transmute::<*mut c_void, OnLoad>(on_load) };
        // SAFETY: the VM is that of the process. The library looks for the VM's table of management functions; the VM calls this again when
        // Java code loads the library.
        if unsafe { on_load(vm.as_raw(), std::ptr::null_mut()) } < JNI_VERSION_1_2 {
            return Err(MISSING);
        }
        Ok(Self {
            // SAFETY: the name of the symbol is that of a static native method of this signature, JDK 9 to 25.
            dump_heap: unsafe { std::mem::transmute::<*mut c_void, DumpHeap>(dump_heap) },
            // SAFETY: likewise.
            execute: unsafe { std::mem::transmute::<*mut c_void, Execute>(execute) },
        })
    }

    /// Writes a heap dump into a file that does not exist yet; with `live`, of
    /// the objects that a collection leaves. Allocates nothing in the heap.
    ///
    /// # Errors
    /// If the file cannot be written.
    #[allow(
        clippy::not_unsafe_ptr_arg_deref,
        reason = "a reference is the VM's: it is handed to the VM as it is, and never dereferenced here"
    )]
    pub fn dump_heap(&self, jni: Jni, file: jstring, live: bool) -> Result<(), Error> {
        // SAFETY: as for a call from Java code: the environment is the current thread's, and the string a reference. The class is not used.
        unsafe {
            (self.dump_heap)(
                jni.as_raw(),
                std::ptr::null_mut(),
                file,
                jboolean::from(live),
            );
        }
        thrown(jni, "dumpHeap0").map_or(Ok(()), Err)
    }

    /// Executes a command of `jcmd`. Returns what it prints.
    ///
    /// # Errors
    /// If the VM does not know the command, or it fails.
    pub fn execute(&self, jni: Jni, command: &str) -> Result<String, Error> {
        let command = jni.new_string(command)?;
        // SAFETY: as above.
        let printed = unsafe { (self.execute)(jni.as_raw(), std::ptr::null_mut(), command) };
        jni.delete_local_ref(command);
        if let Some(error) = thrown(jni, "executeDiagnosticCommand") {
            return Err(error);
        }
        let text = jni.string(printed);
        jni.delete_local_ref(printed);
        text
    }
}

/// The exception that a call has left, cleared: what these functions throw
/// (`IOException`, `IllegalArgumentException`) is never the program's.
fn thrown(jni: Jni, function: &'static str) -> Option<Error> {
    let thrown = jni.take_exception()?;
    let message = || {
        let class = jni.object_class(thrown)?;
        let message = jni.method_id(class, "getMessage", "()Ljava/lang/String;")?;
        jni.string(jni.call_object(thrown, message, &[])?)
    };
    Some(match message() {
        Ok(message) => Error::Thrown { function, message },
        Err(_) => Error::JavaException { function },
    })
}
