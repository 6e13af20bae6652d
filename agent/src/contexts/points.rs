//! Which methods open contexts (`contexts=`), and which were found.

use std::collections::BTreeMap;

use ducktrack_class_rewriter::{ContextEntry, ContextMethods, argument_variable};
use ducktrack_classfile::{ClassFile, Method};
use parking_lot::Mutex;
use rustc_hash::FxHashSet;

use super::Contexts;
use super::built_in;
use super::built_in_entry::{BuiltInEntry, method_name};
use crate::options::{ContextName, ContextPattern, ContextSource};

/// `ACC_SYNTHETIC`: bridges and bodies of lambdas.
const SYNTHETIC: u16 = 0x1000;

/// The methods that open contexts in this recording.
#[derive(Debug)]
pub(crate) struct ContextPoints {
    sources: Vec<ContextSource>,
    found: Mutex<BTreeMap<usize, Found>>,
}

/// What was found for a value of the option.
#[derive(Debug, Default)]
struct Found {
    methods: FxHashSet<String>,
    /// Methods that match, but whose argument has no text.
    without_text: FxHashSet<String>,
}

impl ContextPoints {
    pub(crate) fn new(sources: &[ContextSource]) -> Self {
        Self {
            sources: sources.to_vec(),
            found: Mutex::default(),
        }
    }

    /// One sentence for each value of the option.
    pub(crate) fn sentences(&self) -> Vec<String> {
        let found = self.found.lock();
        let sentence = |(index, source): (usize, &ContextSource)| {
            let none = Found::default();
            let found = found.get(&index).unwrap_or(&none);
            let refused = match found.without_text.len() {
                0 => String::new(),
                refused => {
                    format!("; {refused} more have no object as that argument, and open none")
                }
            };
            let methods = match found.methods.len() {
                0 => "no method was found".to_owned(),
                1 => "1 method opens contexts".to_owned(),
                methods => format!("{methods} methods open contexts"),
            };
            format!("contexts={source}: {methods}{refused}.")
        };
        self.sources.iter().enumerate().map(sentence).collect()
    }

    /// A class may be rewritten again: a method is noted once.
    fn note(&self, source: usize, method: String, is_open: bool) {
        let mut found = self.found.lock();
        let found = found.entry(source).or_default();
        match is_open {
            true => found.methods.insert(method),
            false => found.without_text.insert(method),
        };
    }
}

impl ContextMethods for ContextPoints {
    fn may_concern(&self, class: &ClassFile<'_>) -> bool {
        let name = String::from_utf8_lossy(class.name());
        self.sources.iter().any(|source| match source {
            ContextSource::BuiltIn(_) => true,
            ContextSource::Methods(pattern) => pattern.class.matches(&name),
        })
    }

    fn entry(&self, class: &ClassFile<'_>, method: &Method<'_>) -> Option<ContextEntry> {
        let contexts = Contexts::get()?;
        if method.access_flags() & SYNTHETIC != 0 {
            return None;
        }
        for (index, source) in self.sources.iter().enumerate() {
            match source {
                ContextSource::BuiltIn(kind) => {
                    if let Some(entry) = built_in::entry(*kind, class, method) {
                        if !matches!(entry, BuiltInEntry::Prepares | BuiltInEntry::Closes) {
                            self.note(index, method_name(class, method), true);
                        }
                        return built_in_entry(contexts, kind.word(), entry, method);
                    }
                }
                ContextSource::Methods(pattern) => {
                    if matches(pattern, class, method) {
                        let entry = entry_by(pattern, contexts, class, method);
                        self.note(index, method_name(class, method), entry.is_some());
                        return entry;
                    }
                }
            }
        }
        None
    }
}

fn matches(pattern: &ContextPattern, class: &ClassFile<'_>, method: &Method<'_>) -> bool {
    let text = |name| String::from_utf8_lossy(name);
    pattern.matches(&text(class.name()), &text(method.name()))
}

fn entry_by(
    pattern: &ContextPattern,
    contexts: &Contexts,
    class: &ClassFile<'_>,
    method: &Method<'_>,
) -> Option<ContextEntry> {
    match pattern.name {
        ContextName::OfMethod => {
            let number = contexts.number(&pattern.kind, &method_name(class, method));
            Some(ContextEntry::Numbered(number.0))
        }
        ContextName::Argument(argument) => Some(ContextEntry::Argument {
            pattern: contexts.text_pattern(&pattern.kind),
            variable: argument_variable(method, argument)?,
        }),
    }
}

fn built_in_entry(
    contexts: &Contexts,
    kind: &str,
    entry: BuiltInEntry,
    method: &Method<'_>,
) -> Option<ContextEntry> {
    let pattern = || contexts.text_pattern(kind);
    Some(match entry {
        BuiltInEntry::Named(name) => ContextEntry::Numbered(contexts.number(kind, &name).0),
        BuiltInEntry::Statement => ContextEntry::Argument {
            pattern: pattern(),
            variable: argument_variable(method, 1)?,
        },
        BuiltInEntry::NamedIf { argument, is, name } => ContextEntry::Argument {
            pattern: contexts.pattern_of_one(is, kind, name),
            variable: argument_variable(method, argument)?,
        },
        BuiltInEntry::Field(name) => ContextEntry::Field {
            pattern: pattern(),
            name,
        },
        BuiltInEntry::PreparedStatement => ContextEntry::Prepared { pattern: pattern() },
        BuiltInEntry::Attaches => ContextEntry::Attaches {
            pattern: pattern(),
            variable: argument_variable(method, 1)?,
        },
        BuiltInEntry::Closes => ContextEntry::Closes,
        BuiltInEntry::Prepares => ContextEntry::Prepares {
            variable: argument_variable(method, 1)?,
        },
    })
}
