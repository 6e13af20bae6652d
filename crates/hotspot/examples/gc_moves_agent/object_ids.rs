//! The ids that the test program writes into its objects: a word `0x5A5A << 48 | number` at a multiple of 8 among the first words.

use ducktrack_hotspot::Address;

/// Words looked at, from the second on: the first one is the mark word.
const WORDS: std::ops::Range<usize> = 1..5;
const MARKER: u64 = 0x5A5A;

/// The id in an object of this size; 0 when it has none.
///
/// # Safety
/// `bytes` bytes at `object` must be readable.
pub(crate) unsafe fn id_of(object: Address, bytes: u64) -> u64 {
    for word in WORDS.take_while(|&word| (word as u64 + 1) * 8 <= bytes) {
        // SAFETY: inside the object.
        let value: u64 = unsafe { object.plus(word * 8).read() };
        if value >> 48 == MARKER {
            return value;
        }
    }
    0
}
