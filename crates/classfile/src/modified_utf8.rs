//! Modified UTF-8, the text encoding of class files (JVM specification 4.4.7).
//!
//! Like UTF-8, with two differences: U+0000 is `C0 80`, and characters above
//! U+FFFF are written as their two surrogates, three bytes each. Example:
//! `ED A0 BD ED B8 80` is U+1F600.

use std::borrow::Cow;

/// Text for people to read. Bytes that are no character become U+FFFD.
#[must_use]
pub fn decode_modified_utf8(bytes: &[u8]) -> Cow<'_, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(
            char::decode_utf16(units(bytes))
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        ),
    }
}

/// The UTF-16 units that the bytes encode; U+FFFD for each byte that fits nowhere.
fn units(bytes: &[u8]) -> impl Iterator<Item = u16> {
    let mut rest = bytes;
    std::iter::from_fn(move || {
        let (unit, length) = match *rest {
            [] => return None,
            [a, ..] if a < 0x80 => (u16::from(a), 1),
            [a, b, ..] if a & 0xE0 == 0xC0 && continues(b) => {
                (u16::from(a & 0x1F) << 6 | low(b), 2)
            }
            [a, b, c, ..] if a & 0xF0 == 0xE0 && continues(b) && continues(c) => {
                (u16::from(a & 0x0F) << 12 | low(b) << 6 | low(c), 3)
            }
            _ => (0xFFFD, 1),
        };
        rest = rest.get(length..).unwrap_or_default();
        Some(unit)
    })
}

fn continues(byte: u8) -> bool {
    byte & 0xC0 == 0x80
}

fn low(byte: u8) -> u16 {
    u16::from(byte & 0x3F)
}

#[cfg(test)]
mod tests {
    use super::decode_modified_utf8;

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(
            decode_modified_utf8(b"java/lang/Object"),
            std::borrow::Cow::Borrowed("java/lang/Object")
        ));
    }

    #[test]
    fn zero_and_surrogates_are_decoded() {
        assert_eq!(decode_modified_utf8(b"a\xC0\x80b"), "a\0b");
        assert_eq!(
            decode_modified_utf8(b"\xED\xA0\xBD\xED\xB8\x80"),
            "\u{1F600}"
        );
    }

    #[test]
    fn broken_bytes_are_replaced() {
        assert_eq!(decode_modified_utf8(b"\xED\xA0\xBDx"), "\u{FFFD}x");
        assert_eq!(decode_modified_utf8(b"x\xFF"), "x\u{FFFD}");
    }
}
