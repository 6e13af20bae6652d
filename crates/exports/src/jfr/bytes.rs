//! How events write numbers and texts: 7 bits a byte, lowest first.

/// How a text is written: as UTF-8.
const UTF8: u8 = 3;
const EMPTY: u8 = 1;

/// The bytes of a file, written one value after the other.
#[derive(Debug, Default)]
pub(super) struct Bytes(pub(super) Vec<u8>);

impl Bytes {
    /// Up to eight bytes of 7 bits, each but the last with the highest bit; a ninth has 8.
    pub(super) fn int(&mut self, mut number: u64) {
        for _ in 0..8 {
            if number < 0x80 {
                break;
            }
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    pub(super) fn signed(&mut self, number: i64) {
        self.int(number.cast_unsigned());
    }

    pub(super) fn flag(&mut self, is_set: bool) {
        self.0.push(u8::from(is_set));
    }

    pub(super) fn text(&mut self, text: &str) {
        match text.is_empty() {
            true => self.0.push(EMPTY),
            false => {
                self.0.push(UTF8);
                self.int(text.len() as u64);
                self.0.extend_from_slice(text.as_bytes());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Bytes;

    #[test]
    fn numbers_take_as_many_bytes_as_they_need() {
        for (number, bytes) in [
            (0, vec![0]),
            (127, vec![127]),
            (128, vec![128, 1]),
            (u64::MAX, vec![255; 9]),
        ] {
            let mut out = Bytes::default();
            out.int(number);
            assert_eq!(out.0, bytes);
        }
    }
}
