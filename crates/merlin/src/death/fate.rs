//! The fate of one object.

use crate::death::clock::Instant;
use crate::stream::record::{ObjectId, SiteId, ThreadId, TypeId};

/// The history of one object's life.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fate {
    /// The object.
    pub object: ObjectId,
    /// Its type.
    pub ty: TypeId,
    /// Where it was allocated.
    pub site: SiteId,
    /// By which thread.
    pub thread: ThreadId,
    /// Its size.
    pub bytes: u64,
    /// Elements of an array.
    pub length: Option<u64>,
    /// When it was allocated.
    pub born: Instant,
    /// Its last use; its allocation is the first. `None`: the stream has no uses.
    pub used: Option<Instant>,
    /// When the program could reach it last. `None`: not dead, or the stream has bounds only.
    pub unreachable: Option<Instant>,
    /// The last collection that kept it. `None`: none is known.
    pub kept: Option<Instant>,
    /// The collection that found it dead. `None`: alive at the end.
    pub collected: Option<Instant>,
    /// References to it that were still there when it died.
    pub referrers: u32,
    /// References that it held when it died.
    pub references: u32,
    /// True: it died by itself. False: it died with an object that referred to it.
    pub is_key: bool,
}
