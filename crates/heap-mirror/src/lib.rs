//! The mirror: which event made each survivor of a collection. The agent keeps one where a file must be able to begin anew at any time, a
//! reader of a trace where the agent wrote survivors as they were.
#![forbid(unsafe_code)]

mod kept_pieces;
mod kept_site;
mod mirror;
#[cfg(test)]
mod named_sites;
mod origin;
mod piece_facts;
mod site_cache;
mod survivor_ends;
mod threads;

pub use kept_pieces::PieceObjects;
pub use kept_site::KeptSite;
pub use mirror::{Mirror, Moves, put_in_order};
pub use origin::{Birth, CLASS_OF_SITE, Kept, Origin};
pub use piece_facts::PieceFacts;
pub use site_cache::SiteCache;
pub use survivor_ends::{EndFate, SurvivorEnds};
pub use threads::Threads;
