//! What one event of a thread says, decoded.

use crate::{CallSiteId, MethodEvent, SiteId, StaticUpdate, Update};

/// One event of one thread. Events come in the order in which the thread made them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event {
    /// An allocation was executed at a site.
    Allocation(Allocation),
    /// The VM or native code allocated for this thread at no site, before the next event.
    Gap {
        /// How many bytes.
        bytes: u64,
    },
    /// Events of this thread that were not recorded.
    Dropped {
        /// How many events.
        count: u64,
    },
    /// What follows came at this time or later, what is ahead at this time or earlier; microseconds since the piece was begun.
    Clock {
        /// Microseconds.
        micros: u32,
    },
    /// A reference in an object got another target.
    Update(Update),
    /// A static field got another target.
    StaticUpdate(StaticUpdate),
    /// A method was entered.
    Enter(MethodEvent),
    /// A method returned.
    Exit {
        /// Number of the method.
        method: u32,
    },
    /// A method ended by an exception.
    Thrown(MethodEvent),
}

/// An allocation that was executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allocation {
    /// Where.
    pub site: SiteId,
    /// The caller to blame, if it was recorded.
    pub caller: Option<CallSiteId>,
    /// Address of the object's class, where the site does not tell.
    pub klass: Option<u64>,
    /// Bytes of the object. `None`: not known (the site's size is not known, or the array was eliminated unmeasured).
    pub bytes: Option<u64>,
    /// Where the object went.
    pub place: Place,
}

/// Where the object of an executed allocation went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// Into a thread-local buffer: it ends at this address. Its own address is this less its bytes.
    End(u64),
    /// Outside of thread-local buffers, at this address if it is known.
    Outside(Option<u64>),
    /// Nowhere: the compiler removed the allocation.
    Eliminated,
    /// As `End`, but the collection that began this epoch came between the allocation and its record: the address
    /// is one from before that collection. Less than 8: not known.
    Straggler(u64),
    /// Either eliminated, or a straggler ([`ThreadCut::settle`](crate::ThreadCut::settle) decides): the thread has allocated nothing since
    /// the collection.
    Straddler {
        /// Bytes that it had allocated between its last event and that collection; 0: not said.
        allocated: u64,
    },
    /// On the heap, but where is not known (arrays of a `multianewarray` that went to more than one buffer).
    Unplaced,
}

impl Place {
    /// True when the object reached the heap for certain.
    pub fn is_on_heap(self) -> bool {
        !matches!(self, Self::Eliminated | Self::Straddler { .. })
    }
}
