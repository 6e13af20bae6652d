//! JDK Flight Recorder: one chunk of a recording, as `jfr`, JDK Mission Control and IntelliJ read it. The bytes: [JFR.md](../JFR.md).
//!
//! | event | one for each |
//! |---|---|
//! | `jdk.ObjectAllocationSample` | stack, type and thread: its weight is the exact number of bytes (above a site its frames are estimates) |
//! | `ducktrack.SiteCount` | the same, with objects and bytes |
//! | `jdk.GCPhasePause`, `jdk.GCHeapSummary` | collection of a traced run; the heap before and after it |
//!
//! The events of allocations stand at the end of what was counted: counts have no time of their own.

mod bytes;
mod chunk;
mod metadata;
mod pools;

use ducktrack_profile::Unit;

use crate::export::{Export, Measure};
use bytes::Bytes;
use chunk::Chunk;
use metadata::{HEAP_SUMMARY, PAUSE, SAMPLE, SITE_COUNT};
use pools::Pools;

/// A collection of a traced run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pause {
    /// Its number.
    pub collection: u32,
    /// `young`, `full`, ...
    pub kind: String,
    /// When it began, nanoseconds since 1970.
    pub start_nanos: u64,
    /// How long it stopped the program, nanoseconds.
    pub nanos: u64,
    /// Bytes of the heap before it.
    pub before: u64,
    /// Bytes of the heap after it.
    pub after: u64,
}

/// The bytes of a `.jfr` file.
pub fn jfr(export: &Export<'_>, pauses: &[Pause]) -> Vec<u8> {
    let start = export.start_unix_millis * 1_000_000;
    let duration = export.duration_millis * 1_000_000;
    let mut chunk = Chunk::begin(start, duration);
    let mut pools = Pools::default();
    for (at, row) in export.rows() {
        let value = |unit| export.value(Measure::Made(unit), at, row);
        let (objects, bytes) = (value(Unit::Objects), value(Unit::Bytes));
        let thread = pools.thread(export.thread_of(row));
        let stack = pools.stack(export.profile, row.stack);
        let class = pools.class_of(row.ty.as_deref());
        let common = |event: &mut Bytes| {
            event.int(duration);
            event.int(thread);
            event.int(stack);
            event.int(class);
        };
        chunk.event(SAMPLE, |event| {
            common(event);
            event.signed(bytes);
        });
        chunk.event(SITE_COUNT, |event| {
            common(event);
            event.signed(objects);
            event.signed(bytes);
        });
    }
    for pause in pauses {
        add_pause(&mut chunk, &mut pools, pause, start);
    }
    chunk.finish(&pools)
}

fn add_pause(chunk: &mut Chunk, pools: &mut Pools, pause: &Pause, start: u64) {
    let at = pause.start_nanos.saturating_sub(start);
    let thread = pools.thread("VM Thread");
    chunk.event(PAUSE, |event| {
        event.int(at);
        event.int(pause.nanos);
        event.int(thread);
        event.int(pause.collection.into());
        event.text(&format!("{} collection", pause.kind));
    });
    for (when, time, used) in [
        (pools::BEFORE, at, pause.before),
        (pools::AFTER, at + pause.nanos, pause.after),
    ] {
        chunk.event(HEAP_SUMMARY, |event| {
            event.int(time);
            event.int(pause.collection.into());
            event.int(when);
            // The space: where it lies is not known.
            for number in [0, 0, used, 0, used] {
                event.int(number);
            }
            event.int(used);
        });
    }
}
