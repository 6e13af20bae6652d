//! One object of the live heap, in 40 bytes.

use ducktrack_live_heap::{AddressMap, HasAddress};
use ducktrack_trace_format::ThreadId;

use ducktrack_count_model::{CallerColumn, Origin, SiteColumn, TypeColumn};

/// No thread.
const NO_THREAD: u32 = (1 << SLICE_SHIFT) - 1;
/// Above the thread: the slice of the epoch ([`LiveObject::slice`]), and whether it is only about that.
const SLICE_SHIFT: u32 = 25;
const SLICES: u32 = 0x1f << SLICE_SHIFT;
const UNDATED: u32 = 1 << 30;
/// In the thread's number: a collection moved the object from a young to an old space.
const PROMOTED: u32 = 1 << 31;

/// An object that no collection has found dead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveObject {
    /// The first address after it.
    pub end: u64,
    /// Its length in units of 8 bytes.
    units: u32,
    /// Where it was allocated.
    pub site: SiteColumn,
    /// The caller to blame.
    pub caller: CallerColumn,
    /// Its type.
    pub ty: TypeColumn,
    /// And [`SLICES`], [`UNDATED`], [`PROMOTED`].
    thread: u32,
    /// The epoch in which it was allocated.
    pub birth: u32,
    /// The first epoch in which it was at its address.
    pub arrived: u32,
    /// The epoch in which it was used last, as far as the trace states uses: an object is used when it is made.
    pub used: u32,
}

impl LiveObject {
    /// An object that no collection has seen.
    #[inline]
    pub fn new(end: u64, bytes: u64, site: SiteColumn, ty: TypeColumn, birth: u32) -> Self {
        Self {
            end,
            units: u32::try_from(bytes / 8).unwrap_or(u32::MAX),
            site,
            caller: CallerColumn::NONE,
            ty,
            thread: NO_THREAD,
            birth,
            arrived: birth,
            used: birth,
        }
    }

    /// Which thread allocated it, and the caller to blame.
    #[inline]
    pub(crate) fn by(mut self, thread: ThreadId, caller: CallerColumn) -> Self {
        self.thread = self.thread & !NO_THREAD | thread.0.min(NO_THREAD);
        self.caller = caller;
        self
    }

    /// Whose doing it is.
    #[inline]
    pub fn origin(&self) -> Origin {
        Origin {
            site: self.site,
            caller: self.caller,
        }
    }

    /// Its length.
    #[inline]
    pub fn bytes(&self) -> u64 {
        u64::from(self.units) * 8
    }

    /// The thread that allocated it, if known.
    #[inline]
    pub fn thread(&self) -> Option<ThreadId> {
        let thread = self.thread & NO_THREAD;
        (thread != NO_THREAD).then_some(ThreadId(thread))
    }

    /// In which slice of its epoch it was allocated.
    #[inline]
    pub(crate) fn in_slice(mut self, slice: u8, is_undated: bool) -> Self {
        let slice = u32::from(slice) << SLICE_SHIFT & SLICES;
        self.thread = self.thread & !(SLICES | UNDATED) | slice | u32::from(is_undated) << 30;
        self
    }

    /// The slice of its epoch in which it was allocated: a place in [`Heap::slices`](crate::Heap::slices) when the epoch ended.
    #[inline]
    pub fn slice(&self) -> usize {
        ((self.thread & SLICES) >> SLICE_SHIFT) as usize
    }

    /// Its slice is a guess: its thread wrote few events while others allocated a lot.
    #[inline]
    pub fn is_undated(&self) -> bool {
        self.thread & UNDATED != 0
    }

    /// A collection moved it from a young to an old space.
    #[inline]
    pub fn is_promoted(&self) -> bool {
        self.thread & PROMOTED != 0
    }

    /// A collection moves it from a young to an old space.
    pub fn promote(&mut self) {
        self.thread |= PROMOTED;
    }

    /// Notes a use in an epoch, if the object was at its address by then; gives the epoch of the last use before.
    #[inline]
    pub fn use_in(&mut self, epoch: u32) -> Option<u32> {
        let is_later = epoch >= self.arrived && epoch > self.used;
        is_later.then(|| core::mem::replace(&mut self.used, epoch))
    }

    /// Where it starts.
    #[inline]
    pub fn address(&self) -> u64 {
        self.end.saturating_sub(self.bytes())
    }

    /// The same object with the same origin; its type may be known better in one of them.
    pub(crate) fn agrees_with(&self, other: &Self) -> bool {
        let origin = |object: &Self| (object.caller, object.thread());
        (self.end, self.units, self.site, self.birth)
            == (other.end, other.units, other.site, other.birth)
            && (self.site == SiteColumn::NONE || origin(self) == origin(other))
    }
}

impl HasAddress for LiveObject {
    #[inline]
    fn low(&self) -> u32 {
        self.address() as u32
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes()
    }
}

/// Live objects by address.
pub(crate) type LiveHeap = AddressMap<LiveObject, 20>;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_takes_less_than_a_cache_line() {
        assert_eq!(size_of::<LiveObject>(), 40);
    }

    #[test]
    fn promotion_and_thread_do_not_disturb_each_other() {
        let mut object = LiveObject::new(64, 16, SiteColumn::at(1), TypeColumn::NONE, 0);
        object.promote();
        assert_eq!((object.is_promoted(), object.thread()), (true, None));
        let object = object.by(ThreadId(7), CallerColumn::NONE);
        assert!(object.is_promoted());
        assert_eq!(object.thread(), Some(ThreadId(7)));
        let unknown = object.by(ThreadId(u32::MAX), CallerColumn::NONE);
        assert_eq!((unknown.is_promoted(), unknown.thread()), (true, None));
        let sliced = object
            .in_slice(31, true)
            .by(ThreadId(9), CallerColumn::NONE);
        assert_eq!((sliced.slice(), sliced.is_undated()), (31, true));
        assert_eq!(
            (sliced.is_promoted(), sliced.thread()),
            (true, Some(ThreadId(9)))
        );
        let again = sliced.in_slice(0, false);
        assert_eq!(
            (again.slice(), again.is_undated(), again.is_promoted()),
            (0, false, true)
        );
    }
}
