//! How users name methods: `main`, `Parser.next`, `com.foo.Parser::next`, `next(I)V`.
//!
//! A name is `[CLASS SEPARATOR] METHOD [DESCRIPTOR]`. The separator is `::`, `#`, or the last dot or slash before the
//! descriptor. A class may be written with dots or slashes, and without its package.

use std::fmt;

/// A method name as given by the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodName {
    /// With slashes, as in class files; `None` matches every class.
    class: Option<String>,
    method: String,
    /// `None` matches every descriptor.
    descriptor: Option<String>,
}

impl MethodName {
    /// Parses a name. Any text is a valid name.
    pub fn parse(text: &str) -> Self {
        let (name, descriptor) = match text.find('(') {
            Some(start) => (&text[..start], Some(text[start..].to_owned())),
            None => (text, None),
        };
        let split = ["::", "#"]
            .iter()
            .find_map(|separator| name.rsplit_once(separator))
            .or_else(|| name.rsplit_once(['.', '/']));
        let (class, method) = match split {
            Some((class, method)) => (Some(class.replace('.', "/")), method),
            None => (None, name),
        };
        Self {
            class,
            method: method.to_owned(),
            descriptor,
        }
    }

    /// Whether the name matches a method. The arguments are names as in class files.
    pub fn fits(&self, class: &str, method: &str, descriptor: &str) -> bool {
        let class_fits = self.class.as_deref().is_none_or(|wanted| {
            class == wanted
                || class
                    .strip_suffix(wanted)
                    .is_some_and(|package| package.ends_with('/'))
        });
        class_fits
            && self.method == method
            && self
                .descriptor
                .as_deref()
                .is_none_or(|wanted| wanted == descriptor)
    }
}

impl fmt::Display for MethodName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(class) = &self.class {
            write!(f, "{}.", class.replace('/', "."))?;
        }
        write!(
            f,
            "{}{}",
            self.method,
            self.descriptor.as_deref().unwrap_or_default()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_with_and_without_package() {
        for text in [
            "a.b.C.m",
            "a/b/C.m",
            "C.m",
            "C::m",
            "a.b.C#m",
            "m",
            "m(I)V",
            "b.C.m(I)V",
            "C::m(I)V",
        ] {
            assert!(MethodName::parse(text).fits("a/b/C", "m", "(I)V"), "{text}");
        }
        for text in ["B.m", "xC.m", "C.n", "m(J)V", "a.C.m"] {
            assert!(
                !MethodName::parse(text).fits("a/b/C", "m", "(I)V"),
                "{text}"
            );
        }
        assert!(MethodName::parse("C.<init>(La/b/D;)V").fits("C", "<init>", "(La/b/D;)V"));
        assert_eq!(MethodName::parse("a/b/C::m(I)V").to_string(), "a.b.C.m(I)V");
    }
}
