//! The heap model of `mode=trace`: what lived where and when, from allocation events and the moves of collections.

mod address_history;
mod allocation_clock;
mod amount;
mod bridge_clock;
mod bridge_events;
mod bridge_names;
mod bridge_output;
mod bridge_root_records;
mod bridge_roots;
mod bridge_stamps;
mod capped;
mod collection_step;
mod column;
mod cost;
mod epoch_part;
mod epoch_queues;
mod fate_map;
mod followed_sites;
mod growth;
mod growth_builder;
mod growth_doubts;
mod growth_groups;
mod growth_span;
mod growth_verdict;
mod heap_at;
mod heap_at_builder;
mod heap_replay;
mod heap_samples;
mod kept_epoch;
mod knowledge;
mod last_uses;
mod lifetime_tallies;
mod lifetime_tally;
mod lifetimes;
mod live_counts;
mod live_heap;
mod live_object;
mod live_objects;
mod live_rows;
mod moment;
mod object_map;
mod replay_answers;
mod replay_info;
mod replay_sync;
mod run_sums;
mod space_map;
mod staleness;
mod staleness_builder;
mod sync_check;
mod thread_positions;
mod thread_queue;
mod timeline;
mod timeline_builder;
mod timeline_points;
mod trace_bridge;
mod trace_info;
mod trace_model;
mod trace_names;
mod trace_names_builder;

pub use amount::Amount;
pub use bridge_roots::HeldRoot;
pub use cost::{
    CallerCost, Cost, CostQuestion, Estimate, FullSavings, GcCost, GroupCost, HeapWhatIf, KindCost,
    ObjectGroup, PauseKind, PauseModel, Saved, SiteCost, TypeCost,
};
pub use epoch_part::{EpochPart, EpochView};
pub use followed_sites::FollowedSites;
pub use growth::{
    Growth, GrowthPoint, GrowthRow, GrowthSubject, GrowthVerdict, OldSpaceLook, StretchGrowth,
};
pub use growth_span::{GrowthBound, GrowthWindow, WindowGrowth};
pub use heap_at::{HeapAt, LiveCaller, LiveSite, LiveSpace, LiveThread, LiveType};
pub use heap_replay::HeapReplay;
pub use lifetimes::{CallerLifetime, Lifetimes, Lives, SiteLifetime};
pub use live_objects::{CommonFacts, LiveObjects, ObjectMaker};
pub use moment::{CollectionNumber, Moment, Questions};
pub use staleness::{Levels, StaleCaller, StalePoint, StaleSite, StaleType, Staleness};
pub use timeline::{CompositionPoint, SpaceUse, Timeline, TimelinePoint};
pub use trace_bridge::{BridgeLosses, TraceBridge};
pub use trace_info::{
    EventFileRow, HeapKnowledge, KnowledgeGap, KnownStretch, Quality, RecoveredRow, Rotation,
    TraceInfo,
};
pub use trace_model::TraceModel;
pub use trace_names::TraceNames;
