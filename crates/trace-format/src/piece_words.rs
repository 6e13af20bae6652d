//! Splits the words of a piece without knowing sizes of objects: for readers of clock words and of extended
//! operations.

use crate::Word;
use crate::event_word::{
    AT_TOP, EVENT_LENGTHS, FIRST_CLOCK, FIRST_EXTENDED, LEVELS, MAX_CLOCK, MAX_UNITS, OUTSIDE,
    TYPED, extended_payload,
};

/// Words that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PieceWord<'a> {
    /// An event, or the words that precede one.
    Event(&'a [Word]),
    /// Later events came at this time or later, earlier ones at this time or earlier.
    Clock {
        /// Microseconds since the piece was begun.
        micros: u32,
    },
    /// An extended operation with its payload. Callers skip operations that they do not know.
    Extended {
        /// Number of the operation.
        operation: u16,
        /// The lower 12 bits of its word: the length of the payload, or part of a number.
        low: u32,
        /// The payload.
        payload: &'a [Word],
    },
}

/// Splits the words of a piece; see [`PieceWord`]. Ends before a malformed word, and before an event that is cut off.
#[derive(Clone, Debug)]
pub struct PieceWords<'a> {
    rest: &'a [Word],
}

impl<'a> PieceWords<'a> {
    /// Starts at the first word.
    pub fn new(words: &'a [u8]) -> Self {
        Self {
            rest: words.as_chunks().0,
        }
    }

    /// Whether these words are whole events, and nothing follows the last one.
    pub(crate) fn are_whole_events(words: &'a [Word]) -> bool {
        let mut pieces = Self { rest: words };
        pieces.by_ref().for_each(drop);
        pieces.rest.is_empty()
    }
}

impl<'a> Iterator for PieceWords<'a> {
    type Item = PieceWord<'a>;

    fn next(&mut self) -> Option<PieceWord<'a>> {
        let word = u32::from_le_bytes(*self.rest.first()?);
        let length = word_length(word)?;
        let (words, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(match word >> 12 {
            FIRST_EXTENDED.. => PieceWord::Extended {
                operation: (word >> 12) as u16,
                low: word & MAX_UNITS,
                payload: words.get(1..).unwrap_or_default(),
            },
            FIRST_CLOCK.. => PieceWord::Clock {
                micros: word & MAX_CLOCK,
            },
            _ => PieceWord::Event(words),
        })
    }
}

/// The number of words in which the agent wrote these, some of which may be in the short forms of files.
pub fn words_as_written(words: &[Word]) -> u64 {
    let pieces = PieceWords::new(words.as_flattened());
    let lengths = pieces.map(|piece| match piece {
        PieceWord::Event(event) => {
            let word = event.first().map_or(0, |word| u32::from_le_bytes(*word));
            match (word >> 12, word & MAX_UNITS) {
                (TYPED, 1..) => 3,
                (OUTSIDE, 1..) => 6,
                _ => event.len() as u64,
            }
        }
        PieceWord::Clock { .. } => 1,
        PieceWord::Extended { payload, .. } => 1 + payload.len() as u64,
    });
    lengths.sum()
}

/// Number of words of an event that begins with this word, short forms of files included. `None` if no event begins
/// with it.
pub(crate) fn word_length(word: u32) -> Option<usize> {
    match (word >> 12, word & MAX_UNITS) {
        (TYPED, 1..) => Some(1),
        (OUTSIDE, 1..) => Some(3),
        _ => event_length(word),
    }
}

/// Number of words of an event that begins with this word, as the agent writes it.
pub(crate) fn event_length(word: u32) -> Option<usize> {
    let (operation, low) = (word >> 12, (word & MAX_UNITS) as usize);
    match EVENT_LENGTHS.get(operation as usize) {
        Some(0) => None,
        Some(_) if operation == LEVELS && low & AT_TOP as usize != 0 => {
            Some(2 + (low & !(AT_TOP as usize)))
        }
        Some(length) if operation == LEVELS => Some(length + low),
        Some(length) => Some(*length),
        None if operation >= FIRST_EXTENDED => Some(1 + extended_payload(word)),
        None => Some(1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{EventWords, SiteId};

    #[test]
    fn words_of_every_sort_are_taken_apart() {
        let words = EventWords::new()
            .site(SiteId(16), 3)
            .clock(250)
            .caller(9)
            .extended(0x0100, &[7, 8])
            .levels(SiteId(17), 64, 0x1000, &[2, 3])
            .extended(0x7FFF, &[])
            .bare(0x0E00, 0xF_F123)
            .site(SiteId(0xD_FFFF), 1);
        let lengths: Vec<(usize, Option<u16>)> = PieceWords::new(words.as_bytes())
            .map(|word| match word {
                PieceWord::Event(words) => (words.len(), None),
                PieceWord::Clock { micros } => (micros as usize, Some(0)),
                PieceWord::Extended {
                    operation, payload, ..
                } => (payload.len(), Some(operation)),
            })
            .collect();
        let expected = [
            (1, None),
            (250, Some(0)),
            (2, None),
            (2, Some(0x0100)),
            (8, None),
            (0, Some(0x7FFF)),
            (0, Some(0x0EFF)),
            (1, None),
        ];
        assert_eq!(lengths, expected);
    }

    #[test]
    fn shorter_forms_count_as_the_agent_wrote_them() {
        let words = (0..50_u32).fold(EventWords::new().clock(1), |words, n| {
            words
                .caller(n % 3)
                .site(SiteId(16), 3)
                .caller(n % 3)
                .array(SiteId(21), 800, 0x9000)
                .typed(0x8_0000_1000)
                .site(SiteId(20), 9)
                .outside(SiteId(20), 800, 0x7_8000_0000)
                .levels_at_top(SiteId(17), &[2, 3])
                .extended(0x0100, &[n])
        });
        let mut short = Vec::new();
        crate::shorten_events(words.as_bytes(), &mut short);
        assert!(short.len() < words.as_bytes().len());
        let (short, _) = short.as_chunks();
        assert_eq!(words_as_written(short), words.as_bytes().len() as u64 / 4);
    }

    #[test]
    fn a_cut_event_ends_the_words() {
        let words = EventWords::new()
            .site(SiteId(16), 3)
            .extended(1, &[1, 2, 3]);
        let cut = &words.as_bytes()[..12];
        assert_eq!(PieceWords::new(cut).count(), 1);
    }
}
