//! Names that come from class files, safe to print.
//!
//! Class files are untrusted, and the VM allows nearly any character in a name. Characters that would
//! steer a terminal, end the line or turn the reading direction are written as escapes: ESC is `\\u{1b}`.

#![forbid(unsafe_code)]

/// Writes control and direction characters as escapes; everything else stays.
#[must_use]
pub fn printable(text: &str) -> String {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~')) {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if steers(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

fn steers(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::printable;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        assert_eq!(
            printable("a\u{1b}[31m\u{9b}31m\nb\u{202e}c"),
            "a\\u{1b}[31m\\u{9b}31m\\u{a}b\\u{202e}c"
        );
        assert_eq!(printable("Straße.größe"), "Straße.größe");
    }
}
