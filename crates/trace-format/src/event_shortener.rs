//! Shortens the words of a piece while they are read; [`crate::short_forms`] describes the short forms.
//!
//! One shortener processes piece after piece. It finds the classes of the current piece in a table indexed by a hash. A new class replaces
//! another with the same hash, which is written in full when it comes again.

use crate::Word;
use crate::event_word::{CALLER, MAX_UNITS, OUTSIDE, TYPED};
use crate::piece_words::event_length;

/// How many classes can have a number; 0 stands for none.
pub(crate) const MOST_CLASSES: usize = MAX_UNITS as usize;

const CLASS_PLACE_BITS: u32 = 8;

/// The shortened words of a piece, written into a slice with room for the original words.
#[derive(Debug)]
pub struct ShortWords<'a> {
    room: &'a mut [Word],
    length: usize,
}

impl<'a> ShortWords<'a> {
    /// No words so far.
    pub fn new(room: &'a mut [Word]) -> Self {
        Self { room, length: 0 }
    }

    /// Number of words written.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether none was written.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Writes a word.
    #[inline]
    pub fn push(&mut self, word: u32) {
        if let Some(place) = self.room.get_mut(self.length) {
            *place = word.to_le_bytes();
            self.length += 1;
        }
    }

    /// The room after the written words. The caller writes words there and then calls [`ShortWords::filled`].
    #[inline]
    pub fn rest(&mut self) -> &mut [Word] {
        self.room.get_mut(self.length..).unwrap_or_default()
    }

    /// Tells how many words were written to [`ShortWords::rest`].
    #[inline]
    pub fn filled(&mut self, words: usize) {
        self.length += words;
    }

    /// Writes words as they are.
    #[inline]
    pub fn copy(&mut self, words: &[Word]) {
        let most = self.room.len().saturating_sub(self.length);
        let (words, _) = words.split_at(words.len().min(most));
        for (place, word) in self.rest().iter_mut().zip(words) {
            *place = *word;
        }
        self.length += words.len();
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct ClassPlace {
    klass: u64,
    piece: u32,
    /// From 1 on; 0 if it has none.
    number: u32,
}

/// Shortens words.
#[derive(Debug)]
pub struct EventShortener {
    classes: Box<[ClassPlace; 1 << CLASS_PLACE_BITS]>,
    /// Number of the current piece; entries of other pieces count as free.
    piece: u32,
    class_count: usize,
    /// A malformed word was read: the meaning of the following words is unknown.
    is_lost: bool,
}

impl Default for EventShortener {
    fn default() -> Self {
        Self {
            classes: Box::new([ClassPlace::default(); 1 << CLASS_PLACE_BITS]),
            piece: 1,
            class_count: 0,
            is_lost: false,
        }
    }
}

impl EventShortener {
    /// Begins a piece.
    pub fn begin(&mut self) {
        if self.piece == u32::MAX {
            *self = Self::default();
        }
        self.piece += 1;
        self.class_count = 0;
        self.is_lost = false;
    }

    /// Writes events of any kind, with the short forms where they apply.
    pub fn write(&mut self, words: &[Word], short: &mut ShortWords<'_>) {
        let mut rest = words;
        while let [first, ..] = rest {
            let word = u32::from_le_bytes(*first);
            let length = event_length(word).filter(|_| !self.is_lost);
            self.is_lost |= length.is_none();
            let (event, after) = rest.split_at(length.unwrap_or(rest.len()).min(rest.len()));
            match event.iter().map(|word| u32::from_le_bytes(*word)).next() {
                Some(word) if word == TYPED << 12 && !self.is_lost => {
                    self.class(event, short);
                }
                Some(word) if word == OUTSIDE << 12 && !self.is_lost => outside(event, short),
                _ => short.copy(event),
            }
            rest = after;
        }
    }

    /// The number of the current piece, from 1 on.
    pub fn piece(&self) -> u32 {
        self.piece
    }

    /// Writes an event that states its class, after its caller if there is one.
    /// Returns the number that the class has in this piece, 0 if it has none.
    #[inline]
    pub fn write_typed(
        &mut self,
        caller: Option<u32>,
        words: &[Word],
        short: &mut ShortWords<'_>,
    ) -> u32 {
        match (caller, words) {
            _ if self.is_lost => {
                self.write(words, short);
                0
            }
            (Some(caller), [_, _, typed @ ..]) => {
                short.push(CALLER << 12);
                short.push(caller);
                self.class(typed, short)
            }
            _ => self.class(words, short),
        }
    }

    /// Handles a class given in full, and the words after it; returns its number, 0 if it has none.
    fn class(&mut self, words: &[Word], short: &mut ShortWords<'_>) -> u32 {
        let [_, low, high, rest @ ..] = words else {
            short.copy(words);
            return 0;
        };
        let klass =
            u64::from(u32::from_le_bytes(*high)) << 32 | u64::from(u32::from_le_bytes(*low));
        // Addresses of classes are multiples of 8.
        let index = (klass.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - CLASS_PLACE_BITS)) as usize;
        let place = &mut self.classes[index];
        if place.klass == klass && place.piece == self.piece && place.number != 0 {
            short.push(TYPED << 12 | place.number);
            short.copy(rest);
            return place.number;
        }
        self.class_count += 1;
        let number = match self.class_count {
            count if count <= MOST_CLASSES => count as u32,
            _ => 0,
        };
        *place = ClassPlace {
            klass,
            piece: self.piece,
            number,
        };
        short.copy(words);
        number
    }
}

/// Writes an object outside of the thread's buffer, in half the words if its size and its address are small enough.
fn outside(words: &[Word], short: &mut ShortWords<'_>) {
    let number = |index: usize| words.get(index).map_or(0, |word| u32::from_le_bytes(*word));
    let pair = |index: usize| u64::from(number(index + 1)) << 32 | u64::from(number(index));
    let (units, address) = (pair(2) / 8, pair(4));
    let fits = (1..=u64::from(MAX_UNITS)).contains(&units)
        && pair(2).is_multiple_of(8)
        && address.is_multiple_of(8)
        && words.len() == 6;
    match u32::try_from(address / 8) {
        Ok(address) if fits => {
            short.push(OUTSIDE << 12 | units as u32);
            short.push(number(1));
            short.push(address);
        }
        _ => short.copy(words),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_that_says_its_class_is_written_as_any_other() {
        let typed = [TYPED << 12, 0x40, 0, 20 << 12 | 2].map(u32::to_le_bytes);
        let called = |caller: u32| {
            [
                [CALLER << 12, caller].map(u32::to_le_bytes).as_slice(),
                &typed,
            ]
            .concat()
        };
        let mut shorteners = [EventShortener::default(), EventShortener::default()];
        let mut rooms = [[[0; 4]; 40], [[0; 4]; 40]];
        let [known, other] = &mut shorteners;
        let [mut short, mut expected] = rooms.each_mut().map(|room| ShortWords::new(room));
        for caller in [None, Some(7), Some(8), Some(7), None] {
            let words = caller.map_or(typed.to_vec(), called);
            known.write_typed(caller, &words, &mut short);
            other.write(&words, &mut expected);
            assert_eq!(short.len(), expected.len());
        }
        // The meaning of the words after this one is unknown.
        let broken = [[0, 0xF0, 0, 0]];
        for (shortener, short) in [(known, &mut short), (other, &mut expected)] {
            shortener.write(&broken, short);
            shortener.write_typed(Some(7), &called(7), short);
        }
        // The first event gives its class in full, the others by its number; after the broken word nothing is
        // shortened.
        assert_eq!(short.len(), 4 + 3 * 4 + 2 + 1 + 6);
        assert_eq!(rooms[0], rooms[1]);
    }
}
