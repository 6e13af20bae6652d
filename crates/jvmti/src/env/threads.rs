//! Threads: listing, description, agent threads, stacks.

use std::ffi::c_void;
use std::ptr::null_mut;

use jni::sys::{jint, jmethodID, jobject};

use super::{Env, VmArray, call};
use crate::callback_types::StartFunction;
use crate::error::{Error, length_from_vm};
use crate::raw_types::{jlocation, jthread, jthreadGroup};
use crate::structures::{FrameInfo, ThreadInfo};

/// What the VM says about a thread. The references are local references.
#[derive(Debug, Clone)]
pub struct ThreadDescription {
    /// The name in modified UTF-8; empty for an unnamed virtual thread.
    pub name: Vec<u8>,
    /// The Java priority, 1 to 10.
    pub priority: i32,
    /// Does the VM end without waiting for it?
    pub is_daemon: bool,
    /// The thread group; null for a dead thread.
    pub thread_group: jthreadGroup,
    /// The context class loader; null for the boot loader.
    pub context_class_loader: jobject,
}

impl Env {
    /// Every live platform thread, as local references.
    pub fn all_threads(self) -> Result<VmArray<jthread>, Error> {
        let (mut count, mut threads) = (0, null_mut());
        call!(self, GetAllThreads(&raw mut count, &raw mut threads))?;
        self.take_array("GetAllThreads", count, threads)
    }

    /// The current thread as a local reference.
    pub fn current_thread(self) -> Result<jthread, Error> {
        let mut thread = null_mut();
        call!(self, GetCurrentThread(&raw mut thread))?;
        Ok(thread)
    }

    /// Name, priority and so on of a thread (null: the current one).
    pub fn thread_info(self, thread: jthread) -> Result<ThreadDescription, Error> {
        let mut info = ThreadInfo {
            name: null_mut(),
            priority: 0,
            is_daemon: 0,
            thread_group: null_mut(),
            context_class_loader: null_mut(),
        };
        call!(self, GetThreadInfo(thread, &raw mut info))?;
        Ok(ThreadDescription {
            name: self.take_string(info.name).unwrap_or_default(),
            priority: info.priority,
            is_daemon: info.is_daemon != 0,
            thread_group: info.thread_group,
            context_class_loader: info.context_class_loader,
        })
    }

    /// The state bits of a thread (null: the current one).
    pub fn thread_state(self, thread: jthread) -> Result<i32, Error> {
        let mut state = 0;
        call!(self, GetThreadState(thread, &raw mut state))?;
        Ok(state)
    }

    /// Starts `body` on `thread`, a `java.lang.Thread` that was never started. It runs as a daemon and is not seen by Java
    /// thread groups. Live phase only.
    ///
    /// # Safety
    /// `body` must not unwind, and `argument` must be what it expects on another thread.
    pub unsafe fn run_agent_thread(
        self,
        thread: jthread,
        body: StartFunction,
        argument: *const c_void,
        priority: jint,
    ) -> Result<(), Error> {
        call!(self, RunAgentThread(thread, Some(body), argument, priority))
    }

    /// The topmost frames of a thread, at most `frames.len()` of them; returns how many were stored.
    pub fn stack_trace(self, thread: jthread, frames: &mut [FrameInfo]) -> Result<usize, Error> {
        let room = crate::error::length_for_vm("GetStackTrace", frames.len())?;
        let mut count = 0;
        call!(
            self,
            GetStackTrace(thread, 0, room, frames.as_mut_ptr(), &raw mut count)
        )?;
        length_from_vm("GetStackTrace", count)
    }

    /// The method of a frame of a thread (null: the current one), 0 being the topmost, and the bytecode index in it: -1 in
    /// a native method. Fails with `NO_MORE_FRAMES` where no Java code runs.
    pub fn frame_location(
        self,
        thread: jthread,
        depth: jint,
    ) -> Result<(jmethodID, jlocation), Error> {
        let (mut method, mut location) = (null_mut(), 0);
        call!(
            self,
            GetFrameLocation(thread, depth, &raw mut method, &raw mut location)
        )?;
        Ok((method, location))
    }

    /// The pointer this environment keeps for a thread (null: the current one); null at first.
    pub fn thread_local_storage(self, thread: jthread) -> Result<*mut c_void, Error> {
        let mut data = null_mut();
        call!(self, GetThreadLocalStorage(thread, &raw mut data))?;
        Ok(data)
    }

    /// Keeps a pointer for a thread (null: the current one).
    pub fn set_thread_local_storage(
        self,
        thread: jthread,
        data: *const c_void,
    ) -> Result<(), Error> {
        call!(self, SetThreadLocalStorage(thread, data))
    }
}
