//! Whoever takes events of which most are alike.
//!
//! *Plain* is an event that is one word: an allocation at its site, in the thread's buffer or eliminated, with nothing more said of it; or the same
//! with a known caller. Nine of ten events are plain, and to count them nothing but the word is needed.

use crate::{CallSiteId, Event, SiteId};

/// Takes the events of a piece from [`EventDecoder::decode_into`](crate::EventDecoder::decode_into).
pub trait EventSink {
    /// Plain words follow, at most so many; the thread's buffer stands at `top`.
    fn begin(&mut self, top: u64, words: usize);

    /// An object of `units` times 8 bytes, which ends where they end; 0: it was eliminated. False: it comes as any event instead.
    fn plain(&mut self, site: SiteId, units: u32) -> bool;

    /// The same with a caller: pair `number` of the piece, which is always the same caller, site and units.
    fn again(&mut self, number: u32, caller: CallSiteId, site: SiteId, units: u32) -> bool;

    /// The plain words have ended, and the buffer stands at `top`.
    fn end(&mut self, top: u64);

    /// Any other event.
    fn event(&mut self, event: Event);
}
