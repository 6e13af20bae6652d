//! The VM's table of JNI functions: what stood in it before ours, and how these get in and out again.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicPtr, Ordering};

use ducktrack_jvmti::sys::{JNINativeInterface_, jfieldID};
use ducktrack_jvmti::{Env, Error, Jni};

/// The functions that were in the table before, and the parts of strings.
pub(crate) struct JniFunctions {
    /// A copy that the VM made for us; never given back. The next run may find another agent's functions in the table, and so another copy.
    original: AtomicPtr<JNINativeInterface_>,
    /// Ours are in the table, or below another agent's.
    in_place: AtomicBool,
    /// `String.value`.
    pub(crate) string_value: Option<jfieldID>,
}

// SAFETY: the tables are only read, and field ids are valid in every thread.
unsafe impl Send for JniFunctions {}
// SAFETY: the only fields that change are atomics.
unsafe impl Sync for JniFunctions {}

/// Stays for good: native code may hold a function of ours, which calls those.
static FUNCTIONS: OnceLock<JniFunctions> = OnceLock::new();

/// Functions that stand in for those of the table.
pub(crate) struct Replacements {
    pub(crate) put_ours: fn(&mut JNINativeInterface_),
    /// Whether none of another agent stands over ours.
    pub(crate) are_ours: fn(&JNINativeInterface_) -> bool,
    pub(crate) put_back: fn(&mut JNINativeInterface_, &JNINativeInterface_),
    /// Whether objects that native code allocates with `NewObject` are counted on this machine.
    pub(crate) has_new_object: bool,
}

/// Puts ours into the table.
pub(crate) fn install(env: Env, jni: Jni, ours: &Replacements) -> Result<(), Error> {
    let functions = match FUNCTIONS.get() {
        Some(functions) => functions,
        None => {
            let functions = JniFunctions::of_table(env, jni)?;
            FUNCTIONS.get_or_init(|| functions)
        }
    };
    functions.put_in(env, ours.put_ours)
}

/// Removes the agent's functions that are not being called.
pub(crate) fn uninstall(env: Env, ours: &Replacements) -> Result<(), Error> {
    match FUNCTIONS.get() {
        Some(functions) => functions.take_out(env, ours.are_ours, ours.put_back),
        None => Ok(()),
    }
}

impl JniFunctions {
    /// The functions that were in the table, once ours have replaced them.
    pub(crate) fn get() -> Option<&'static Self> {
        FUNCTIONS.get()
    }

    /// The functions that stand in the table now.
    fn of_table(env: Env, jni: Jni) -> Result<Self, Error> {
        Ok(Self {
            original: AtomicPtr::new(env.jni_function_table()?.as_ptr()),
            in_place: AtomicBool::new(false),
            string_value: string_value(jni),
        })
    }

    /// The functions that ours call.
    pub(crate) fn original(&self) -> &JNINativeInterface_ {
        // SAFETY: a table that the VM allocated and filled, and that is never given back; there is one from the first moment.
        unsafe { &*self.original.load(Ordering::Acquire) }
    }

    /// Installs the agent's functions, in a copy of the table. The copy has all functions of the VM's version of JNI.
    fn put_in(
        &self,
        env: Env,
        put_ours: impl FnOnce(&mut JNINativeInterface_),
    ) -> Result<(), Error> {
        if self.in_place.swap(true, Ordering::AcqRel) {
            // Another agent's functions call ours since the run before.
            return Ok(());
        }
        let original = env.jni_function_table()?;
        self.original.store(original.as_ptr(), Ordering::Release);
        change_table(env, put_ours)
    }

    /// Puts back what stood in the table before. Where another agent has
    /// replaced a function of ours, it calls ours: then all stay, and pass on.
    fn take_out(
        &self,
        env: Env,
        are_ours: impl FnOnce(&JNINativeInterface_) -> bool,
        put_back: impl FnOnce(&mut JNINativeInterface_, &JNINativeInterface_),
    ) -> Result<(), Error> {
        let current = env.jni_function_table()?;
        // SAFETY: the VM allocated and filled it for us.
        let uncovered = are_ours(unsafe { current.as_ref() });
        // SAFETY: the VM allocated it, and no reference to it is left.
        unsafe { env.deallocate(current.as_ptr()) }?;
        if uncovered {
            change_table(env, |table| put_back(table, self.original()))?;
            self.in_place.store(false, Ordering::Release);
        }
        Ok(())
    }
}

fn change_table(env: Env, change: impl FnOnce(&mut JNINativeInterface_)) -> Result<(), Error> {
    let changed = env.jni_function_table()?;
    // SAFETY: the VM allocated and filled it for this call only.
    change(unsafe { &mut *changed.as_ptr() });
    // SAFETY: all functions are those of the VM or of other agents, or ours: they call those and do not unwind.
    let result = unsafe { env.set_jni_function_table(changed.as_ptr()) };
    // SAFETY: the VM allocated it and has copied it.
    let given_back = unsafe { env.deallocate(changed.as_ptr()) };
    result.and(given_back)
}

fn string_value(jni: Jni) -> Option<jfieldID> {
    let class = jni.find_class("java/lang/String").ok()?;
    let field = jni.field_id(class, "value", "[B").ok();
    jni.delete_local_ref(class);
    field
}
