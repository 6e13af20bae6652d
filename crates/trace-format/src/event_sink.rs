//! Whoever takes events of which most are alike.
//!
//! | | what it is | words |
//! |---|---|---|
//! | *plain* | an allocation at its site, in the thread's buffer or eliminated, with nothing more said of it; or the same with a known pair of caller and site (`again`) | 1 |
//! | *noted* | an object in the thread's buffer whose caller, class or both are said ahead of it | 2 to 6 |
//! | any other | gaps, new buffers, arrays of arrays, ... | |
//!
//! Nine of ten events are plain, and to count them nothing but the word is needed: a sink is given all that stand one behind the other at once.

use crate::repeated_callers::KnownCallers;
use crate::{CallSiteId, Event, SiteId};

/// A word of a piece, little-endian.
pub type Word = [u8; 4];

/// What was taken of words that stand one behind the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlainRun {
    /// So many words from the first on.
    pub words: usize,
    /// Units of their objects; the thread's buffer stands so much higher.
    pub units: u64,
}

/// An object in the thread's buffer, and what was said ahead of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotedEvent {
    /// Where it was allocated.
    pub site: SiteId,
    /// Its size, if it is that of the site or the site is measured; never 0.
    pub units: u32,
    /// The caller to blame.
    pub caller: Option<CallSiteId>,
    /// Where the VM has its class.
    pub klass: Option<u64>,
    /// Where it ends.
    pub end: u64,
}

/// Takes the events of a piece from [`EventDecoder::decode_into`](crate::EventDecoder::decode_into).
pub trait EventSink {
    /// Takes plain words from the first of `words` on; the thread's buffer stands at `top`. What it does not take, because it is not plain or not as
    /// events of its site are, comes in another way.
    fn plain(&mut self, top: u64, words: &[Word], known: &KnownCallers) -> PlainRun;

    /// An object with more said of it. False: its size is not that of its site, or the site is not known. It comes as any event instead.
    fn noted(&mut self, event: &NotedEvent) -> bool;

    /// Any other event.
    fn event(&mut self, event: Event);
}
