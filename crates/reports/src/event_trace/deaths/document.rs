//! The keys of `ducktrack lifetimes --deaths`. Ages are on the clock that `clock` names.

use std::fmt;

use ducktrack_analyses::{Level, ProgramClock};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::json::{AmountDoc, FilterDoc};

/// What a stream knows of deaths.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StreamLevel {
    /// All events: uses and updates one by one.
    Full,
    /// Stamps instead of uses and updates: exact deaths, no history of references.
    Deaths,
    /// Only which collection kept an object and which found it dead.
    Bounds,
}

impl From<Level> for StreamLevel {
    fn from(level: Level) -> Self {
        match level {
            Level::Full => Self::Full,
            Level::Deaths => Self::Deaths,
            Level::Bounds => Self::Bounds,
        }
    }
}

impl fmt::Display for StreamLevel {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Full => "full",
            Self::Deaths => "deaths",
            Self::Bounds => "bounds",
        })
    }
}

/// The clock of ages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum AgeClock {
    /// Bytes that the program allocated.
    Bytes,
    /// Methods that it entered.
    Calls,
    /// Microseconds.
    Micros,
}

impl AgeClock {
    /// The word in tables.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Calls => "calls",
            Self::Micros => "micros",
        }
    }
}

impl From<ProgramClock> for AgeClock {
    fn from(clock: ProgramClock) -> Self {
        match clock {
            ProgramClock::Bytes => Self::Bytes,
            ProgramClock::Calls => Self::Calls,
            ProgramClock::Micros => Self::Micros,
        }
    }
}

/// The request for the report.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeathsRequest {
    /// The stream or directory, as the command was given it.
    pub source: String,
    /// The filter.
    pub filter: crate::filter::Filter,
    /// The faults of the stream, one line each.
    pub damage: Vec<String>,
    /// The notes of the recording on its deaths and its end, one line each.
    pub notes: Vec<String>,
}

/// Exact lifetimes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeathsReport {
    /// Always `ducktrack-deaths`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// Where the deaths were read from.
    pub source: String,
    /// The command that ran; empty when not known.
    pub command: String,
    /// The program that wrote the stream; empty when not known.
    pub frontend: String,
    /// The runtime of the program; empty when not known.
    pub runtime: String,
    /// With `bounds` no death time is exact.
    pub level: StreamLevel,
    /// The clock of all ages.
    pub clock: AgeClock,
    /// The filter of the report.
    pub filter: FilterDoc,
    /// The same for the renderers.
    #[serde(skip)]
    pub(crate) asked: crate::filter::Filter,
    /// The questions that the stream cannot answer, as sentences.
    pub missing: Vec<String>,
    /// The damage.
    pub damage: Vec<String>,
    /// Contradictions; empty without any.
    pub contradictions: Vec<ContradictionDoc>,
    /// The clocks at the end of the stream.
    pub end: DeathClocksDoc,
    /// Events of the stream.
    pub events: EventCountsDoc,
    /// Collections.
    pub collections: u64,
    /// Deaths that a complete collection moved to a later time.
    pub raised: u64,
    /// All objects of the stream.
    pub total: LivesDoc,
    /// The sums after the filter, before `top` cuts.
    pub selected: LivesDoc,
    /// All dead objects on each clock; null where the stream has no such clock.
    pub on_clocks: OnClocksDoc,
    /// How long objects live, all objects of the stream.
    pub survival: Vec<SurvivalDoc>,
    /// How old the live heap is, at moments of the run.
    pub demographics: Vec<DemographicsDoc>,
    /// References.
    pub shape: ShapeDoc,
    /// Types, largest first.
    pub types: Vec<TypeDeathsDoc>,
    /// Sites, largest first.
    pub sites: Vec<SiteDeathsDoc>,
}

/// A contradiction of the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ContradictionDoc {
    /// What.
    pub what: String,
    /// How often.
    pub count: u64,
}

/// Readings of the program's clocks; null: the stream has no such clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeathClocksDoc {
    /// Bytes allocated.
    pub bytes: u64,
    /// Methods entered.
    pub calls: Option<u64>,
    /// Microseconds.
    pub micros: Option<u64>,
}

/// Events by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EventCountsDoc {
    /// Allocations.
    pub allocations: u64,
    /// References that were written.
    pub updates: u64,
    /// Uses.
    pub uses: u64,
    /// Objects that roots held.
    pub roots: u64,
    /// Methods entered.
    pub entries: u64,
    /// Methods left.
    pub exits: u64,
    /// Stamps of the past.
    pub stamps: u64,
}

/// Quantiles of spans; half of them are at most `p50`, nine of ten at most `p90`. Exact where close spans are equal, else rounded down by
/// at most 1 in 128; `max` is exact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct QuantilesDoc {
    /// The middle.
    pub p50: u64,
    /// Nine of ten.
    pub p90: u64,
    /// The largest.
    pub max: u64,
}

/// Spans of lives, all but `dragSoFar` of dead objects; null where nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DeathSpansDoc {
    /// From birth until unreachable; with `level` `bounds` until collected.
    pub lifetime: Option<QuantilesDoc>,
    /// From the last use until unreachable.
    pub drag: Option<QuantilesDoc>,
    /// From unreachable until collected.
    pub floating: Option<QuantilesDoc>,
    /// From the last use until the end of the run, of objects that are alive then.
    #[serde(default, rename = "dragSoFar")]
    pub drag_so_far: Option<QuantilesDoc>,
}

/// The spans on each clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct OnClocksDoc {
    /// In bytes allocated.
    pub bytes: Option<DeathSpansDoc>,
    /// In methods entered.
    pub calls: Option<DeathSpansDoc>,
    /// In microseconds.
    pub micros: Option<DeathSpansDoc>,
}

/// The lives of some objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LivesDoc {
    /// Objects that were allocated.
    pub objects: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Not dead at the end.
    pub alive: AmountDoc,
    /// Of the dead.
    #[serde(flatten)]
    pub spans: DeathSpansDoc,
}

/// A place in a program.
#[derive(
    Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
pub struct PlaceNameDoc {
    /// Class or module.
    pub class: String,
    /// Method; empty when the site is not known.
    pub method: String,
    /// Line; null when not known.
    pub line: Option<u32>,
    /// Source file; null when not known.
    pub source_file: Option<String>,
}

/// Objects of one type from one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SiteDeathsDoc {
    /// Where.
    #[serde(flatten)]
    pub place: PlaceNameDoc,
    /// What.
    #[serde(rename = "type")]
    pub ty: String,
    /// Their lives.
    #[serde(flatten)]
    pub lives: LivesDoc,
    /// By caller, largest first; empty when no caller is known.
    pub context: Vec<CallerDeathsDoc>,
}

/// Objects of one caller.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CallerDeathsDoc {
    /// The call.
    #[serde(flatten)]
    pub place: PlaceNameDoc,
    /// Their lives.
    #[serde(flatten)]
    pub lives: LivesDoc,
}

/// Objects of one type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TypeDeathsDoc {
    /// The type.
    #[serde(rename = "type")]
    pub ty: String,
    /// Their lives.
    #[serde(flatten)]
    pub lives: LivesDoc,
}

/// One age class of the survival curve.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurvivalDoc {
    /// Ages below this; the class begins at half of it.
    pub below: u64,
    /// Objects that died at such an age.
    pub died: AmountDoc,
    /// Objects that had this age at the end, and were alive.
    pub alive: AmountDoc,
    /// Share of the objects that live to this age or longer.
    pub objects: f64,
    /// Share of the bytes.
    pub bytes: f64,
}

/// The live heap at a moment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DemographicsDoc {
    /// The clock's reading.
    pub at: u64,
    /// Live objects by age: entry 0 has age 0, entry b has 2^(b-1) to 2^b - 1.
    pub counts: Vec<u64>,
    /// Their bytes.
    pub sizes: Vec<u64>,
}

/// Distances of references, by bytes allocated between the births of source and target; lists as in demographics.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DistancesDoc {
    /// To objects that are older than the source.
    pub to_older: Vec<u64>,
    /// To objects that are younger.
    pub to_younger: Vec<u64>,
    /// To the source itself.
    pub to_itself: u64,
    /// From global variables.
    pub from_globals: u64,
    /// References that became empty.
    pub emptied: u64,
}

/// Objects that died together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GroupsDoc {
    /// Objects that died by themselves: one per group.
    pub keys: u64,
    /// Objects that died with an object that referred to them.
    pub followers: u64,
    /// Groups by objects: entry b has 2^(b-1) to 2^b - 1.
    pub sizes: Vec<u64>,
    /// Objects of the largest.
    pub largest: u64,
    /// Dead objects to which nothing referred.
    pub unreferenced: u64,
    /// Dead objects by references to them.
    pub referrers: Vec<u64>,
    /// Dead objects by references that they held.
    pub references: Vec<u64>,
}

/// A reference from one site's objects to another's.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ShapeDoc {
    /// References that were stored; null: the stream does not tell them.
    pub stores: Option<DistancesDoc>,
    /// References that dead objects held at last; null as above.
    pub at_death: Option<DistancesDoc>,
    /// Who died with whom; null as above.
    pub groups: Option<GroupsDoc>,
}
