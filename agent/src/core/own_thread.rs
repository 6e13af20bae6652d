//! The agent's own thread as a thread of the VM: only while it works there.
//!
//! A thread that stayed attached would be one more thread of the program, for its own counts and
//! for debuggers. A thread of `RunAgentThread` is in dumps (`ThreadMXBean.dumpAllThreads`), but not
//! in lists (`Thread.getAllStackTraces`). This one is in both while it is attached, else in none.
//!
//! ```text
//! tick ──┬── nothing to do in the VM                          a native thread
//!        └── work: attach ── JNI and JVMTI ── detach          a daemon of the system group
//! VMDeath: closed, and the thread ends first
//! ```

use std::sync::OnceLock;
use std::time::Duration;

use ducktrack_jvmti::sys::{JNI_EDETACHED, jobject};
use ducktrack_jvmti::{Env, Error, Jni, Vm};
use parking_lot::{Condvar, Mutex};

/// The name of the thread.
pub(crate) const OWN_THREAD: &str = "ducktrack";

/// How long the end of the VM waits for the thread. A debugger may have suspended it.
const PATIENCE: Duration = Duration::from_secs(5);

/// Lets the agent's own thread into the VM.
pub(crate) struct OwnThread {
    vm: Vm,
    group: OnceLock<Group>,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// The VM ends.
    closed: bool,
    /// Lives of the thread, and visits in the VM.
    stays: u32,
}

/// The system's thread group, a global reference.
struct Group(jobject);

// SAFETY: global references are valid on every thread.
unsafe impl Send for Group {}
// SAFETY: global references are valid on every thread, and this one does not change.
unsafe impl Sync for Group {}

/// The end of the VM waits for this: the life of the thread, or a visit in the VM.
pub(crate) struct Stay<'a>(&'a OwnThread);

/// Detaches the thread, however its work ends.
struct Attached(Vm);

impl OwnThread {
    pub(crate) fn new(vm: Vm) -> Self {
        Self {
            vm,
            group: OnceLock::new(),
            state: Mutex::default(),
            ended: Condvar::new(),
        }
    }

    /// Learns the system's thread group. Without it, the thread is in the group of `main`.
    pub(crate) fn learn_group(&self, env: Env, jni: Jni) {
        let groups = env.top_thread_groups();
        let group = groups.ok().and_then(|groups| groups.first().copied());
        if self.group.get().is_none()
            && let Some(group) = group.and_then(|group| jni.new_global_ref(group).ok())
        {
            // Runs begin one after another.
            let _ = self.group.set(Group(group));
        }
    }

    /// Attaches the current thread for this work, unless it is attached.
    pub(crate) fn in_vm<T>(&self, work: impl FnOnce(Jni) -> T) -> Result<T, Error> {
        if let Ok(jni) = self.vm.jni() {
            return Ok(work(jni));
        }
        let _stay = self.enter()?;
        let group = self
            .group
            .get()
            .map_or(std::ptr::null_mut(), |group| group.0);
        let jni = self.vm.attach_current_thread_as_daemon(OWN_THREAD, group)?;
        let _attached = Attached(self.vm);
        Ok(work(jni))
    }

    /// The thread begins, or visits the VM.
    pub(crate) fn enter(&self) -> Result<Stay<'_>, Error> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(Error::NoEnvironment {
                code: JNI_EDETACHED,
            });
        }
        state.stays += 1;
        Ok(Stay(self))
    }

    /// The VM ends: no thread comes in any more, and the one that lives finishes its work. A VM that is gone must not be entered.
    pub(crate) fn close(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        let stays = |state: &mut State| state.stays > 0;
        self.ended.wait_while_for(&mut state, stays, PATIENCE);
    }
}

impl Drop for Stay<'_> {
    fn drop(&mut self) {
        self.0.state.lock().stays -= 1;
        self.0.ended.notify_all();
    }
}

impl Drop for Attached {
    fn drop(&mut self) {
        // The VM refuses only a thread that has Java frames.
        let _ = self.0.detach_current_thread();
    }
}
