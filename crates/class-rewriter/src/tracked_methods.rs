//! Tracked methods (aprof): methods that allocate on behalf of their caller.
//!
//! What `Arrays.copyOf` allocates says little; who called it says all. A call of a tracked method from code that is not
//! tracked notes the *call site* in the current thread before the call and clears it afterwards; a site inside a tracked
//! method files its counts under the call site noted. Nested tracked calls leave the note alone, so the blame falls on
//! the caller of the outermost tracked method, as in aprof.

use rustc_hash::{FxHashMap, FxHashSet};

const BUILT_IN: &str = include_str!("tracked-methods.txt");

/// Which methods are tracked, by class and name (all overloads).
#[derive(Clone, Debug, Default)]
pub struct TrackedMethods {
    classes: FxHashMap<Box<[u8]>, Names>,
    /// Beginnings of class names; all methods of these classes are tracked.
    prefixes: Vec<Box<[u8]>>,
}

#[derive(Clone, Debug, Default)]
struct Names {
    all: bool,
    some: FxHashSet<Box<[u8]>>,
}

/// A line of a list of tracked methods that is not `class.method`.
#[derive(Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Counted from 1.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

impl TrackedMethods {
    /// No method is tracked.
    pub fn none() -> Self {
        Self::default()
    }

    /// The JDK's methods that are known to allocate for their callers.
    pub fn built_in() -> Self {
        let mut methods = Self::default();
        // The list is part of the program; a test reads every line of it.
        let _ = methods.add_lines(BUILT_IN);
        methods
    }

    /// Adds methods written one per line as `com.acme.Pool.take`, `com.acme.Pool.<init>` or `com.acme.Pool.*`; `#` starts a comment.
    ///
    /// # Errors
    /// The first line that is not of that form; the lines before it are added.
    pub fn add_lines(&mut self, text: &str) -> Result<(), BadLine> {
        for (index, line) in text.lines().enumerate() {
            let entry = line.split('#').next().unwrap_or("").trim();
            if entry.is_empty() {
                continue;
            }
            match entry.rsplit_once('.') {
                Some((class, method)) if !class.is_empty() && !method.is_empty() => {
                    self.add(class, method)
                }
                _ => {
                    return Err(BadLine {
                        line: index + 1,
                        text: entry.to_owned(),
                    });
                }
            }
        }
        Ok(())
    }

    /// Adds one method by class (dots or slashes) and name, `*` for every method. A class that ends with `*` stands for all
    /// classes that begin so, with every method.
    pub fn add(&mut self, class: &str, method: &str) {
        if let Some(prefix) = class.strip_suffix('*') {
            self.prefixes
                .push(prefix.replace('.', "/").into_bytes().into());
            return;
        }
        let names = self
            .classes
            .entry(class.replace('.', "/").into_bytes().into())
            .or_default();
        if method == "*" {
            names.all = true;
        } else {
            names.some.insert(method.as_bytes().into());
        }
    }

    /// Whether the method with this class and name (internal form) is tracked.
    pub fn contains(&self, class: &[u8], method: &[u8]) -> bool {
        self.classes
            .get(class)
            .is_some_and(|names| names.all || names.some.contains(method))
            || self.prefixes.iter().any(|prefix| class.starts_with(prefix))
    }

    /// Whether calls in this class are part of somebody else's doing, so that the blame goes through it: the machinery of
    /// method handles and reflection. Where the VM enters it to link a call, what it allocates is its own.
    pub(crate) fn is_transparent(&self, class: &[u8]) -> bool {
        class != b"java/lang/invoke/MethodHandleNatives"
            && [
                b"java/lang/invoke/".as_slice(),
                b"java/lang/reflect/",
                b"jdk/internal/reflect/",
            ]
            .iter()
            .any(|package| class.starts_with(package))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_list_is_well_formed() {
        assert_eq!(TrackedMethods::none().add_lines(BUILT_IN), Ok(()));
        let methods = TrackedMethods::built_in();
        assert!(methods.contains(b"java/util/Arrays", b"copyOf"));
        assert!(methods.contains(b"java/lang/StringBuilder", b"<init>"));
        assert!(!methods.contains(b"java/util/Arrays", b"sort"));
    }

    #[test]
    fn users_add_methods() {
        let mut methods = TrackedMethods::none();
        assert_eq!(
            methods.add_lines("com.acme.Pool.take # ours\n\ncom.acme.Codec.*\n"),
            Ok(())
        );
        assert!(methods.contains(b"com/acme/Pool", b"take"));
        assert!(!methods.contains(b"com/acme/Pool", b"give"));
        assert!(methods.contains(b"com/acme/Codec", b"<init>"));
        assert_eq!(
            methods.add_lines("a.b\nnonsense\n"),
            Err(BadLine {
                line: 2,
                text: "nonsense".to_owned()
            })
        );
    }
}
