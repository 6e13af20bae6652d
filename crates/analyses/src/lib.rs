//! Answers from a trace, worked out while it is replayed: the heap at a moment, lifetimes,
//! survivors, staleness, the costs of collection, the course of a run, and exact deaths.
//!
//! Each analysis is a [`Question`] with an answer of its own type.
#![forbid(unsafe_code)]

mod cost;
mod deaths;
mod dumped_objects;
mod followed_sites;
mod heap_at;
mod lifetimes;
mod live_objects;
mod program_addresses;
mod question;
mod staleness;
mod survivors;
mod timeline;
mod trace_model;

pub use cost::{
    CallerCost, Cost, CostBuilder, CostQuestion, Estimate, FullSavings, GcCost, GroupCost,
    HeapWhatIf, KindCost, ObjectGroup, PauseKind, PauseModel, Saved, SiteCost, TypeCost,
};
pub use deaths::bridge::{BridgeLosses, TraceBridge, roots::HeldRoot};
pub use deaths::{
    DeathRow, DeathTallies, Deaths, Demographics, DemographicsPoint, LifeTally, ProgramClock,
    QuantileHistogram, Quantiles, Spans, Survival, SurvivalPoint,
};
pub use ducktrack_trace_format::CollectionKind;
pub use dumped_objects::DumpedObjects;
pub use followed_sites::FollowedSites;
pub use heap_at::moments::HeapMoments;
pub use heap_at::{HeapAt, LiveCaller, LiveSite, LiveSpace, LiveThread, LiveType};
pub use lifetimes::tallies::LifetimeTallies;
pub use lifetimes::{CallerLifetime, Lifetimes, Lives, SiteLifetime};
pub use live_objects::{CommonFacts, LiveObjects, ObjectMaker};
pub use question::Question;
pub use staleness::analysis::StalenessAt;
pub use staleness::{Levels, StaleCaller, StalePoint, StaleSite, StaleType, Staleness};
pub use survivors::builder::SurvivorsBuilder;
pub use survivors::span::{JudgedSpan, SpanBound};
pub use survivors::{EpochCells, OldSpaceLook, SurvivorRow, Survivors};
pub use timeline::analysis::TimelineCourse;
pub use timeline::{CompositionPoint, LivePart, SpaceUse, Timeline, TimelinePoint};
pub use trace_model::TraceModel;

// The records of a stream of exact deaths, as they are.
pub use ducktrack_merlin::{
    CollectionTotals, Contradictions, DeathGroups, EventCounts, Fate, HeapShape, Instant,
    KnownClocks, Level, Log2Histogram, MethodName, Names, ObjectSum, PointerDistances, RunTotals,
    SiteId, SiteName, TypeId, Uses,
};
