//! A consumer of events of which most are alike, from the words as the agent writes them.
//!
//! | | what it is | words |
//! |---|---|---|
//! | *plain* | an allocation at its site, in the thread's buffer or eliminated, with nothing more said of it | 1 |
//! | *noted* | the same with its caller, its class or both said ahead of it | 3 to 6 |
//! | any other | gaps, new buffers, arrays of arrays, ... | |
//!
//! Nearly all events are plain or noted, and to count them nothing but their words is needed: a sink is given all that stand one after the other at once.

use crate::event_word::{CALLER, MAX_UNITS, TYPED, UNIT, is_site};
use crate::{CallSiteId, Event, SiteId};

/// A word of a piece, little-endian.
pub type Word = [u8; 4];

/// What was taken of words that stand one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlainRun {
    /// How many words from the first on.
    pub words: usize,
    /// Units of their objects; the thread's buffer stands so much higher.
    pub units: u64,
}

/// An object in the thread's buffer, and what was said ahead of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotedEvent {
    /// Where it was allocated.
    pub site: SiteId,
    /// Its size, if it is that of the site or the site is measured.
    pub units: u32,
    /// The caller to blame.
    pub caller: Option<CallSiteId>,
    /// Where the VM has its class.
    pub klass: Option<u64>,
    /// Where it ends.
    pub end: u64,
    /// Words that say all this.
    pub words: usize,
}

impl NotedEvent {
    /// The event that `words` begin with, in a thread's buffer that stands at `top`. `None`: the words are something else.
    #[inline]
    pub fn first_of(words: &[Word], top: u64) -> Option<Self> {
        let at = |index: usize| words.get(index).map(|word| u32::from_le_bytes(*word));
        let (mut caller, mut klass, mut before) = (None, None, 0);
        let mut word = at(0)?;
        if word >> 12 == CALLER {
            caller = Some(CallSiteId(at(1)?));
            before = 2;
            word = at(2)?;
        }
        if word == TYPED << 12 {
            let (low, high) = (at(before + 1)?, at(before + 2)?);
            klass = Some(u64::from(high) << 32 | u64::from(low));
            before += 3;
            word = at(before)?;
        }
        let units = word & MAX_UNITS;
        (before > 0 && is_site(word >> 12)).then(|| Self {
            site: SiteId(word >> 12),
            units,
            caller,
            klass,
            end: top.wrapping_add(u64::from(units) * UNIT),
            words: before + 1,
        })
    }
}

/// Takes the events of a piece from [`EventDecoder::decode_into`](crate::EventDecoder::decode_into).
pub trait EventSink {
    /// Takes plain and noted events from the first of `words` on; the thread's buffer stands at `top`. What it does not take, because it is neither or not as
    /// events of its site are, comes in another way.
    fn plain(&mut self, top: u64, words: &[Word]) -> PlainRun;

    /// Any other event.
    fn event(&mut self, event: Event);

    /// All words that [`EventSink::plain`] did not take pass here, in order: after their events, and from the first on that is no event.
    fn passed(&mut self, words: &[Word]);
}
