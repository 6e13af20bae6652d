//! The keys of `ducktrack memory`.

use ducktrack_count_model::OffHeapRow;
use ducktrack_memory_bill::{Bill, End, Forecast, HeapNeed, LoadersOfClass, NativeCategory, Trend};
use serde::{Deserialize, Serialize};

use super::advice::Advisor;
use super::makers::{MemoryMakerDoc, makers};
use crate::event_trace::VERSION;

const HOUR: f64 = 3600.0;

/// What fills a process and its container.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryReport {
    /// Always `ducktrack-memory`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The process.
    pub pid: u32,
    /// Its control group; null: it is in none that has figures, and `charged` is what it has in memory.
    pub group: Option<String>,
    /// Bytes that the kernel charges.
    pub charged: u64,
    /// The limit of the group, or of a group above it; null: none.
    pub limit: Option<u64>,
    /// The largest heap (`-Xmx`); null where the JVM does not say.
    pub max_heap: Option<u64>,
    /// The heap that what is alive needs; null: no collection was seen, or the collector works beside the program.
    pub heap_need: Option<HeapNeedDoc>,
    /// Threads.
    pub threads: u64,
    /// Whether the JVM counts its own memory (`-XX:NativeMemoryTracking=summary`).
    pub native_memory_tracking: bool,
    /// That count, category by category; empty: there is none.
    pub native_memory: Vec<NativeMemoryDoc>,
    /// The parts; with `notInParts` they add up to `charged`.
    pub parts: Vec<MemoryPartDoc>,
    /// Charged, and in no part; negative: the parts were read at another moment and are larger.
    pub not_in_parts: i64,
    /// How long the process was observed, in seconds.
    pub observed_seconds: f64,
    /// Growth of the charge without files; null: it was observed too shortly.
    pub charge_trend: Option<MemoryTrendDoc>,
    /// Growth of what collections leave in the heap; null: not known.
    pub heap_trend: Option<MemoryTrendDoc>,
    /// The end that comes first; null: nothing surely grows towards a limit.
    pub end: Option<MemoryEndDoc>,
}

/// The heap that what is alive needs, and the share of the time in pauses of collections now and with it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HeapNeedDoc {
    /// Bytes alive, at most: the least that the heap held while it was observed.
    pub live: u64,
    /// The share of the time in pauses of collections, from 0 to 1.
    pub share: f64,
    /// The heap that is enough (`-Xmx`), in bytes.
    pub heap: u64,
    /// The share of the time with it, about.
    pub share_then: f64,
}

/// A part of the charge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MemoryPartDoc {
    /// Its word: `heap-used`, `thread-stacks`, `not-explained`.
    pub part: String,
    /// Its name.
    pub name: String,
    /// Its bytes.
    pub bytes: u64,
    /// What to do about it; null: nothing.
    pub what: Option<String>,
    /// What made most of it: of class metadata the loaders, else the lines since recording began; empty: nothing of it is recorded.
    pub makers: Vec<MemoryMakerDoc>,
}

/// A category of the JVM's count of its own memory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NativeMemoryDoc {
    /// Its name, as the JVM prints it: `Java Heap`, `Class`.
    pub category: String,
    /// Committed bytes; of mappings, also those that were never written.
    pub committed: u64,
}

/// Growth.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryTrendDoc {
    /// Bytes per hour.
    pub bytes_per_hour: f64,
    /// Lower end of its interval of 95 %.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What ends the process, if all goes on as it was observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MemoryEndDoc {
    /// By what.
    pub by: MemoryEndWord,
    /// In how many seconds.
    pub in_seconds: f64,
    /// At the earliest.
    pub earliest: f64,
    /// At the latest.
    pub latest: f64,
}

/// How a process ends that has no memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MemoryEndWord {
    /// An OutOfMemoryError.
    HeapFull,
    /// Killed by the kernel, at the limit of the group.
    Killed,
}

/// What a report on memory is made of.
#[derive(Clone, Debug, Default)]
pub struct MemoryRequest {
    /// The process.
    pub pid: u32,
    /// Its group.
    pub group: Option<String>,
    /// The largest heap.
    pub max_heap: Option<u64>,
    /// The heap that what is alive needs.
    pub heap_need: Option<HeapNeed>,
    /// Threads.
    pub threads: u64,
    /// The JVM's count of its own memory; empty: it does not count.
    pub native: Vec<NativeCategory>,
    /// Loaders by class, those with most class metadata first.
    pub loaders: Vec<LoadersOfClass>,
    /// How long the process was observed, in seconds.
    pub observed_seconds: f64,
    /// Memory outside of the heap, as a recording of the process has it.
    pub off_heap: Vec<OffHeapRow>,
}

/// Makes the report of a bill and a forecast.
pub fn memory_report(
    bill: &Bill,
    (charge, heap, end): (Option<Trend>, Option<Trend>, Option<Forecast>),
    request: MemoryRequest,
) -> MemoryReport {
    let advisor = Advisor {
        bill,
        max_heap: request.max_heap,
        heap_need: request.heap_need,
        threads: request.threads,
        native_memory_tracking: !request.native.is_empty(),
    };
    let parts = bill.rows.iter().map(|row| MemoryPartDoc {
        part: row.part.key().to_owned(),
        name: row.part.name().to_owned(),
        bytes: row.bytes,
        what: advisor.advice(row.part),
        makers: makers(&request.loaders, &request.off_heap, row.part),
    });
    let parts: Vec<_> = parts.collect();
    MemoryReport {
        format: "ducktrack-memory".to_owned(),
        version: VERSION,
        pid: request.pid,
        group: request.group,
        charged: bill.charged,
        limit: bill.limit,
        max_heap: request.max_heap,
        heap_need: request.heap_need.map(HeapNeedDoc::of),
        threads: request.threads,
        native_memory_tracking: !request.native.is_empty(),
        native_memory: request
            .native
            .into_iter()
            .map(NativeMemoryDoc::of)
            .collect(),
        parts,
        not_in_parts: bill.not_in_parts,
        observed_seconds: request.observed_seconds,
        charge_trend: charge.map(MemoryTrendDoc::of),
        heap_trend: heap.map(MemoryTrendDoc::of),
        end: end.map(MemoryEndDoc::of),
    }
}

impl HeapNeedDoc {
    fn of(need: HeapNeed) -> Self {
        Self {
            live: need.live,
            share: need.share,
            heap: need.heap,
            share_then: need.share_then,
        }
    }
}

impl NativeMemoryDoc {
    fn of(category: NativeCategory) -> Self {
        Self {
            category: category.name,
            committed: category.committed,
        }
    }
}

impl MemoryTrendDoc {
    fn of(trend: Trend) -> Self {
        Self {
            bytes_per_hour: trend.slope * HOUR,
            low: trend.low * HOUR,
            high: trend.high * HOUR,
        }
    }
}

impl MemoryEndDoc {
    fn of(forecast: Forecast) -> Self {
        Self {
            by: match forecast.end {
                End::HeapFull => MemoryEndWord::HeapFull,
                End::Killed => MemoryEndWord::Killed,
            },
            in_seconds: forecast.seconds,
            earliest: forecast.earliest,
            latest: forecast.latest,
        }
    }
}
