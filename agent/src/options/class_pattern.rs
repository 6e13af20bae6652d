//! Class name patterns, as used by `classes=`.

use std::fmt;

use ducktrack_trace_format::class_pattern_matches;

/// `com.acme` (a package and everything below it), `com.acme.Order` (with its nested classes) or `*Proxy*`: `*` matches any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassPattern(String);

impl ClassPattern {
    /// Parses a pattern written with dots or slashes.
    pub fn new(text: &str) -> Self {
        Self(text.replace('.', "/"))
    }

    /// Whether a class name in internal form matches.
    pub fn matches(&self, class: &str) -> bool {
        class_pattern_matches(&self.0, class)
    }
}

impl fmt::Display for ClassPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.replace('/', "."))
    }
}

#[cfg(test)]
mod tests {
    use super::ClassPattern;

    #[test]
    fn patterns() {
        assert!(ClassPattern::new("com.acme.*").matches("com/acme/x/Y"));
        assert!(ClassPattern::new("com.acme").matches("com/acme/x/Y"));
        assert!(ClassPattern::new("com.acme.Order").matches("com/acme/Order"));
    }
}
