//! The keys of `ducktrack impact`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What removing the objects of leak candidates saves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImpactReport {
    /// Always `ducktrack-impact`.
    pub format: String,
    /// Version of the meaning of the keys.
    pub version: u32,
    /// The program.
    pub command: String,
    /// When references are removed.
    pub at: RemovalMoment,
    /// Collections without a use after which they are.
    pub after: u32,
    /// How figures and verdicts are reached, as one paragraph.
    pub method: String,
    /// The trials without removal.
    pub base: TrialSetDoc,
    /// One for each candidate, in the order in which they were asked for.
    pub candidates: Vec<ImpactCandidateDoc>,
    /// Candidates that no trial can be made for, and why.
    pub left_out: Vec<String>,
    /// The trace and the dump of the run that named the candidates; null where they were given.
    pub trace: Option<String>,
    /// See `trace`.
    pub dump: Option<String>,
}

/// When a trial removes references.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RemovalMoment {
    /// As soon as their objects are stale.
    #[default]
    Stale,
    /// When the memory is full.
    Oom,
}

impl RemovalMoment {
    /// The word in JSON and in the agent's option.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Oom => "oom",
        }
    }
}

/// What the trials of a candidate show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum TrialVerdict {
    /// The removal saves time of collections.
    Saves,
    /// It costs time.
    Costs,
    /// It does neither, by as much as matters.
    NoSignificantImpact,
    /// It may matter: more trials would tell.
    TooFewTrials,
    /// No object of the candidate was unused for so long.
    NothingRemoved,
    /// The program used what was removed.
    NotALeak,
    /// Trials ended otherwise than those of the base.
    Failed,
    /// The VM crashed.
    Crashed,
}

/// A value with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EstimateDoc {
    /// The mean, or the difference of means.
    pub value: f64,
    /// From; null: one trial has no spread.
    pub low: Option<f64>,
    /// To.
    pub high: Option<f64>,
}

/// Trials of one kind. Times are seconds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TrialSetDoc {
    /// Trials.
    pub trials: u64,
    /// Of these: that did not end with the exit code of the first base trial.
    pub failed: u64,
    /// Of these: the VM crashed.
    pub crashed: u64,
    /// Of these: that printed something else than the base trials, which all print the same; null: those differ, too.
    pub other_output: Option<u64>,
    /// Collections, the mean.
    pub collections: f64,
    /// Time in the pauses of collections.
    pub gc_seconds: EstimateDoc,
    /// CPU time in them.
    pub gc_cpu_seconds: EstimateDoc,
    /// Time outside of pauses, without that in which the agent stops the program.
    pub mutator_seconds: EstimateDoc,
    /// Equation 1 of the paper: time in pauses as a share of both, in percent.
    pub gc_percent: EstimateDoc,
    /// How often the agent looked for references, the mean.
    pub looks: f64,
    /// Time in which the agent stopped the program to look for references, the mean.
    pub stopped_seconds: f64,
    /// The most bytes in use after a collection, the mean.
    pub most_used_bytes: f64,
}

/// A candidate and its trials.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ImpactCandidateDoc {
    /// Whose references are removed; null: an option is given.
    pub source: Option<String>,
    /// To what.
    pub target: Option<String>,
    /// The JVM option of these trials; null: references are removed.
    pub option: Option<String>,
    /// The class, method or package whose allocation the option switches off.
    pub sites: Option<String>,
    /// The score of `ducktrack leaks`; null where the candidate was given.
    pub score: Option<f64>,
    /// What the trials show.
    pub verdict: TrialVerdict,
    /// The share of the time of collections that a traced run says would be saved; null: there was none.
    pub predicted_share: Option<EstimateDoc>,
    /// The share that was saved, of the CPU time; null, as all savings, where a trial ended otherwise than the base.
    pub saved_share: Option<EstimateDoc>,
    /// Whether that lies in the predicted interval; null: nothing was predicted.
    pub as_predicted: Option<bool>,
    /// The same with the predicted interval widened by the trials' own: by as much as the measured share may be off; null as before.
    pub as_predicted_within_error: Option<bool>,
    /// The trials with removal, or with the option.
    pub removal: TrialSetDoc,
    /// Base minus removal, seconds in pauses.
    pub gc_saved_seconds: Option<EstimateDoc>,
    /// The same in CPU time, which decides.
    pub gc_cpu_saved_seconds: Option<EstimateDoc>,
    /// Base minus removal, seconds outside of pauses.
    pub mutator_saved_seconds: Option<EstimateDoc>,
    /// Base minus removal: the most bytes in use after a collection.
    pub used_bytes_saved: Option<EstimateDoc>,
    /// The paper's impact score: base minus removal of equation 1, in percentage points.
    pub impact_score: Option<EstimateDoc>,
    /// Objects of the pair that the last look found, the mean of the trials.
    pub seen: f64,
    /// References removed, the mean of the trials.
    pub references: f64,
    /// Of these: of final fields.
    pub finals: f64,
    /// Objects that they referred to.
    pub objects: f64,
    /// Bytes of these alone.
    pub bytes: f64,
    /// Of these objects: not freed at the last look, because another path holds them or no collection has looked at them yet.
    pub still_held: f64,
    /// Of these objects: used later, by another path; all trials together.
    pub used_again: u64,
    /// Places that threw NullPointerExceptions in these trials and in no base trial; all trials together.
    pub null_uses: Vec<PlaceCountDoc>,
    /// What went wrong in the agent, each one sentence.
    pub faults: Vec<String>,
}

/// How often at a place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PlaceCountDoc {
    /// The class.
    pub class: String,
    /// The method.
    pub method: String,
    /// The line; null when not known.
    pub line: Option<u16>,
    /// How often.
    pub count: u64,
}
