//! The keys of the JSON report by context.

use serde::{Deserialize, Serialize};

use crate::json::{AmountDoc, RunDoc};
use crate::view::Location;

/// What was allocated in contexts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextsReport {
    /// Always `ducktrack-contexts`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The run and its VM.
    pub run: RunDoc,
    /// Everything that was executed, in contexts and outside.
    pub total: AmountDoc,
    /// The kinds of contexts, in order of their names. The contexts of one kind share no object.
    pub kinds: Vec<ContextKindDoc>,
    /// The contexts, by kind, largest first.
    pub contexts: Vec<ExecutionContextDoc>,
    /// Executions and names that have no figures of their own, by reason.
    pub losses: Vec<String>,
}

/// A kind of contexts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextKindDoc {
    /// `http`, `sql`, `method`.
    pub kind: String,
    /// How many contexts of this kind there are.
    pub contexts: u64,
    /// Objects and bytes in all of them.
    pub inside: AmountDoc,
    /// Objects and bytes in none of them.
    pub outside: AmountDoc,
}

/// A context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExecutionContextDoc {
    /// Its kind.
    pub kind: String,
    /// Its name: `GET /orders/{id}`.
    pub name: String,
    /// Objects that threads made while it was the innermost context of its kind on them.
    pub count: i64,
    /// Their bytes.
    pub bytes: i64,
    /// `bytes` as a part of all bytes, from 0 to 1.
    pub share: f64,
    /// Its executions that have ended; null: none has.
    pub executions: Option<ContextExecutionsDoc>,
    /// The same objects by place, type and caller, largest bytes first.
    pub sites: Vec<ContextAmountDoc>,
}

/// Executions of a context. Bytes are the JVM's own count of the thread from entry to exit, with everything inside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextExecutionsDoc {
    /// How many.
    pub count: u64,
    /// Bytes of all.
    pub bytes: u64,
    /// Mean bytes of one.
    pub mean: f64,
    /// Half of all have at most this many bytes (within 1 %).
    pub median: u64,
    /// 99 of 100 have at most this many bytes (within 1 %).
    pub p99: u64,
    /// Bytes of the largest; null where it was not in the chosen windows.
    pub largest: Option<u64>,
    /// When the largest ended, milliseconds since 1970.
    pub largest_unix_millis: Option<u64>,
    /// The thread of the largest.
    pub largest_thread: Option<String>,
    /// OpenTelemetry's trace in which the largest was; null: none.
    #[serde(default)]
    pub largest_trace: Option<String>,
    /// Lowest bytes of a bucket, and executions in it; buckets are at most 1/128 of their values wide.
    pub distribution: Vec<[u64; 2]>,
    /// Their objects; null: they are counted by execution with `contexts=objects` only.
    #[serde(default)]
    pub objects: Option<ExecutionObjectsDoc>,
}

/// Objects of executions, from entry to exit, with everything inside.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ExecutionObjectsDoc {
    /// Objects of all.
    pub sum: u64,
    /// Mean objects of one.
    pub mean: f64,
    /// Half of all have at most this many (within 1 %).
    pub median: u64,
    /// 99 of 100 have at most this many (within 1 %).
    pub p99: u64,
    /// The most of one; null where it was not in the chosen windows.
    pub most: Option<u64>,
    /// Least objects of a bucket, and executions in it; buckets are at most 1/128 of their values wide.
    pub distribution: Vec<[u64; 2]>,
}

/// Objects of one type, made at one place for one caller in a context.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct ContextAmountDoc {
    /// Where.
    #[serde(flatten)]
    pub location: Location,
    /// What is made.
    #[serde(rename = "type")]
    pub ty: String,
    /// The call to blame, and where it is: `com.acme.Shop.open(Shop.java:12) calls java.util.Arrays.copyOf`; null: no tracked call was
    /// under way.
    pub caller: Option<String>,
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
}
