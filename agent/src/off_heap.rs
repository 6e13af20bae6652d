//! Memory outside of the heap that Java code owns: who made it, and when it is released.
//!
//! ```text
//! a method of the JDK gets memory ── stack ── maker (four counters in the shared block) ── live blocks
//!                     gives it back ───────────────────────── its maker's counters ──────── not live
//! ```
//!
//! The counters are words like those of sites: snapshots have them, and the file that survives a killed
//! process. Memory that was made before the recording has no maker, and its release is not counted.

mod live_blocks;
mod makers;

use std::cell::Cell;
use std::sync::OnceLock;

use ducktrack_hotspot::JvmFlags;
use ducktrack_jvmti::{Capabilities, Capability, FrameInfo, Jni};
use ducktrack_probe_vocabulary::OffHeapKind;
use parking_lot::Mutex;

use crate::core::Core;
use crate::stacks::{VmNames, no_frames};
use live_blocks::{Block, LiveBlocks};
use makers::Makers;

/// Frames that are kept of a stack, the topmost ones.
const MOST_FRAMES: usize = 64;
/// The frame of the helper's native method.
const OWN_FRAMES: usize = 1;
/// The stack of a thread, if the VM does not say: that of 64-bit Linux.
const USUAL_STACK: u64 = 1 << 20;

thread_local! {
    /// Bytes that `Unsafe` was asked for last.
    static ASKED: Cell<i64> = const { Cell::new(0) };
    static FRAMES: Cell<Option<Box<[FrameInfo]>>> = const { Cell::new(None) };
}

/// Memory outside of the heap.
#[derive(Default)]
pub(crate) struct OffHeap {
    state: Mutex<State>,
    default_stack: OnceLock<u64>,
}

#[derive(Default)]
struct State {
    makers: Makers,
    live: LiveBlocks,
    /// Threads that are about to be started.
    starting: LiveBlocks,
}

/// Notes what the current thread asks `Unsafe` for.
pub(crate) fn asked(bytes: i64) {
    ASKED.set(bytes);
}

impl OffHeap {
    /// Takes what stacks with lines need.
    pub(crate) fn begin(&self, core: &Core) {
        let lines = Capabilities::of(&[Capability::CanGetLineNumbers]);
        if core.env.add_capabilities(&lines).is_err() {
            core.add_note(
                "Makers of memory outside of the heap have no lines: the VM gives no line numbers."
                    .to_owned(),
            );
        }
    }

    /// `Unsafe` has allocated what the current thread asked it for.
    pub(crate) fn allocated(&self, core: &Core, jni: Jni, address: i64) {
        self.made(core, jni, OffHeapKind::Unsafe, address, ASKED.get());
    }

    /// The current thread has made memory.
    pub(crate) fn made(&self, core: &Core, jni: Jni, kind: OffHeapKind, key: i64, bytes: i64) {
        let Some((block, mut state)) = self.block(core, jni, kind, bytes, key) else {
            return;
        };
        state.keep(core, kind, key, block);
    }

    /// The current thread is about to start a thread.
    pub(crate) fn starts(&self, core: &Core, jni: Jni, thread: i64, stack_bytes: i64) {
        let default = || i64::try_from(self.default_stack()).unwrap_or(0);
        let bytes = if stack_bytes > 0 {
            stack_bytes
        } else {
            default()
        };
        let kind = OffHeapKind::Thread;
        if let Some((block, mut state)) = self.block(core, jni, kind, bytes, thread) {
            state.starting.insert(kind, thread, block);
        }
    }

    /// It has started; it may have ended, too.
    pub(crate) fn started(&self, core: &Core, thread: i64) {
        let mut state = self.state.lock();
        state.confirm(core, thread);
    }

    /// Memory is about to be released.
    pub(crate) fn released(&self, core: &Core, kind: OffHeapKind, key: i64) {
        if key == 0 || !core.is_counting() {
            return;
        }
        let mut state = self.state.lock();
        if kind == OffHeapKind::Thread {
            state.confirm(core, key);
        }
        if let Some(block) = state.live.remove(kind, key) {
            block.count_released(core);
        }
    }

    /// A block for memory that the current thread makes, and the state, locked.
    fn block(
        &self,
        core: &Core,
        jni: Jni,
        kind: OffHeapKind,
        bytes: i64,
        key: i64,
    ) -> Option<(Block, parking_lot::MutexGuard<'_, State>)> {
        if key == 0 || !core.is_counting() {
            return None;
        }
        let bytes = u64::try_from(bytes).ok()?;
        let mut frames = FRAMES.take().unwrap_or_else(|| no_frames(MOST_FRAMES));
        let depth = core.env.stack_trace(std::ptr::null_mut(), &mut frames);
        let depth = depth.unwrap_or(0);
        let known = frames.get(OWN_FRAMES.min(depth)..depth);
        let mut state = self.state.lock();
        let names = VmNames { env: core.env, jni };
        let maker = known.and_then(|frames| state.makers.maker(core, kind, frames, &names));
        FRAMES.set(Some(frames));
        let block = Block {
            maker: maker?,
            bytes,
        };
        Some((block, state))
    }

    fn default_stack(&self) -> u64 {
        *self.default_stack.get_or_init(|| {
            let flags = JvmFlags::of_process().ok();
            let kilobytes = flags.and_then(|flags| flags.number("ThreadStackSize"));
            let kilobytes = kilobytes.and_then(|kilobytes| u64::try_from(kilobytes).ok());
            let kilobytes = kilobytes.filter(|kilobytes| *kilobytes > 0);
            kilobytes.map_or(USUAL_STACK, |kilobytes| kilobytes << 10)
        })
    }
}

impl State {
    fn confirm(&mut self, core: &Core, thread: i64) {
        let kind = OffHeapKind::Thread;
        if let Some(block) = self.starting.remove(kind, thread) {
            self.keep(core, kind, thread, block);
        }
    }

    /// Counts a block as made. A block that had its key must be gone: code outside of the JDK has released it.
    fn keep(&mut self, core: &Core, kind: OffHeapKind, key: i64, block: Block) {
        block.count_made(core);
        if let Some(before) = self.live.insert(kind, key, block) {
            before.count_released(core);
        }
    }
}
