//! Decodes UNSIGNED5, the VM's numbers of one to five bytes
//! (`src/hotspot/share/utilities/unsigned5.hpp`; from JDK 20 on without zero bytes).
//!
//! ```text
//! bytes b0 b1 ...   number = (b0-1) + (b1-1) * 64 + (b2-1) * 64^2 + ...
//! a byte from 192 on means that another follows, except for the fifth; a 0 byte ends the stream
//! ```
//!
//! Example: `0E` is 13; `C9 01` is 200: (201 - 1) + (1 - 1) * 64.

/// Decodes numbers up to the first invalid one.
pub(super) struct Unsigned5<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Unsigned5<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes: bytes.iter(),
        }
    }
}

impl Iterator for Unsigned5<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        let mut number = 0_u32;
        for place in 0..5 {
            let byte = *self.bytes.next()?;
            let digit = u32::from(byte.checked_sub(1)?);
            number = number.wrapping_add(digit << (6 * place));
            if byte < 192 {
                break;
            }
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::Unsigned5;

    #[test]
    fn numbers_of_all_lengths() {
        let bytes = [
            1, 0x0E, 191, // one byte
            0xC0, 1, 0xC9, 1, 0xFF, 0xBF, // two
            0xFF, 0xFF, 0xFF, 0xFF, 0xFF, // five
            0, 7,
        ];
        let numbers: Vec<u32> = Unsigned5::new(&bytes).collect();
        let largest = (0..5).fold(0_u32, |sum, place| sum.wrapping_add(254 << (6 * place)));
        assert_eq!(numbers, [0, 13, 190, 191, 200, 254 + 190 * 64, largest]);
    }

    #[test]
    fn a_cut_number_is_none() {
        assert_eq!(Unsigned5::new(&[0xFF]).next(), None);
        assert_eq!(Unsigned5::new(&[]).next(), None);
    }
}
