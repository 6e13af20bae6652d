//! Short forms of words that only files have.
//!
//! `typed` and `outside` have numbers in the low bits, which are 0 in the long forms:
//!
//! ```text
//! typed; class (2 words)                         unchanged, if the piece had no such class before; it is the next known class
//! typed n                                        class number n of the piece, from 1 on
//! outside; site; bytes (2 words); address (2)    unchanged, if one of them is too large
//! outside u; site; a                             u units of 8 bytes, at the address 8 * a (0: unknown)
//! ```
//!
//! Callers have no short form, because it saves nothing after LZ4: -0.3 to 0.8 % of the event blocks of json, jython, xalan and h2 (and 1.2
//! to 2.2 % without compression). Frequent pairs of a site and a caller have a number of their own ([`CalledSite`](crate::CalledSite)).

use crate::event_shortener::{EventShortener, MOST_CLASSES, ShortWords};

/// Appends the words of a piece to `short`, in short forms where they apply. Malformed words are copied unchanged.
pub fn shorten_events(words: &[u8], short: &mut Vec<u8>) {
    let (words, tail) = words.as_chunks::<4>();
    let start = short.len();
    short.resize(start + words.len() * 4, 0);
    let (room, _) = short.get_mut(start..).unwrap_or_default().as_chunks_mut();
    let mut written = ShortWords::new(room);
    EventShortener::default().write(words, &mut written);
    let end = start + written.len() * 4;
    short.truncate(end);
    short.extend_from_slice(tail);
}

/// The classes that a reader of a piece has seen so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct KnownClasses(Vec<u64>);

impl KnownClasses {
    /// Adds a class that was given in full.
    pub(crate) fn add(&mut self, klass: u64) {
        if self.0.len() < MOST_CLASSES {
            self.0.push(klass);
        }
    }

    /// The class of a `typed` word with a number.
    pub(crate) fn class(&self, number: u32) -> Option<u64> {
        let index = (number as usize).checked_sub(1)?;
        self.0.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Event, EventBlock, EventBlockHeader, EventDecoder, EventFlags, EventWords, SiteFacts,
        SiteId, ThreadId,
    };
    use proptest::prelude::*;

    struct Facts;

    impl SiteFacts for Facts {
        fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
            (site.0 < 20).then_some(24)
        }

        fn is_measured(&self, site: SiteId) -> bool {
            site.0 >= 20
        }
    }

    fn decode(words: &[u8]) -> (Vec<Event>, bool) {
        let header = EventBlockHeader {
            thread: ThreadId(0),
            epoch: 0,
            begun: 0,
            handed_over: 0,
            flags: EventFlags::NONE,
            last_top: 0x1000,
        };
        let mut events = Vec::new();
        let result = EventDecoder::new(&Facts)
            .decode(&EventBlock { header, words }, |event| events.push(event));
        (events, result.is_ok())
    }

    fn shortened(words: &EventWords) -> Vec<u8> {
        let mut short = Vec::new();
        shorten_events(words.as_bytes(), &mut short);
        short
    }

    #[test]
    fn a_known_class_is_a_number_and_what_lies_outside_takes_half() {
        let words = (2..102).fold(EventWords::new(), |words, units| {
            let words = words.typed(0x8_0000_1000).site(SiteId(20), units);
            words.outside(SiteId(20), 8 * u64::from(units), 0x7_8000_0000)
        });
        let short = shortened(&words);
        assert_eq!(short.len(), 8 + 100 * (4 + 4 + 12));
        assert_eq!(decode(&short), decode(words.as_bytes()));
        // Values that do not fit stay in the long form.
        let words = EventWords::new()
            .outside(SiteId(20), 0x8000, 8)
            .outside(SiteId(20), 0, 8)
            .outside(SiteId(20), 8, 1 << 35);
        assert_eq!(shortened(&words), words.as_bytes());
    }

    fn words() -> impl Strategy<Value = EventWords> {
        let event = (0_u8..16, 0_u32..1_500, 2_u32..40);
        prop::collection::vec(event, 0..3_000).prop_map(|events| {
            events.into_iter().fold(
                EventWords::new(),
                |words, (sort, caller, units)| match sort {
                    0 => words.typed(u64::from(caller)),
                    1 => words.moved(u64::from(units) * 8),
                    2 => words.caller(caller).array(SiteId(21), 800, 0x9000),
                    3 => words.nothing(SiteId(20), units),
                    4 if units < 20 => words.levels(SiteId(22), 8, 0x9000, &[1, 2]),
                    4 => words.levels_at_top(SiteId(22), &[1, 2]),
                    5 if units < 20 => words.outside(SiteId(21), u64::from(caller), 0x9000),
                    5 => words.caller(caller),
                    6 => words.at(SiteId(16), 0x7000_7000),
                    7..10 => words.site(SiteId(16), 3),
                    10 | 11 => words.caller(caller).site(SiteId(20), units),
                    _ => words.caller(caller % 9).site(SiteId(16), 3),
                },
            )
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn nothing_is_changed_but_the_length(words in words()) {
            let short = shortened(&words);
            prop_assert!(short.len() <= words.as_bytes().len());
            prop_assert_eq!(decode(&short), decode(words.as_bytes()));
        }

        #[test]
        fn what_are_no_events_is_copied(words in prop::collection::vec(any::<u32>(), 0..50), tail in 0_usize..4) {
            let mut bytes: Vec<u8> = words.iter().flat_map(|word| (word & 0xFFFF).to_le_bytes()).collect();
            bytes.extend(vec![1; tail]);
            let mut short = Vec::new();
            shorten_events(&bytes, &mut short);
            prop_assert!(short.len() <= bytes.len());
        }
    }
}
