//! Finds the size and class of an object from the class bits of its header, without a branch.
//!
//! A walk looks up the class of every object, and almost every answer repeats. So recent answers are cached in a table of 4,096 lines of 16
//! bytes, four to a cache line. The upper 12 bits of the multiplied class bits select the line:
//!
//! ```text
//! offset  0  8 bytes  class bits of the header (compressed pointer, full pointer, or part of the mark word)
//!         8  4        row of the class table
//!        12  2        instance size in bytes; for an array, bytes before its elements
//!        14  1        log2 of the size of an element
//!        15  1        1 for an array
//! ```
//!
//! `(bytes + ((length & array mask) << log2) + alignment - 1) & -alignment` is the size of an array and of any other object, because the
//! mask clears the length of a non-array. Classes whose instances differ in size for other reasons, and sizes above 64 KB, have no line.
//!
//! Example: `byte[5]` with a header of 16 bytes is `(16 + (5 << 0) + 7) & -8 = 24`. A `String` is `(24 + (0 << 0) + 7) & -8 = 24`, whatever
//! word stands in place of a length.

use crate::classes::class_table::ClassId;
use crate::heap::class_cache::{QuickClass, QuickRule};

const LOG2_LINES: u32 = 12;
const LINES: usize = 1 << LOG2_LINES;

/// One line.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(16))]
pub(crate) struct ClassLine {
    bits: u64,
    class: u32,
    bytes: u16,
    log2_element: u8,
    is_array: u8,
}

/// The lines of one walking thread.
#[derive(Debug)]
pub(crate) struct ClassLines {
    lines: Box<[ClassLine; LINES]>,
    round_up: usize,
}

impl ClassLines {
    /// `alignment`: of objects, a power of two.
    pub(crate) fn new(alignment: usize) -> Self {
        let empty = |bits| ClassLine {
            bits,
            class: 0,
            bytes: 0,
            log2_element: 0,
            is_array: 0,
        };
        // An empty line holds bits that belong to another line, so a lookup never matches: 0 belongs to line 0, all ones do not.
        let mut lines = Box::new([empty(0); LINES]);
        lines[0] = empty(u64::MAX);
        Self {
            lines,
            round_up: alignment - 1,
        }
    }

    /// The line for these bits. [`ClassLine::is_for`] tells whether it holds their class.
    #[inline(always)]
    pub(crate) fn line(&self, bits: u64) -> ClassLine {
        self.lines[place(bits)]
    }

    /// The size of an object of this line. `length` is the word at the place of an array's length.
    #[inline(always)]
    pub(crate) fn bytes(&self, line: ClassLine, length: u32) -> usize {
        let length = length & u32::from(line.is_array).wrapping_neg();
        let elements = (length as usize) << (line.log2_element & 31);
        (usize::from(line.bytes) + elements + self.round_up) & !self.round_up
    }

    /// Stores a class, if it fits into a line.
    pub(crate) fn enter(&mut self, bits: u64, class: QuickClass) {
        let (bytes, log2_element, is_array) = match class.rule {
            QuickRule::Fixed(bytes) => match u16::try_from(bytes) {
                Ok(bytes) => (bytes, 0, 0),
                Err(_) => return,
            },
            QuickRule::Array {
                header,
                log2_element,
            } => (header, log2_element, 1),
            QuickRule::Special => return,
        };
        // A walk must advance by multiples of the alignment.
        let is_whole = is_array == 1 || usize::from(bytes) & self.round_up == 0;
        if bytes >= 8 && is_whole {
            self.lines[place(bits)] = ClassLine {
                bits,
                class: class.id.0,
                bytes,
                log2_element,
                is_array,
            };
        }
    }
}

impl ClassLine {
    /// Whether the line holds the class with these bits.
    #[inline(always)]
    pub(crate) fn is_for(self, bits: u64) -> bool {
        self.bits == bits
    }

    /// Row of the class.
    #[inline(always)]
    pub(crate) fn class(self) -> ClassId {
        ClassId(self.class)
    }
}

/// The index of the line. The class bits of one VM are close together, so they are multiplied, and the upper bits are used.
#[inline(always)]
fn place(bits: u64) -> usize {
    let mixed = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - LOG2_LINES);
    mixed as usize & (LINES - 1)
}

#[cfg(test)]
mod tests {
    use super::{ClassLines, LINES, place};
    use crate::classes::class_table::tests::loaded;
    use crate::heap::class_cache::QuickClass;

    const BYTES: i32 = 0xC010_0800_u32.cast_signed();
    const LONGS: i32 = 0xC010_0B03_u32.cast_signed();

    #[test]
    fn sizes_of_instances_and_arrays() {
        let (table, places) = loaded(&[("S", 24), ("[B", BYTES), ("[J", LONGS), ("Huge", 1 << 20)]);
        let mut lines = ClassLines::new(8);
        let mut enter = |number: usize| {
            let id = table.find(places[number]).expect("known");
            lines.enter(number as u64, QuickClass::of(&table, id));
            id
        };
        let ids = [enter(0), enter(1), enter(2), enter(3)];
        let of = |bits: u64, length| {
            let line = lines.line(bits);
            line.is_for(bits)
                .then(|| (line.class(), lines.bytes(line, length)))
        };
        assert_eq!(of(0, u32::MAX), Some((ids[0], 24)));
        assert_eq!(of(1, 5), Some((ids[1], 24)));
        assert_eq!(of(2, u32::MAX), Some((ids[2], 16 + 8 * 0xFFFF_FFFF)));
        assert_eq!(of(3, 0), None);
    }

    #[test]
    fn an_empty_line_is_for_nothing() {
        let lines = ClassLines::new(8);
        assert_ne!(place(u64::MAX), 0);
        for bits in (0..LINES as u64).chain([u64::MAX, 1 << 63]) {
            assert!(!lines.line(bits).is_for(bits));
        }
    }
}
