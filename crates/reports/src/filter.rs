//! The part of a run that a report is about.

use ducktrack_count_model::class_pattern_matches;

use crate::class_name::simple_name;

/// The rows a report keeps, their order, and how many are shown. The default keeps everything, largest bytes first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Packages or classes; a row is kept when its location or its blamed caller is inside one of them.
    pub only: Vec<String>,
    /// Allocated types; `*` stands for any text.
    pub types: Vec<String>,
    /// Threads by name; `*` stands for any text.
    pub threads: Vec<String>,
    /// Contexts by name, `KIND:NAME` or name alone; `*` stands for any text.
    pub contexts: Vec<String>,
    /// How many rows to show; `None` leaves it to the format (text: 20, the others: all).
    pub top: Option<usize>,
    /// The order.
    pub sort: Sort,
}

/// The order of rows, largest first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// Bytes, then objects.
    #[default]
    Bytes,
    /// Objects, then bytes.
    Count,
}

impl Sort {
    /// The word on the command line and in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Count => "count",
        }
    }
}

impl Filter {
    /// True when the report is about less than the whole run.
    pub fn is_partial(&self) -> bool {
        !(self.only.is_empty()
            && self.types.is_empty()
            && self.threads.is_empty()
            && self.contexts.is_empty())
    }

    /// True when a location in `class` (dotted) is wanted.
    pub fn wants_class(&self, class: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|scope| in_scope(scope, class))
    }

    /// True when objects of the type (as reports name it) are wanted.
    pub fn wants_type(&self, ty: &str) -> bool {
        self.types.is_empty()
            || self
                .types
                .iter()
                .any(|pattern| glob(pattern, ty) || glob(pattern, simple_name(ty)))
    }

    /// True when the thread is wanted.
    pub fn wants_thread(&self, name: &str) -> bool {
        self.threads.is_empty() || self.threads.iter().any(|pattern| glob(pattern, name))
    }

    /// True when objects made in the context are wanted.
    pub fn wants_context(&self, kind: &str, name: &str) -> bool {
        let fits = |pattern: &String| {
            let of_kind = pattern
                .strip_prefix(kind)
                .and_then(|rest| rest.strip_prefix(':'));
            glob(pattern, name) || of_kind.is_some_and(|pattern| glob(pattern, name))
        };
        self.contexts.is_empty() || self.contexts.iter().any(fits)
    }

    /// The filter in words, for the head of a report; empty when it keeps everything.
    pub fn description(&self) -> String {
        let parts = [
            ("package", &self.only),
            ("type", &self.types),
            ("thread", &self.threads),
            ("context", &self.contexts),
        ];
        parts
            .into_iter()
            .filter(|(_, values)| !values.is_empty())
            .map(|(what, values)| format!("{what} {}", values.join(" or ")))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// True when `class` is the scope itself, nested in it, or in the package (or below it) that it names.
/// A scope with `*` is a pattern for the whole name.
pub(crate) fn in_scope(scope: &str, class: &str) -> bool {
    let scope = scope.trim_end_matches(".*").trim_end_matches('.');
    class_pattern_matches(scope, class)
}

/// Matches the whole text; `*` stands for any run of characters. Linear in text times stars.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut rest = rest;
    let mut last = None;
    for part in parts {
        if let Some(middle) = last.replace(part) {
            match rest.find(middle) {
                Some(at) => rest = rest.get(at + middle.len()..).unwrap_or_default(),
                None => return false,
            }
        }
    }
    match last {
        None => rest.is_empty(),
        Some(end) => rest.ends_with(end),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_the_whole_text() {
        for (pattern, text, matches) in [
            ("main", "main", true),
            ("main", "main2", false),
            ("pool-*", "pool-1-thread-2", true),
            ("*-thread-#", "pool-#-thread-#", true),
            ("a*b*c", "aXbYbZc", true),
            ("a*b*c", "acb", false),
            ("*", "", true),
            ("ab*ba", "aba", false),
            ("**", "x", true),
        ] {
            assert_eq!(glob(pattern, text), matches, "{pattern} on {text}");
        }
    }

    #[test]
    fn a_package_holds_its_classes_and_subpackages_only() {
        for (scope, class, inside) in [
            ("com.acme", "com.acme.Main", true),
            ("com.acme", "com.acme.db.Row$1", true),
            ("com.acme", "com.acmeology.Main", false),
            ("com.acme.*", "com.acme.Main", true),
            ("com.acme.Main", "com.acme.Main$Inner", true),
            ("com.*.db", "com.acme.db", true),
        ] {
            assert_eq!(in_scope(scope, class), inside, "{scope} on {class}");
        }
    }

    #[test]
    fn types_match_by_full_or_simple_name() {
        let filter = Filter {
            types: vec!["String".into(), "byte[]".into()],
            ..Filter::default()
        };
        assert!(filter.wants_type("java.lang.String"));
        assert!(filter.wants_type("byte[]"));
        assert!(!filter.wants_type("java.lang.String[]"));
    }
}
