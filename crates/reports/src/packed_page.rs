//! Pages inside of a page, small: compressed as browsers expand it, in letters that a script element may hold.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Gzip in base64.
pub(crate) fn packed(page: &str) -> std::io::Result<String> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(page.as_bytes())?;
    Ok(base64(&encoder.finish()?))
}

fn base64(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let mut word = [0; 4];
        word[1..=group.len()].copy_from_slice(group);
        let word = u32::from_be_bytes(word);
        for at in 0..4 {
            let letter = LETTERS.get((word >> (18 - 6 * at) & 63) as usize);
            let is_filled = at <= group.len();
            text.push(match letter {
                Some(letter) if is_filled => char::from(*letter),
                _ => '=',
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_those_of_the_standard() {
        let cases = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in cases {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64(&[0xFB, 0xFF, 0xFE]), "+//+");
    }

    #[test]
    fn a_page_becomes_small() {
        let page = "<tr><td>com.acme.Orders.total</td></tr>".repeat(10_000);
        assert!(packed(&page).expect("memory").len() < page.len() / 20);
    }
}
