//! The keys of `ducktrack leaks`.

use serde::{Deserialize, Serialize};

use crate::event_trace::head::TraceHead;
use crate::event_trace::holder_docs::{RootDoc, StepDoc};

/// What leaks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LeaksReport {
    /// Always `ducktrack-leaks`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// What all reports on event traces begin with.
    #[serde(flatten)]
    pub head: TraceHead,
    /// The heap dump; null: the trace alone, which knows no sources and no paths.
    pub dump: Option<String>,
    /// Collections of the run.
    pub collections: u32,
    /// A candidate needs this many.
    pub fewest_collections: u32,
    /// Bytes that live, in the dump or at the end of the trace.
    pub live_bytes: i64,
    /// From this score on a candidate is an alarm.
    pub alarm_from: f64,
    /// Candidates with such a score.
    pub alarms: u64,
    /// How a score is reached.
    pub method: String,
    /// Bytes more per second, all alarms together.
    pub bytes_per_second: f64,
    /// The largest heap, in bytes; null: not known.
    pub max_heap: Option<u64>,
    /// Seconds until the heap is full at this rate; null: the largest heap is not known, or nothing grows.
    pub seconds_until_full: Option<f64>,
    /// Highest score first.
    pub candidates: Vec<CandidateDoc>,
}

/// A pair of types whose objects become more and more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CandidateDoc {
    /// The type that refers to the target; null: not known, or a root does.
    pub source: Option<String>,
    /// The type that becomes more.
    pub target: String,
    /// Where most targets are made: the class; null when not known.
    pub class: Option<String>,
    /// The method.
    pub method: Option<String>,
    /// The line.
    pub line: Option<u16>,
    /// The place as one text.
    pub made: Option<String>,
    /// For whom: `com.acme.Shop.open(Shop.java:12) calls java.util.HashMap.put`; null when not known.
    pub caller: Option<String>,
    /// Targets.
    pub objects: i64,
    /// Their own bytes.
    pub bytes: i64,
    /// What the growing structure retains; null without a dump.
    pub retained: Option<i64>,
    /// Collections survived by the youngest target.
    pub youngest: u32,
    /// And by the oldest.
    pub oldest: u32,
    /// Targets by collections since their last use (0, 1, 2-3, 4-7, ...); empty where it is not recorded.
    pub staleness: Vec<u64>,
    /// At least half of the targets have not been used for at least this many collections; null where it is not recorded.
    pub unused_for: Option<u32>,
    /// About when that was, in microseconds since the start; null when not known.
    pub unused_since_micros: Option<u64>,
    /// The verdict on the site's live objects: `growing`, `periodic`, `bounded`, `unknown`.
    pub growth: String,
    /// Targets more per collection.
    pub objects_per_collection: f64,
    /// Bytes more per collection.
    pub bytes_per_collection: f64,
    /// From 0 to 100.
    pub score: f64,
    /// What the score is made of.
    pub parts: ScorePartsDoc,
    /// What begins the path; null without a dump.
    pub root: Option<RootDoc>,
    /// How the targets are held; empty without a dump.
    pub path: Vec<StepDoc>,
}

/// The parts of a score, each from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScorePartsDoc {
    /// How evenly the objects were born; without a dump the confidence in growth.
    pub growth: f64,
    /// The share not used for long; null: not recorded.
    pub staleness: Option<f64>,
    /// How far their ages are spread.
    pub age: f64,
    /// What they retain, as a share of a tenth of the heap.
    pub retained: f64,
}
