//! A consumer of events that takes the frequent kinds directly as the words that the agent wrote.
//!
//! | | what it is | words |
//! |---|---|---|
//! | *plain* | an allocation at its site, in the thread's buffer or eliminated, with no further information | 1 |
//! | *noted* | the same, preceded by its caller, its class or both | 3 to 6 |
//! | any other | gaps, new buffers, arrays of arrays, ... | |
//!
//! Nearly all events are plain or noted, and counting them needs nothing but their words: a sink gets each run of consecutive ones at once.

use ducktrack_probe_vocabulary::event_word::extended::FIRST_BARE_EXIT;

use crate::event_word::{
    CALLER, FIRST_CLOCK, FIRST_EXTENDED, MAX_UNITS, TYPED, UNIT, extended_payload, is_site,
};
use crate::witness_event::is_record;
use crate::{CallSiteId, Event, SiteId};

/// A word of a piece, little-endian.
pub type Word = [u8; 4];

/// How much of a run of consecutive words was taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlainRun {
    /// How many words, counted from the first.
    pub words: usize,
    /// Units of their objects, by which the top of the thread's buffer moved.
    pub units: u64,
}

/// An object in the thread's buffer, with its preceding words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotedEvent {
    /// The allocation site.
    pub site: SiteId,
    /// Its size, if it matches the site's or the site is measured.
    pub units: u32,
    /// The caller to blame.
    pub caller: Option<CallSiteId>,
    /// Address of its class in the VM.
    pub klass: Option<u64>,
    /// End address of the object.
    pub end: u64,
    /// Number of words of the event.
    pub words: usize,
}

impl NotedEvent {
    /// Decodes the event at the start of `words`, if `top` is the top of the thread's buffer. `None` if it is not a noted
    /// event.
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

/// Consecutive updates, calls and clocks. For other events nothing follows from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordRun {
    /// Number of words.
    pub words: usize,
    /// Number of events.
    pub records: u64,
}

impl RecordRun {
    /// Those at the start of `words`.
    #[inline]
    pub fn first_of(words: &[Word]) -> Self {
        let mut run = Self::default();
        while let Some(word) = words.get(run.words).map(|word| u32::from_le_bytes(*word)) {
            let Some(length) = Self::payload(word).map(|payload| 1 + payload) else {
                break;
            };
            if run.words + length > words.len() {
                break;
            }
            run.words += length;
            run.records += 1;
        }
        run
    }
}

impl RecordRun {
    /// How many words of payload follow the word of an update, a call or a clock. `None`: it is another word.
    #[inline]
    pub(crate) fn payload(word: u32) -> Option<usize> {
        const FIRST_FREQUENT: u32 = (FIRST_EXTENDED + FIRST_BARE_EXIT as u32) << 12;
        match word >= FIRST_FREQUENT {
            true => Some(extended_payload(word)),
            false => payload_of_rare(word),
        }
    }
}

/// The same for words below those of bare and short records.
fn payload_of_rare(word: u32) -> Option<usize> {
    match word >> 12 {
        op @ FIRST_EXTENDED.. => is_record(op as u16).then(|| extended_payload(word)),
        op => (op >= FIRST_CLOCK).then_some(0),
    }
}

/// Receives the events of a piece from [`EventDecoder::decode_into`](crate::EventDecoder::decode_into).
pub trait EventSink {
    /// Takes plain and noted events from the start of `words`; `top` is the top of the thread's buffer. Events that it leaves (of other
    /// kinds, or of a size that does not match the site's) are passed to [`EventSink::event`].
    fn plain(&mut self, top: u64, words: &[Word]) -> PlainRun;

    /// Takes updates, calls and clocks from the start of `words` ([`RecordRun`]); returns
    /// the number of words taken. The words it leaves are passed to [`EventSink::event`].
    fn records(&mut self, _words: &[Word]) -> usize {
        0
    }

    /// Takes any other event.
    fn event(&mut self, event: Event);

    /// Receives all words that neither [`EventSink::plain`] nor [`EventSink::records`]
    /// took, in order: after their events, or from the first malformed word on.
    fn passed(&mut self, words: &[Word]);
}
