//! The ids in the test program's objects: a word `0x5A5A << 48 | number` at a multiple of 8 among the first words.
//!
//! Only objects of the program's own classes and `long[]` have ids. Any other object may contain the id of an earlier one: the VM
//! clears neither the memory under fillers nor the last bytes of an array.

use ducktrack_hotspot::{Address, ClassId, ClassTable};

/// Words that may hold an id; word 0 is the mark word.
const WORDS: std::ops::Range<usize> = 1..5;
const MARKER: u64 = 0x5A5A;
/// The lowest id: a smaller word may be the length of a small array followed by old bytes.
const SMALLEST: u64 = 1 << 20;

/// The id in an object of this size and class; 0 if it has none.
///
/// # Safety
/// `bytes` bytes at `object` must be readable.
pub(crate) unsafe fn id_of(
    object: Address,
    bytes: u64,
    class: ClassId,
    classes: &ClassTable,
) -> u64 {
    let name = classes.class(class).map(|class| class.name.as_slice());
    if !name.is_some_and(|name| name == b"[J" || name.starts_with(b"GcMovesProbe$")) {
        return 0;
    }
    for word in WORDS.take_while(|&word| (word as u64 + 1) * 8 <= bytes) {
        // SAFETY: the word is inside the object, whose `bytes` the caller guarantees to be readable.
        let value: u64 = unsafe { object.plus(word * 8).read() };
        if value >> 48 == MARKER && value & 0xFFFF_FFFF >= SMALLEST {
            return value;
        }
    }
    0
}
