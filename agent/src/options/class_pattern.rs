//! Patterns of class names, as `include=` and `exclude=` take them.

/// `com.acme.*` (a package and all below it), `com.acme.Order` or `*Proxy*`: `*` stands for any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassPattern(String);

impl ClassPattern {
    /// A pattern written with dots or slashes.
    pub fn new(text: &str) -> Self {
        Self(text.replace('.', "/"))
    }

    /// Whether a class name in internal form fits.
    pub fn matches(&self, class: &str) -> bool {
        wildcard(self.0.as_bytes(), class.as_bytes())
    }
}

fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t, mut retry) = (0, 0, None);
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                retry = Some((p, t));
                p += 1;
            }
            Some(byte) if *byte == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match retry {
                Some((star, from)) => {
                    p = star + 1;
                    t = from + 1;
                    retry = Some((star, t));
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::ClassPattern;

    #[test]
    fn patterns() {
        assert!(ClassPattern::new("com.acme.*").matches("com/acme/x/Y"));
        assert!(ClassPattern::new("*a*b*").matches("xxayybzz"));
        assert!(!ClassPattern::new("*a*b").matches("xxayybzz"));
        assert!(ClassPattern::new("com.acme.Order").matches("com/acme/Order"));
    }
}
