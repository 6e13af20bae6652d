//! The keys of `ducktrack leaks`.

use serde::{Deserialize, Serialize};

use super::interval::IntervalDoc;
use super::kept::{DirectMemoryDoc, KeptLoadersDoc};
use super::off_heap::OffHeapLeakDoc;
use super::words::{AlarmDoc, MeasureDoc, RunVerdictDoc, SpanEndDoc, UnknownDoc, VerdictDoc};
use crate::event_trace::head::TraceHead;
use crate::event_trace::holder_docs::{RootDoc, StepDoc, StructureDoc};

/// What leaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeaksReport {
    /// Always `ducktrack-leaks`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// What all reports on event traces begin with.
    #[serde(flatten)]
    pub head: TraceHead,
    /// The heap dump; null: the trace alone, which knows no paths.
    pub dump: Option<String>,
    /// What the dump does not tell, as one sentence: no sites, or not all of its objects; null where it tells all.
    pub dump_note: Option<String>,
    /// Where a dump ends that the JVM did not finish: what is retained is at least the figure; null for a whole one.
    pub dump_cut_at: Option<u64>,
    /// `leaks`, `rises`, `fills`, `no leak` or `not known`.
    pub verdict: RunVerdictDoc,
    /// The verdict as one sentence.
    pub sentence: String,
    /// The judged part of the run.
    pub span: SpanDoc,
    /// Bytes that are alive when the span is judged.
    pub live_bytes: i64,
    /// The largest heap, in bytes; null: not known.
    pub max_heap: Option<u64>,
    /// Bytes kept per megabyte (2^20 bytes) that the program allocates, all alarms together.
    pub bytes_per_mb: f64,
    /// The same per second in which the program works.
    pub bytes_per_second: f64,
    /// Seconds of work until the heap is full at this rate; null: the largest heap is not known, or nothing leaks.
    pub seconds_until_full: Option<f64>,
    /// A leak of fewer bytes per megabyte would have raised no alarm in this run; null: nothing was judged.
    pub smallest_bytes_per_mb: Option<f64>,
    /// Alarms among the candidates.
    pub alarms: u64,
    /// The judged span on the program's clock.
    pub clock: Vec<ClockCellDoc>,
    /// Where `mark` cut the run.
    pub windows: Vec<LeakWindowDoc>,
    /// What leaks first, then what fills, then what may leak, then what is too little to matter.
    pub candidates: Vec<CandidateDoc>,
    /// Memory outside of the heap that becomes more, by the line that makes it: alarms first, most bytes first.
    pub off_heap: Vec<OffHeapLeakDoc>,
    /// Class loaders that could be unloaded and what keeps them, most retained bytes first; empty without a dump.
    pub loaders: Vec<KeptLoadersDoc>,
    /// Buffers that own memory outside of the heap and what holds them, most bytes first; empty without a dump.
    pub direct_memory: Vec<DirectMemoryDoc>,
    /// With `--sites`: every line of source with live objects, most kept bytes first; else empty.
    pub sites: Vec<SiteVerdictDoc>,
}

/// The judged part of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SpanDoc {
    /// Where it starts, in microseconds since the start of the run.
    pub from_micros: u64,
    /// Where it is judged.
    pub until_micros: u64,
    /// Bytes that the program allocated in it.
    pub bytes: u64,
    /// Bytes that it allocated after it, before the end of the run (or `--until`).
    pub bytes_after: u64,
    /// Bytes that the program allocates per second while it works: half of all bytes were allocated at this speed or faster; 0: not known.
    pub bytes_per_second: f64,
    /// Collections in it.
    pub collections: u32,
    /// The last collection that looked at all of the old space; null: none did.
    pub look: Option<u32>,
    /// The span is judged by this look; else by the last collection, and what is old may be dead.
    pub by_look: bool,
    /// Why it ends: `shutdown`, `until`, `end`, `lost` (the heap is not known after it).
    pub ends: SpanEndDoc,
}

/// A piece of the program's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ClockCellDoc {
    /// Bytes allocated in it.
    pub bytes: u64,
    /// When it ended, in microseconds since the start of the run.
    pub end_micros: u64,
}

/// The time between two marks, or between a mark and an end of the run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LeakWindowDoc {
    /// The mark it begins with; empty: the start of the span.
    pub name: String,
    /// Where it begins, in microseconds since the start of the run.
    pub from_micros: u64,
    /// Where it ends.
    pub until_micros: u64,
}

/// Objects that become more and more, for one reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CandidateDoc {
    /// `leaks`, `fills`, `not known`.
    pub verdict: VerdictDoc,
    /// Why it is not known: `unseen`, `few looks`, `oldest gone`, `late`, `weak table`, `starting`; else null.
    pub reason: Option<UnknownDoc>,
    /// It leaks ever more slowly, without a bound; rates are those of the second half of the span.
    pub slows: bool,
    /// It leaks, and enough to matter.
    pub alarm: bool,
    /// Why it is an alarm; null: it is none.
    pub alarm_by: Option<AlarmDoc>,
    /// A person should look at it: it is an alarm, may become one, is sure, or in use.
    pub matters: bool,
    /// The type that refers to the target; null: not known, or a root does.
    pub source: Option<String>,
    /// The type of what leaks.
    pub target: String,
    /// Where it is made: the class; null when not known.
    pub class: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// The line.
    pub line: Option<u16>,
    /// The place as one text.
    pub made: Option<String>,
    /// For whom: `com.acme.Shop.open(Shop.java:12) calls java.util.HashMap.put`; null when not known.
    pub caller: Option<String>,
    /// Where code of the JDK makes it for a caller that is not known: the line that made its nearest holder, as one text; else null.
    pub holder_made: Option<String>,
    /// Class loaders whose classes have this line.
    pub loaders: u32,
    /// Objects alive.
    pub objects: i64,
    /// Their own bytes.
    pub bytes: i64,
    /// Bytes kept in the judged span, with those of `with`.
    pub kept_bytes: i64,
    /// Bytes that would be free without the objects at the end of `path`; null without a dump, or without a path.
    pub retained: Option<i64>,
    /// Of the objects made in the span: the share that stays.
    pub share: IntervalDoc,
    /// Objects kept per megabyte (2^20 bytes) that the program allocates.
    pub objects_per_mb: IntervalDoc,
    /// Bytes kept per megabyte that the program allocates, with those of `with`.
    pub bytes_per_mb: IntervalDoc,
    /// Bytes more per second in which the program works, with those of `with`.
    pub bytes_per_second: f64,
    /// Seconds of work until the heap is full of them; null: not known.
    pub seconds_until_full: Option<f64>,
    /// Seconds of work until the live heap has doubled; null: not known.
    pub seconds_until_doubled: Option<f64>,
    /// The probability that the rate is above zero.
    pub sure: f64,
    /// The probability that the curve bends down.
    pub bends: f64,
    /// `objects`, or `bytes`: few objects that become large.
    pub judged_by: MeasureDoc,
    /// Pieces of the span of which something stays.
    pub cohorts: u32,
    /// All pieces of the span.
    pub of_cohorts: u32,
    /// Since when it is kept, in microseconds since the start of the run.
    pub since_micros: u64,
    /// Bytes at which a curve that fills would end; null: it does not fill.
    pub level: Option<f64>,
    /// The same, with the objects of `with`.
    #[serde(skip)]
    pub level_of_all: Option<f64>,
    /// Most of them were used since the last collection.
    #[serde(skip)]
    pub in_use: bool,
    /// It was dropped before the span ended, and is judged by an earlier collection.
    pub released: bool,
    /// Only soft references hold these, which the JVM clears before the heap is full: they fill. What else the line made is a candidate of
    /// its own. False without a dump.
    pub softly: bool,
    /// What of each piece stays.
    pub stays: Vec<CohortDoc>,
    /// Bytes kept up to the end of each cell of the clock, with those of `with`.
    pub curve: Vec<u64>,
    /// What each window between marks keeps.
    pub in_windows: Vec<u64>,
    /// Sites that rise with it, most bytes first.
    pub with: Vec<FollowerDoc>,
    /// Objects by collections since their last use (0, 1, 2-3, 4-7, ...); empty where it is not recorded.
    pub staleness: Vec<u64>,
    /// At least half of them have not been used for at least this many collections; null where it is not recorded.
    pub unused_for: Option<u32>,
    /// About when that was, in microseconds since the start; null when not known.
    pub unused_since_micros: Option<u64>,
    /// What begins the path; null without a dump, or without a path.
    pub root: Option<RootDoc>,
    /// How they are held; empty without a dump, or without a path.
    pub path: Vec<StepDoc>,
    /// The steps of `path` that stand out, by their places: the others are folded.
    pub shown: Vec<usize>,
    /// The structure that holds them; null without a dump, or without a path.
    pub structure: Option<StructureDoc>,
    /// The line that adds to it, of the program's own code where one is known; null when not known.
    pub added_by: Option<String>,
    /// With a dump that has no path to them: what may hold them.
    pub held_outside: Option<String>,
    /// What a person would do next about it.
    pub to_do: String,
}

/// A piece of the span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct CohortDoc {
    /// Objects made in it.
    pub born: u64,
    /// Of these: alive when the span is judged.
    pub kept: u64,
}

/// A site that rises with another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FollowerDoc {
    /// Type.
    pub target: String,
    /// Where it is made.
    pub made: Option<String>,
    /// Objects for each one of the target; 0: in no fixed ratio: in the same structure; without a dump, arrays that grow in step.
    pub each: u64,
    /// Bytes kept in the span.
    pub kept_bytes: i64,
}

/// The verdict on a line of source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SiteVerdictDoc {
    /// `leaks`, `fills`, `bounded`, `periodic`, `loaded once`, `not known`.
    pub verdict: VerdictDoc,
    /// Why it is not known: `unseen`, `few looks`, `oldest gone`, `late`, `starting`, `few collections`; else null.
    pub reason: Option<UnknownDoc>,
    /// Only soft references hold these; others of the line are a row of their own.
    pub softly: bool,
    /// Type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Class; null: made by the VM or native code.
    pub class: Option<String>,
    /// Method.
    pub method: Option<String>,
    /// Line.
    pub line: Option<u16>,
    /// The place as one text.
    pub made: Option<String>,
    /// For whom.
    pub caller: Option<String>,
    /// Class loaders whose classes have this line.
    pub loaders: u32,
    /// Objects alive.
    pub objects: i64,
    /// Their bytes.
    pub bytes: i64,
    /// Objects of the span that stay.
    pub kept_objects: i64,
    /// Their bytes.
    pub kept_bytes: i64,
    /// Of the objects made in the span: the share that stays.
    pub share: IntervalDoc,
    /// Objects kept per megabyte that the program allocates.
    pub objects_per_mb: IntervalDoc,
    /// Bytes kept per megabyte that the program allocates.
    pub bytes_per_mb: IntervalDoc,
    /// The probability that the rate is above zero.
    pub sure: f64,
    /// Pieces of the span of which something stays.
    pub cohorts: u32,
    /// All pieces of the span.
    pub of_cohorts: u32,
}
