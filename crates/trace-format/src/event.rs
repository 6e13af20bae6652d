//! One decoded event of a thread.

use crate::{CallSiteId, MethodEvent, SiteId, StaticUpdate, Update};

/// One event of one thread. Events come in program order of the thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// An allocation was executed at a site.
    Allocation(Allocation),
    /// The VM or native code allocated for this thread, at no site, before the next event.
    Gap {
        /// Number of bytes.
        bytes: u64,
    },
    /// Some events of this thread were not recorded.
    Dropped {
        /// Number of events.
        count: u64,
    },
    /// Later events came at this time or later, earlier ones at this time or earlier.
    Clock {
        /// Microseconds since the piece was begun.
        micros: u32,
    },
    /// A reference in an object was changed.
    Update(Update),
    /// A static field was changed.
    StaticUpdate(StaticUpdate),
    /// A method was entered.
    Enter(MethodEvent),
    /// A method returned.
    Exit {
        /// Index of the method.
        method: u32,
    },
    /// A method was left by an exception.
    Thrown(MethodEvent),
}

/// An executed allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// The allocation site.
    pub site: SiteId,
    /// The caller to blame, if it was recorded.
    pub caller: Option<CallSiteId>,
    /// Address of the object's class, if the site does not determine it.
    pub klass: Option<u64>,
    /// Bytes of the object. `None` if unknown (the site's size is unknown, or the array was eliminated without being
    /// measured).
    pub bytes: Option<u64>,
    /// Where the object is.
    pub place: Place,
}

/// Where the object of an executed allocation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// In a thread-local buffer: it ends at this address. Its own address is this minus its size.
    End(u64),
    /// Outside of thread-local buffers, at this address if it is known.
    Outside(Option<u64>),
    /// Nowhere: the JIT compiler removed the allocation.
    Eliminated,
    /// Like `End`, but the collection that began this epoch came between the allocation and its record: the address
    /// is from before that collection. Less than 8: unknown.
    Straggler(u64),
    /// Either eliminated or a straggler ([`ThreadCut::settle`](crate::ThreadCut::settle) decides): the thread has allocated nothing since
    /// the collection.
    Straddler {
        /// Bytes that the thread had allocated between its last event and that collection; 0: not recorded.
        allocated: u64,
    },
    /// On the heap, but the address is unknown (arrays of a `multianewarray` that went to more than one buffer).
    Unplaced,
}

impl Place {
    /// True if the object certainly reached the heap.
    pub fn is_on_heap(self) -> bool {
        !matches!(self, Self::Eliminated | Self::Straddler { .. })
    }
}
