//! Threads: listing, description, agent threads, stacks.

use std::ptr::null_mut;

use jni::sys::{jint, jmethodID, jobject};

use super::{Env, VmArray, call};
use crate::error::{Error, length_from_vm};
use crate::raw_types::{jlocation, jthread, jthreadGroup};
use crate::structures::{FrameInfo, ThreadInfo};

/// The VM's description of a thread. The references are local references.
#[derive(Debug, Clone)]
pub struct ThreadDescription {
    /// The name in modified UTF-8; empty for an unnamed virtual thread.
    pub name: Vec<u8>,
    /// The Java priority, 1 to 10.
    pub priority: i32,
    /// Whether the VM can exit without waiting for it.
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

    /// The thread groups without a parent, as local references: the system group.
    pub fn top_thread_groups(self) -> Result<VmArray<jthreadGroup>, Error> {
        let (mut count, mut groups) = (0, null_mut());
        call!(self, GetTopThreadGroups(&raw mut count, &raw mut groups))?;
        self.take_array("GetTopThreadGroups", count, groups)
    }

    /// Describes a thread (null: the current one).
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

    /// The topmost frames of a thread, at most `frames.len()` of them. Returns the number stored.
    pub fn stack_trace(self, thread: jthread, frames: &mut [FrameInfo]) -> Result<usize, Error> {
        let room = crate::error::length_for_vm("GetStackTrace", frames.len())?;
        let mut count = 0;
        call!(
            self,
            GetStackTrace(thread, 0, room, frames.as_mut_ptr(), &raw mut count)
        )?;
        length_from_vm("GetStackTrace", count)
    }

    /// The method and bytecode index of a frame of a thread (null: the current one); frame 0 is the topmost. The index is -1 in a native
    /// method. Fails with `NO_MORE_FRAMES` if no Java code runs.
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
}
