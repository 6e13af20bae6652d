//! The heap model of `mode=trace`: what lived where and when, from allocation events and the moves of collections.

mod amount;
mod growth;
mod heap_at;
mod lifetimes;
mod moment;
mod timeline;
mod trace_info;
mod trace_model;

pub use amount::Amount;
pub use growth::{Growth, GrowthPoint, GrowthRow, GrowthSubject, GrowthVerdict};
pub use heap_at::{HeapAt, LiveSite, LiveSpace, LiveThread, LiveType};
pub use lifetimes::{Lifetimes, SiteLifetime};
pub use moment::{CollectionNumber, Moment, Questions};
pub use timeline::{CompositionPoint, SpaceUse, Timeline, TimelinePoint};
pub use trace_info::{EventFileRow, HeapKnowledge, Quality, Rotation, TraceInfo};
pub use trace_model::TraceModel;
