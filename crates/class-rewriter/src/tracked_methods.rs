//! Tracked methods (aprof): methods that allocate on behalf of their caller.
//!
//! The allocations of `Arrays.copyOf` mean little by themselves; its callers explain them. A call of a tracked method from code that is not
//! tracked notes the *call site* in the current thread before the call and clears it afterwards; a site inside a tracked
//! method files its counts under the call site noted. Nested tracked calls leave the note alone, so the blame falls on
//! the caller of the outermost tracked method, as in aprof.
//!
//! Noting costs. Where a whole class is tracked, the methods that allocate nothing for their caller are taken out again
//! (`String.length`, `String.charAt`; [`crate::blame_passing`] finds them): to be called is no news then.

use rustc_hash::{FxHashMap, FxHashSet};

const BUILT_IN: &str = include_str!("tracked-methods.txt");
const IN_TRACES: &str = include_str!("tracked-in-traces.txt");

/// Which methods are tracked, by class and name (all overloads).
#[derive(Clone, Debug, Default)]
pub struct TrackedMethods {
    classes: FxHashMap<Box<[u8]>, Names>,
    /// Beginnings of class names; all methods of these classes are tracked.
    prefixes: Vec<Box<[u8]>>,
}

/// Methods of one class.
#[derive(Clone, Debug, Default)]
struct Names {
    all: bool,
    some: FxHashSet<Box<[u8]>>,
    /// Not these, whatever else is said.
    none_of: FxHashSet<Box<[u8]>>,
}

/// A line of a list of tracked methods that names none.
#[derive(Debug, PartialEq, Eq)]
pub struct BadLine {
    /// Counted from 1.
    pub line: usize,
    /// The text there.
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

    /// Adds the methods that make values, nodes and tables for their callers. A trace
    /// can name the object that is wasted, and so who asked for it; counts do without.
    pub fn add_makers_of_values(&mut self) {
        // As of the other list, a test reads every line.
        let _ = self.add_lines(IN_TRACES);
    }

    /// Adds methods, a line for each class: `com.acme.Pool.take`, `com.acme.Pool.<init>, take, give`, `com.acme.Pool.*`; a line that begins
    /// with `!` takes methods out. `#` starts a comment.
    ///
    /// # Errors
    /// The first line that is not of that form; the lines before it are added.
    pub fn add_lines(&mut self, text: &str) -> Result<(), BadLine> {
        for (index, line) in text.lines().enumerate() {
            let entry = line.split('#').next().unwrap_or("").trim();
            if !entry.is_empty() && !self.add_entry(entry) {
                return Err(BadLine {
                    line: index + 1,
                    text: entry.to_owned(),
                });
            }
        }
        Ok(())
    }

    fn add_entry(&mut self, entry: &str) -> bool {
        let (is_out, entry) = match entry.strip_prefix('!') {
            Some(rest) => (true, rest.trim_start()),
            None => (false, entry),
        };
        let names: Vec<&str> = entry.split(',').map(str::trim).collect();
        let Some((first, others)) = names.split_first() else {
            return false;
        };
        let Some((class, method)) = first.rsplit_once('.') else {
            return false;
        };
        let is_name = |name: &&str| !name.is_empty() && !name.contains(['.', ' ']);
        // Only single methods are taken out.
        if is_out && entry.contains('*') {
            return false;
        }
        if class.is_empty() || !std::iter::once(&method).chain(others).all(is_name) {
            return false;
        }
        let internal = class.replace('.', "/");
        for name in std::iter::once(&method).chain(others) {
            match is_out {
                true => self.take_out(internal.as_bytes(), name.as_bytes()),
                false => self.add(class, name),
            }
        }
        true
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

    /// Takes one method out, by class and name in internal form: it is not tracked, though its class is.
    pub fn take_out(&mut self, class: &[u8], method: &[u8]) {
        let names = self.classes.entry(class.into()).or_default();
        names.none_of.insert(method.into());
    }

    /// Whether the method with this class and name (internal form) is tracked.
    pub fn contains(&self, class: &[u8], method: &[u8]) -> bool {
        let names = self.classes.get(class);
        self.lists(names, class, method)
            && !names.is_some_and(|names| names.none_of.contains(method))
    }

    /// The same, those that were taken out included.
    pub(crate) fn is_listed(&self, class: &[u8], method: &[u8]) -> bool {
        self.lists(self.classes.get(class), class, method)
    }

    fn lists(&self, names: Option<&Names>, class: &[u8], method: &[u8]) -> bool {
        names.is_some_and(|names| names.all || names.some.contains(method))
            || self.prefixes.iter().any(|prefix| class.starts_with(prefix))
    }

    /// Class and name of the methods that were taken out, in internal form.
    pub fn taken_out(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.classes.iter().flat_map(|(class, names)| {
            let methods = names.none_of.iter();
            methods.map(move |method| (&**class, &**method))
        })
    }

    /// The classes of which every method is tracked but those that were taken out, in internal form.
    pub fn whole_classes(&self) -> impl Iterator<Item = &[u8]> {
        let whole = self.classes.iter().filter(|(_, names)| names.all);
        whole.map(|(class, _)| &**class)
    }

    /// Whether calls in this class are made for another, so that the blame goes through it: the machinery of
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
        assert_eq!(TrackedMethods::none().add_lines(IN_TRACES), Ok(()));
        let methods = TrackedMethods::built_in();
        assert!(methods.contains(b"java/util/Arrays", b"copyOf"));
        assert!(methods.contains(b"java/lang/StringBuilder", b"<init>"));
        assert!(!methods.contains(b"java/util/Arrays", b"sort"));
        assert!(methods.contains(b"java/lang/String", b"substring"));
        assert!(!methods.contains(b"java/lang/String", b"charAt"));
    }

    #[test]
    fn methods_are_taken_out_of_a_tracked_class() {
        let mut methods = TrackedMethods::none();
        let lines = "com.acme.Codec.*\n!com.acme.Codec.size, isEmpty\ncom.acme.Pool.take, <init>";
        assert_eq!(methods.add_lines(lines), Ok(()));
        let is_tracked = |class: &[u8], method: &[u8]| methods.contains(class, method);
        assert!(is_tracked(b"com/acme/Codec", b"encode"));
        assert!(!is_tracked(b"com/acme/Codec", b"size"));
        assert!(!is_tracked(b"com/acme/Codec", b"isEmpty"));
        assert!(is_tracked(b"com/acme/Pool", b"<init>"));
        assert!(!is_tracked(b"com/acme/Pool", b"size"));
        for bad in ["!nonsense", "a.b,", "a.b, c.d", ".b", "a.", "!a.*", "!a*.b"] {
            assert!(TrackedMethods::none().add_lines(bad).is_err(), "{bad}");
        }
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
