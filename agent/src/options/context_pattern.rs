//! What opens contexts: `contexts=http`, `contexts=[KIND:]CLASS.METHOD[(N)]`.

use std::fmt;

use ducktrack_trace_format::class_pattern_matches;

use super::ClassPattern;

/// The kind of contexts without one.
const DEFAULT_KIND: &str = "method";

/// `com.acme.*Controller.*`, `sql:com.acme.Db.query(1)`: in both names `*` matches any characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextPattern {
    /// The kind of its contexts.
    pub kind: String,
    /// The classes.
    pub class: ClassPattern,
    /// The methods.
    pub method: String,
    /// What the context is called.
    pub name: ContextName,
}

/// A kind of contexts of well-known libraries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BuiltInContexts {
    /// Requests.
    Http,
    /// Statements.
    Sql,
    /// Messages that arrive.
    Messages,
    /// Scheduled jobs.
    Jobs,
    /// Tests.
    Tests,
    /// Spans of OpenTelemetry.
    Otel,
}

impl BuiltInContexts {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Http,
        Self::Sql,
        Self::Messages,
        Self::Jobs,
        Self::Tests,
        Self::Otel,
    ];

    /// The word of the option, which is the kind of the contexts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Sql => "sql",
            Self::Messages => "messages",
            Self::Jobs => "jobs",
            Self::Tests => "tests",
            Self::Otel => "otel",
        }
    }
}

/// A value of `contexts=`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextSource {
    /// Well-known libraries.
    BuiltIn(BuiltInContexts),
    /// Methods of the program.
    Methods(ContextPattern),
}

impl ContextSource {
    /// Parses a word or a pattern.
    pub fn parse(text: &str) -> Option<Self> {
        let mut kinds = BuiltInContexts::ALL.into_iter();
        let built_in = kinds.find(|kind| kind.word() == text).map(Self::BuiltIn);
        built_in.or_else(|| ContextPattern::parse(text).map(Self::Methods))
    }
}

impl fmt::Display for ContextSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(kind) => f.write_str(kind.word()),
            Self::Methods(pattern) => pattern.fmt(f),
        }
    }
}

/// What a context is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContextName {
    /// Class and method.
    OfMethod,
    /// The text of this argument, counted from 1.
    Argument(u8),
}

impl ContextPattern {
    /// Parses a pattern.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, method) = text.split_once(':').unwrap_or((DEFAULT_KIND, text));
        let (method, name) = match method
            .strip_suffix(')')
            .and_then(|text| text.split_once('('))
        {
            Some((method, argument)) => {
                let argument = argument.parse().ok().filter(|argument| *argument > 0)?;
                (method, ContextName::Argument(argument))
            }
            None => (method, ContextName::OfMethod),
        };
        let (class, method) = method.rsplit_once('.')?;
        let is_word = |text: &str| {
            !text.is_empty()
                && text
                    .chars()
                    .all(|letter| letter.is_alphanumeric() || letter == '-' || letter == '_')
        };
        let is_method = !method.is_empty() && !method.contains(['(', ')', ' ']);
        (is_word(kind) && !class.is_empty() && is_method).then(|| Self {
            kind: kind.to_owned(),
            class: ClassPattern::new(class),
            method: method.to_owned(),
            name,
        })
    }

    /// Whether a method of a class (internal name) matches.
    pub fn matches(&self, class: &str, method: &str) -> bool {
        self.class.matches(class) && class_pattern_matches(&self.method, method)
    }
}

impl fmt::Display for ContextPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.kind != DEFAULT_KIND {
            write!(f, "{}:", self.kind)?;
        }
        write!(f, "{}.{}", self.class, self.method)?;
        match self.name {
            ContextName::OfMethod => Ok(()),
            ContextName::Argument(argument) => write!(f, "({argument})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_methods() {
        let all = ContextPattern::parse("com.acme.*Controller.*").expect("a pattern");
        assert!(all.matches("com/acme/web/CartController", "add"));
        assert!(!all.matches("com/acme/web/Cart", "add"));
        let query = ContextPattern::parse("sql:com.acme.Db.query*(2)").expect("a pattern");
        assert_eq!(
            (query.kind.as_str(), query.name),
            ("sql", ContextName::Argument(2))
        );
        assert!(query.matches("com/acme/Db", "queryAll"));
        assert_eq!(query.to_string(), "sql:com.acme.Db.query*(2)");
        for bad in [
            "query", "a.b(0)", "a.b(x)", ":a.b", "a b:c.d", "a.", "a.b(1",
        ] {
            assert_eq!(ContextPattern::parse(bad), None, "{bad}");
        }
    }
}
