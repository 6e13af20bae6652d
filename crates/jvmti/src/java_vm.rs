//! The `JavaVM*` that `Agent_OnLoad` receives: source of JVMTI and JNI environments.

use std::ffi::c_void;
use std::ptr::{NonNull, null_mut};
use std::sync::OnceLock;

use jni::sys::{JNI_OK, JNI_VERSION_1_8, JNIEnv, JavaVM, JavaVMAttachArgs};

use crate::env::Env;
use crate::error::{Error, c_string};
use crate::jni_env::Jni;
use crate::raw_types::{RawEnv, jthreadGroup};

/// The type of `GetEnv` in C.
pub(crate) type GetEnv = unsafe extern "system" fn(*mut JavaVM, *mut *mut c_void, i32) -> i32;

/// The VM's own `GetEnv`, if the table has another one.
pub(crate) static ORIGINAL_GET_ENV: OnceLock<GetEnv> = OnceLock::new();

/// A version of the interface, for `GetEnv`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JvmtiVersion(pub i32);

impl JvmtiVersion {
    /// JDK 21: virtual threads.
    pub const V21: Self = Self(0x3015_0000);
    /// JDK 11: sampled allocation.
    pub const V11: Self = Self(0x300B_0000);
    /// JDK 6 to 8.
    pub const V1_2: Self = Self(0x3001_0200);
    /// The versions that [`Vm::jvmti`] tries, best first.
    pub const ASKED: [Self; 3] = [Self::V21, Self::V11, Self::V1_2];
}

/// The Java virtual machine of this process, valid as long as the process lives.
#[derive(Debug, Clone, Copy)]
pub struct Vm {
    raw: NonNull<JavaVM>,
}

// SAFETY: the invocation interface may be used on every thread (JNI specification, "Invocation API").
unsafe impl Send for Vm {}
// SAFETY: the invocation interface is the same for all threads, and its functions keep no state of the caller.
unsafe impl Sync for Vm {}

impl Vm {
    /// Wraps the pointer given to `Agent_OnLoad`; `None` for null.
    ///
    /// # Safety
    /// `raw` must be null or the `JavaVM*` of this process.
    #[must_use]
    pub unsafe fn from_raw(raw: *mut JavaVM) -> Option<Self> {
        NonNull::new(raw).map(|raw| Self { raw })
    }

    /// The `JavaVM*` of C.
    #[must_use]
    pub fn as_raw(self) -> *mut JavaVM {
        self.raw.as_ptr()
    }

    /// A new JVMTI environment: version 21 if the VM has it, else 11, else 1.2.
    pub fn jvmti(self) -> Result<(Env, JvmtiVersion), Error> {
        let mut code = 0;
        for version in JvmtiVersion::ASKED {
            let (status, pointer) = self.get_env(version.0);
            code = status;
            if status == JNI_OK {
                // SAFETY: on success GetEnv with a JVMTI version stores a `jvmtiEnv*`.
                let env = unsafe { Env::from_raw(pointer.cast::<RawEnv>()) };
                return env
                    .map(|env| (env, version))
                    .ok_or(Error::NullResult { function: "GetEnv" });
            }
        }
        Err(Error::NoEnvironment { code })
    }

    /// The JNI environment of the current thread, or an error when the thread is not attached.
    pub fn jni(self) -> Result<Jni, Error> {
        let (code, pointer) = self.get_env(JNI_VERSION_1_8);
        if code != JNI_OK {
            return Err(Error::NoEnvironment { code });
        }
        // SAFETY: on success GetEnv with a JNI version stores the `JNIEnv*` of this thread.
        unsafe { Jni::from_raw(pointer.cast::<JNIEnv>()) }
            .ok_or(Error::NullResult { function: "GetEnv" })
    }

    /// Attaches the current native thread as a daemon, in this thread group (null:
    /// that of `main`). Call [`Vm::detach_current_thread`] before the thread ends.
    pub fn attach_current_thread_as_daemon(
        self,
        name: &str,
        group: jthreadGroup,
    ) -> Result<Jni, Error> {
        let function = "AttachCurrentThreadAsDaemon";
        let name = c_string(function, name)?;
        let mut arguments = JavaVMAttachArgs {
            version: JNI_VERSION_1_8,
            name: name.as_ptr().cast_mut(),
            group,
        };
        let mut env: *mut c_void = null_mut();
        // SAFETY: the table is the VM's; `arguments` and `env` live through the call, and the
        // VM copies the name. A reference to a group follows the contract of `Jni::from_raw`.
        let code = unsafe {
            ((**self.raw.as_ptr()).v1_4.AttachCurrentThreadAsDaemon)(
                self.raw.as_ptr(),
                &raw mut env,
                (&raw mut arguments).cast(),
            )
        };
        if code != JNI_OK {
            return Err(Error::Jni { function, code });
        }
        // SAFETY: on success the VM stored the `JNIEnv*` of this thread.
        unsafe { Jni::from_raw(env.cast()) }.ok_or(Error::NullResult { function })
    }

    /// Detaches the current thread; harmless for one that is not attached.
    pub fn detach_current_thread(self) -> Result<(), Error> {
        // SAFETY: the VM gave this pointer, and its function table lives as long as the process.
        let code = unsafe { ((**self.raw.as_ptr()).v1_1.DetachCurrentThread)(self.raw.as_ptr()) };
        if code == JNI_OK {
            Ok(())
        } else {
            Err(Error::Jni {
                function: "DetachCurrentThread",
                code,
            })
        }
    }

    fn get_env(self, version: i32) -> (i32, *mut c_void) {
        let mut pointer: *mut c_void = null_mut();
        // SAFETY: the table is the VM's.
        let in_table = || unsafe { (**self.raw.as_ptr()).v1_2.GetEnv };
        let get_env = ORIGINAL_GET_ENV.get().copied().unwrap_or_else(in_table);
        // SAFETY: the function is the VM's; `pointer` lives through the call.
        let code = unsafe { get_env(self.raw.as_ptr(), &raw mut pointer, version) };
        (code, pointer)
    }
}

impl Jni {
    /// The VM that this environment belongs to.
    pub fn vm(self) -> Result<Vm, Error> {
        let mut vm = std::ptr::null_mut();
        // SAFETY: the table is the VM's; `vm` lives through the call.
        let code = unsafe { ((**self.as_raw()).v1_1.GetJavaVM)(self.as_raw(), &raw mut vm) };
        if code != 0 {
            return Err(Error::Jni {
                function: "GetJavaVM",
                code,
            });
        }
        // SAFETY: `GetJavaVM` returned 0, so it has stored the pointer of the running VM.
        unsafe { Vm::from_raw(vm) }.ok_or(Error::NullResult {
            function: "GetJavaVM",
        })
    }
}
