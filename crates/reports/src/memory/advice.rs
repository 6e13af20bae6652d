//! What to do about each part: the flag, with a value that follows from the bill.

use ducktrack_memory_bill::{Bill, HeapNeed, Part};

use crate::quantity::short_bytes;

const MIB: u64 = 1 << 20;
/// A part below this share of the charge needs no advice.
const LEAST_SHARE: u64 = 20;
/// Of a limit, what the heap and all else leave free: collections and bursts need room.
const ROOM: u64 = 10;
/// A part of the largest heap: another size by less is no advice.
const CLEARLY: u64 = 5;

pub(super) struct Advisor<'a> {
    pub(super) bill: &'a Bill,
    pub(super) max_heap: Option<u64>,
    pub(super) heap_need: Option<HeapNeed>,
    pub(super) threads: u64,
    pub(super) native_memory_tracking: bool,
}

impl Advisor<'_> {
    /// What to do about a part.
    pub(super) fn advice(&self, part: Part) -> Option<String> {
        let bytes = self.bill.bytes(part);
        if part != Part::HeapUsed && bytes < self.bill.charged / LEAST_SHARE {
            return None;
        }
        Some(match part {
            Part::HeapUsed => return self.heap().or_else(|| self.needed_heap()),
            Part::HeapFree => "a smaller -Xmx; with G1 from JDK 12 on -XX:G1PeriodicGCInterval=60000 gives it back".to_owned(),
            Part::Metaspace => format!(
                "-XX:MaxMetaspaceSize={}m bounds it; if it grows, loaders are kept: ducktrack leaks",
                whole(bytes * 3 / 2)
            ),
            Part::CodeCache => format!("-XX:ReservedCodeCacheSize={}m bounds it", whole(bytes)),
            Part::ThreadStacks => format!(
                "{} threads with {} each in memory: fewer threads; -Xss bounds each",
                self.threads,
                short_bytes(bytes / self.threads.max(1))
            ),
            Part::OffHeap => format!(
                "-XX:MaxDirectMemorySize={}m bounds direct buffers",
                whole(bytes)
            ),
            Part::Collector => "follows the size of the heap; Serial needs least".to_owned(),
            Part::NotExplained if !self.native_memory_tracking => {
                "start with -XX:NativeMemoryTracking=summary to tell direct buffers, collector and malloc apart; MALLOC_ARENA_MAX=2 bounds malloc's arenas".to_owned()
            }
            Part::NotExplained => {
                "native libraries, or free memory that malloc keeps: MALLOC_ARENA_MAX=2, jcmd PID System.trim_native_heap".to_owned()
            }
            Part::OtherProcesses => "they share the limit: give them containers of their own".to_owned(),
            Part::PageCache => "none: the kernel takes it back before it kills".to_owned(),
            Part::Agent => "memory= bounds it".to_owned(),
            Part::Symbols | Part::Compilers | Part::JvmItself | Part::Libraries | Part::Kernel => {
                return None;
            }
        })
    }

    /// The largest heap that the limit allows beside all else.
    fn heap(&self) -> Option<String> {
        let (limit, max_heap) = (self.bill.limit?, self.max_heap?);
        let heap = self.bill.bytes(Part::HeapUsed) + self.bill.bytes(Part::HeapFree);
        let beside = self.bill.held().saturating_sub(heap);
        let fits = (limit - limit / ROOM).checked_sub(beside)?;
        (max_heap > fits).then(|| {
            format!(
                "-Xmx{}m: the limit of {} less {} beside the heap, less a tenth; now it may become {}",
                fits / MIB,
                short_bytes(limit),
                short_bytes(beside),
                short_bytes(max_heap)
            )
        })
    }

    /// What is alive needs a heap of another size.
    fn needed_heap(&self) -> Option<String> {
        let (need, max_heap) = (self.heap_need?, self.max_heap?);
        let is_less = need.heap < max_heap - max_heap / CLEARLY;
        let is_more = need.heap > max_heap + max_heap / CLEARLY;
        let is_enough = if is_less { "is enough" } else { "is needed" };
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        (is_less || is_more).then(|| {
            format!(
                "-Xmx{}m {is_enough}: at most {} are alive after collections, whose pauses take {} of the time now, and would take about {}",
                need.heap / MIB,
                short_bytes(need.live),
                percent(need.share),
                percent(need.share_then)
            )
        })
    }
}

/// Whole MiB, rounded up.
fn whole(bytes: u64) -> u64 {
    bytes.div_ceil(MIB)
}
