//! The ids that the test program writes into its objects: a word `0x5A5A << 48 | number` at a multiple of 8 among the first words.
//!
//! Only into its own classes and `long[]`. Any other object may show the id of one that was there before: the VM does not clear what it
//! fills gaps with, nor the last bytes of an array.

use ducktrack_hotspot::{Address, ClassId, ClassTable};

/// Words looked at, from the second on: the first one is the mark word.
const WORDS: std::ops::Range<usize> = 1..5;
const MARKER: u64 = 0x5A5A;
/// Ids begin here: a word with the length of a small array and old bytes after it is none.
const SMALLEST: u64 = 1 << 20;

/// The id in an object of this size and class; 0 when it has none.
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
        // SAFETY: inside the object.
        let value: u64 = unsafe { object.plus(word * 8).read() };
        if value >> 48 == MARKER && value & 0xFFFF_FFFF >= SMALLEST {
            return value;
        }
    }
    0
}
