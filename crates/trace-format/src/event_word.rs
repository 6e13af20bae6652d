//! The words of an event buffer, and a writer of such words for tests and tools (the agent's own writer is in Java).
//!
//! All words are `u32`, little-endian; a `u64` is two words, the low half first.
//!
//! ```text
//! word = site << 12 | units      site is 16 or more, below 0xE0000; from 0xB0000 to 0xBFFFF it may stand for a site and a caller (CalledSite)
//! word = op << 12 | low          op is below 16; payload words follow
//! word = 0xE0000000 + micros     clock: later events came at least this many microseconds after the piece was begun, earlier ones at most
//! word = (0xF0000 + op) << 12 | n   extended operation: n payload words follow; a reader skips operations that it does not know
//! word = (0xF0000 + op) << 12 | low   the same for op 0x0E00 to 0x0FFF: no payload follows, and `low` is part of a number
//! ```
//!
//! `units` are the bytes by which the top of the thread's allocation buffer (TLAB) moved since this thread's last event,
//! divided by 8. 0: the thread has allocated nothing since, so the compiler removed the allocation. At a site of fixed
//! size the object ends at the new top, and any bytes beyond its size are a gap: the VM or native code allocated them
//! before the object. At a measured site (arrays, clones) the units are exactly the object's.
//!
//! | op | name | low | payload | meaning |
//! |---|---|---|---|---|
//! | 0 | pad | 0 | | ignored |
//! | 0 | cut | 2048 + epoch % 2048 | | first word that a thread writes after a collection has cut its buffer; `epoch` is the piece's |
//! | 1 | at | | site, top u64 | object of fixed size that ends at `top` (new buffer, first event after a collection, or far from the last top) |
//! | 2 | outside | | site, bytes u64, address u64 | outside of thread-local buffers; bytes 0: the site's size; address 0: not known |
//! | 3 | array | | site, bytes u64, top u64 | measured object that ends at `top` |
//! | 4 | gap | units | | VM or native code allocated these units before the next event, whose top includes them |
//! | 5 | nothing | units | site | an eliminated measured object of this many units; 0: unmeasured |
//! | 6 | typed | | klass u64 | the address of the class of the next event's object |
//! | 7 | caller | | call site | the caller to blame for the next event |
//! | 8 | levels | dimensions | site of level 0, bytes u64, top u64, a length for each dimension | a `multianewarray`: the top moved by `bytes` in total; the sites of further levels are site + 1, ... |
//! | 8 | levels | 2048 + dimensions | site of level 0, a length for each dimension | the same if the top moved by exactly these arrays |
//! | 9 | dropped | | count u64 | events of this thread that were not recorded here |
//! | 10 | straddle | | site, bytes u64 | first event after a collection, and the thread has allocated nothing since: allocated before the collection if the thread had allocated at least as much since its last event (a preceding `moved` states that), otherwise eliminated; bytes 0: the site's size |
//! | 11 | eliminated | | site, bytes u64 | like `nothing`, for more than 4095 units |
//! | 12 | moved | | bytes u64 | bytes that the thread allocated since its last event, including the objects of the next event; the rest is a gap, and so is everything if no event follows |
//! | 13 | top | | top u64 | the top after the last event, which did not state it |
//!
//! A thread can be stopped between an allocation and its event, and even while it writes the event. So in a piece that begins after a cut,
//! everything before the `cut` of the piece's own epoch is from before the collection; a `cut` of another epoch means nothing.
//!
//! | extended op | for |
//! |---|---|
//! | 0x0000 to 0x00FF | buffers and clocks |
//! | 0x0100 to 0x01FF | stamps of use |
//! | 0x0200 to 0x0DFF | witness data: updates, calls (`witness_event.rs`) |
//! | 0x0E00 to 0x0FFF | returns and entries of methods without payload |
//! | 0x1000 to 0xFFFF | short forms of returns, of updates and of entries of methods |
//!
//! Clock words and extended operations stand between events, never between an event and the words that precede it (class, caller, moved).
//! They do not change the meaning of the words around them.
//!
//! In files, `outside` and `typed` have shorter forms, see [`shorten_events`](crate::shorten_events).
//!
//! `moved` precedes events that do not state by how much the top moved (`at`, `outside`, ...). `typed` and `caller` apply to the next
//! allocation only.

pub(crate) use ducktrack_probe_vocabulary::event_word::{
    ARRAY, AT, AT_TOP, DROPPED, ELIMINATED, FIRST_CLOCK, GAP, LEVELS, MOVED, NOTHING, OUTSIDE, PAD,
    STRADDLE, TOP, TYPED,
};
pub use ducktrack_probe_vocabulary::event_word::{
    CALLER, END_OF_CALLED_SITES, FIRST_CALLED_SITE, FIRST_EXTENDED, FIRST_SITE, MAX_CLOCK,
    MAX_UNITS,
};

use ducktrack_probe_vocabulary::event_word::extended::{FIRST_BARE_EXIT, FIRST_SHORT_EXIT};
use ducktrack_probe_vocabulary::event_word::{BARE_METHODS, IS_CUT};

use crate::SiteId;

/// The first number after those of sites in words. Higher ones are clock words and extended operations.
pub const END_OF_SITES: u32 = FIRST_CLOCK;

/// The first word of an event that states its class: in full, in the next two words, or with the class's number in the low bits.
pub const CLASS_STATED: u32 = TYPED << 12;

/// Bytes of a unit.
pub const UNIT: u64 = 8;

/// Number of words of each op as the agent writes it, its own included; 0 if the agent never writes it. For `levels` the lengths are
/// not counted.
pub(crate) const EVENT_LENGTHS: [usize; FIRST_SITE as usize] =
    [1, 4, 6, 6, 1, 2, 3, 2, 6, 3, 4, 4, 3, 3, 0, 0];

/// True for the upper bits of a word of a site.
#[inline]
pub const fn is_site(number: u32) -> bool {
    // Uses one comparison, because every word is checked.
    number.wrapping_sub(FIRST_SITE) < END_OF_SITES - FIRST_SITE
}

/// How many words of payload follow the word of an extended operation.
#[inline]
pub(crate) const fn extended_payload(word: u32) -> usize {
    const FIRST_BARE: u32 = (FIRST_EXTENDED + FIRST_BARE_EXIT as u32) << 12;
    const BARE: u32 = ((FIRST_SHORT_EXIT - FIRST_BARE_EXIT) as u32) << 12;
    // Uses one comparison, because this is asked for every record.
    match word.wrapping_sub(FIRST_BARE) < BARE {
        true => 0,
        false => (word & MAX_UNITS) as usize,
    }
}

/// The number of the method in the word of a bare operation.
pub(crate) const fn bare_method(word: u32) -> u32 {
    word & (BARE_METHODS - 1)
}

/// The first word that a thread writes in an epoch that began with a collection.
pub(crate) const fn cut_word(epoch: u32) -> u32 {
    PAD << 12 | IS_CUT | epoch & (IS_CUT - 1)
}

/// The epoch of a `cut` word in a piece of this epoch, which is not earlier than the result. `None` if it is not such
/// a word.
pub(crate) fn epoch_of_cut(low: u32, epoch: u32) -> Option<u32> {
    let back = epoch.wrapping_sub(low) & (IS_CUT - 1);
    (low & IS_CUT != 0).then(|| epoch.saturating_sub(back))
}

/// Builds the words of a buffer. Sites, units and dimensions are taken as given (masked to their fields).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventWords {
    bytes: Vec<u8>,
}

impl EventWords {
    /// An empty buffer.
    pub fn new() -> Self {
        Self::default()
    }

    /// The words as bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The words as bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds any word.
    pub fn word(mut self, word: u32) -> Self {
        self.push(word);
        self
    }

    fn push(&mut self, word: u32) {
        self.bytes.extend_from_slice(&word.to_le_bytes());
    }

    fn push_u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    fn escape(mut self, op: u32, low: u32) -> Self {
        self.push(op << 12 | (low & MAX_UNITS));
        self
    }

    fn payload(mut self, site: SiteId, values: &[u64]) -> Self {
        self.push(site.0);
        for value in values {
            self.push_u64(*value);
        }
        self
    }

    /// The word of a site.
    pub fn site(self, site: SiteId, units: u32) -> Self {
        self.word(site.0 << 12 | (units & MAX_UNITS))
    }

    /// An ignored word.
    pub fn pad(self) -> Self {
        self.escape(PAD, 0)
    }

    /// The first word after the collection that began the epoch.
    pub fn cut(self, epoch: u32) -> Self {
        self.word(cut_word(epoch))
    }

    /// An object of fixed size that ends at `top`.
    pub fn at(self, site: SiteId, top: u64) -> Self {
        self.escape(AT, 0).payload(site, &[top])
    }

    /// An object outside of thread-local buffers.
    pub fn outside(self, site: SiteId, bytes: u64, address: u64) -> Self {
        self.escape(OUTSIDE, 0).payload(site, &[bytes, address])
    }

    /// A measured object that ends at `top`.
    pub fn array(self, site: SiteId, bytes: u64, top: u64) -> Self {
        self.escape(ARRAY, 0).payload(site, &[bytes, top])
    }

    /// Units that belong to no site.
    pub fn gap(self, units: u32) -> Self {
        self.escape(GAP, units)
    }

    /// An eliminated measured object.
    pub fn nothing(self, site: SiteId, units: u32) -> Self {
        self.escape(NOTHING, units).payload(site, &[])
    }

    /// The class of the next object.
    pub fn typed(mut self, klass: u64) -> Self {
        self = self.escape(TYPED, 0);
        self.push_u64(klass);
        self
    }

    /// The caller of the next allocation.
    pub fn caller(self, call_site: u32) -> Self {
        self.escape(CALLER, 0).word(call_site)
    }

    /// A `multianewarray`.
    pub fn levels(self, site: SiteId, bytes: u64, top: u64, lengths: &[u32]) -> Self {
        let dimensions = u32::try_from(lengths.len()).unwrap_or(MAX_UNITS);
        let mut words = self.escape(LEVELS, dimensions).payload(site, &[bytes, top]);
        for length in lengths {
            words.push(*length);
        }
        words
    }

    /// A `multianewarray` by whose arrays, and nothing else, the top moved.
    pub fn levels_at_top(self, site: SiteId, lengths: &[u32]) -> Self {
        let dimensions = u32::try_from(lengths.len()).unwrap_or(MAX_UNITS);
        let words = self.escape(LEVELS, AT_TOP | dimensions).payload(site, &[]);
        lengths
            .iter()
            .fold(words, |words, length| words.word(*length))
    }

    /// Events that were not recorded.
    pub fn dropped(mut self, count: u64) -> Self {
        self = self.escape(DROPPED, 0);
        self.push_u64(count);
        self
    }

    /// Eliminated, or allocated just before the last collection.
    pub fn straddle(self, site: SiteId, bytes: u64) -> Self {
        self.escape(STRADDLE, 0).payload(site, &[bytes])
    }

    /// An eliminated object with its bytes.
    pub fn eliminated(self, site: SiteId, bytes: u64) -> Self {
        self.escape(ELIMINATED, 0).payload(site, &[bytes])
    }

    /// Bytes that the thread allocated since its last event, including the next one's objects.
    pub fn moved(mut self, bytes: u64) -> Self {
        self = self.escape(MOVED, 0);
        self.push_u64(bytes);
        self
    }

    /// A clock word.
    pub fn clock(self, micros: u32) -> Self {
        self.word(FIRST_CLOCK << 12 | micros.min(MAX_CLOCK))
    }

    /// An extended operation.
    pub fn extended(mut self, operation: u16, payload: &[u32]) -> Self {
        let length = u32::try_from(payload.len()).unwrap_or(MAX_UNITS);
        self.push((FIRST_EXTENDED + u32::from(operation)) << 12 | (length & MAX_UNITS));
        for word in payload {
            self.push(*word);
        }
        self
    }

    /// A method returns, or is entered without a receiver: a bare operation, by the first of its range.
    pub fn bare(self, first: u16, method: u32) -> Self {
        let first = (FIRST_EXTENDED + u32::from(first)) << 12;
        self.word(first | bare_method(method))
    }

    /// The current top.
    pub fn top(mut self, top: u64) -> Self {
        self = self.escape(TOP, 0);
        self.push_u64(top);
        self
    }
}
