//! Contexts and their combinations, numbered for good: rewritten code holds the numbers.

use ducktrack_trace_format::{Context, ContextId};
use rustc_hash::FxHashMap;

use super::sql;

/// Names of a kind; further ones are [`OTHER`].
const MOST_NAMES: usize = 1000;
/// Combinations of contexts.
pub(super) const MOST_COMBINATIONS: usize = 1 << 14;
/// Kinds.
const MOST_KINDS: usize = 64;
/// Letters of a name.
const LONGEST_NAME: usize = 200;

/// The name for all contexts of a kind beyond the bound.
const OTHER: &str = "(other)";

/// A context's number; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContextNumber(pub(crate) u32);

#[derive(Default)]
pub(super) struct Names {
    kinds: Vec<Kind>,
    /// By number less 1.
    contexts: Vec<NamedContext>,
    /// By number less 1.
    combinations: Vec<Combination>,
    numbers: FxHashMap<Combination, u32>,
    /// By the number of the pattern.
    patterns: Vec<TextPattern>,
}

/// The contexts that texts of the program name.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TextPattern {
    /// Contexts of a kind.
    Kind(String),
    /// One context, if the text is this one; else none.
    Only {
        text: String,
        context: ContextNumber,
    },
}

struct Kind {
    name: String,
    numbers: FxHashMap<String, ContextNumber>,
    /// Names that found no place, as far as they are told apart.
    beyond: u64,
}

struct NamedContext {
    kind: usize,
    name: String,
}

/// The innermost context of each kind that is in effect.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Combination {
    /// The one entered last.
    entered: u32,
    /// By kind; 0: none.
    innermost: Vec<u32>,
}

impl Names {
    pub(super) fn number(&mut self, kind: &str, name: &str) -> ContextNumber {
        let Some(kind) = self.kind(kind) else {
            return ContextNumber(0);
        };
        let name = bounded(name);
        if let Some(known) = self
            .kinds
            .get(kind)
            .and_then(|kind| kind.numbers.get(&name))
        {
            return *known;
        }
        let is_full = |kind: &Kind| kind.numbers.len() >= MOST_NAMES;
        match self.kinds.get_mut(kind).filter(|kind| is_full(kind)) {
            Some(full) => {
                full.beyond += 1;
                let other = full.numbers.get(OTHER).copied();
                other.unwrap_or_else(|| self.add(kind, OTHER.to_owned()))
            }
            None => self.add(kind, name),
        }
    }

    fn add(&mut self, kind: usize, name: String) -> ContextNumber {
        self.contexts.push(NamedContext {
            kind,
            name: name.clone(),
        });
        let number = ContextNumber(u32::try_from(self.contexts.len()).unwrap_or(0));
        if let Some(kind) = self.kinds.get_mut(kind) {
            kind.numbers.insert(name, number);
        }
        number
    }

    fn kind(&mut self, name: &str) -> Option<usize> {
        let known = self.kinds.iter().position(|kind| kind.name == name);
        if known.is_some() || self.kinds.len() >= MOST_KINDS {
            return known;
        }
        self.kinds.push(Kind {
            name: name.to_owned(),
            numbers: FxHashMap::default(),
            beyond: 0,
        });
        Some(self.kinds.len() - 1)
    }

    /// The number by which probes ask for a context of a kind by its text.
    pub(super) fn text_pattern(&mut self, kind: &str) -> u32 {
        self.pattern(TextPattern::Kind(kind.to_owned()))
    }

    /// The same for one context, which is in effect only if the text is this one.
    pub(super) fn pattern_of_one(&mut self, text: &str, context: ContextNumber) -> u32 {
        self.pattern(TextPattern::Only {
            text: text.to_owned(),
            context,
        })
    }

    fn pattern(&mut self, pattern: TextPattern) -> u32 {
        let known = self.patterns.iter().position(|known| *known == pattern);
        let index = known.unwrap_or_else(|| {
            self.patterns.push(pattern);
            self.patterns.len() - 1
        });
        u32::try_from(index).unwrap_or(0)
    }

    /// The context that a text names.
    pub(super) fn named(&mut self, text: &str, pattern: u32) -> ContextNumber {
        let pattern = usize::try_from(pattern).ok();
        let pattern = pattern.and_then(|index| self.patterns.get(index)).cloned();
        match pattern {
            Some(TextPattern::Kind(kind)) if kind == sql::KIND => {
                self.number(sql::KIND, &sql::without_literals(text))
            }
            Some(TextPattern::Kind(kind)) => self.number(&kind, text),
            Some(TextPattern::Only {
                text: only,
                context,
            }) if only == text => context,
            Some(TextPattern::Only { .. }) | None => ContextNumber(0),
        }
    }

    /// The combination when a context is entered in another one: the same where that changes nothing. `None`: no number is left.
    pub(super) fn combine(&mut self, around: u32, context: ContextNumber) -> Option<u32> {
        let kind = self.context(context)?.kind;
        let before = index(around).and_then(|index| self.combinations.get(index));
        let mut innermost = before
            .map(|before| before.innermost.clone())
            .unwrap_or_default();
        if innermost.len() <= kind {
            innermost.resize(kind + 1, 0);
        }
        let of_kind = innermost.get_mut(kind)?;
        if *of_kind == context.0 {
            return Some(around);
        }
        *of_kind = context.0;
        let combination = Combination {
            entered: context.0,
            innermost,
        };
        if let Some(known) = self.numbers.get(&combination) {
            return Some(*known);
        }
        let number = u32::try_from(self.combinations.len() + 1).ok()?;
        if number as usize >= MOST_COMBINATIONS {
            return None;
        }
        self.combinations.push(combination.clone());
        self.numbers.insert(combination, number);
        Some(number)
    }

    fn context(&self, context: ContextNumber) -> Option<&NamedContext> {
        self.contexts.get(index(context.0)?)
    }

    fn combination(&self, number: u32) -> Option<&Combination> {
        self.combinations.get(index(number)?)
    }

    /// The context whose executions end with the combination.
    pub(super) fn entered(&self, combination: u32) -> Option<ContextNumber> {
        Some(ContextNumber(self.combination(combination)?.entered))
    }

    /// The contexts that are in effect.
    pub(super) fn in_effect(&self, combination: u32) -> Vec<ContextNumber> {
        let all = self
            .combination(combination)
            .map(|found| found.innermost.iter());
        let all = all.into_iter().flatten().filter(|number| **number != 0);
        all.map(|number| ContextNumber(*number)).collect()
    }

    /// The definition of a context.
    pub(super) fn definition(&self, number: ContextNumber) -> Option<Context> {
        let context = self.context(number)?;
        Some(Context {
            id: ContextId(number.0),
            kind: self.kinds.get(context.kind)?.name.clone(),
            name: context.name.clone(),
        })
    }

    pub(super) fn losses(&self) -> Vec<String> {
        let full = self.kinds.iter().filter(|kind| kind.beyond > 0);
        let sentence = |kind: &Kind| {
            format!(
                "contexts of the kind {} have more than {MOST_NAMES} names: the rest is filed under \"{OTHER}\"; names with ids in them want a coarser pattern",
                kind.name
            )
        };
        full.map(sentence).collect()
    }
}

fn index(number: u32) -> Option<usize> {
    usize::try_from(number).ok()?.checked_sub(1)
}

/// One line of at most [`LONGEST_NAME`] letters.
fn bounded(name: &str) -> String {
    let letters = name.trim().chars();
    let clean = letters.map(|letter| if letter.is_control() { ' ' } else { letter });
    let mut short: String = clean.take(LONGEST_NAME).collect();
    if name.trim().chars().nth(LONGEST_NAME).is_some() {
        short.push_str("...");
    }
    match short.is_empty() {
        true => "(no name)".to_owned(),
        false => short,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_combination_has_the_innermost_of_each_kind() {
        let mut names = Names::default();
        let (orders, carts) = (
            names.number("http", "GET /orders"),
            names.number("http", "GET /carts"),
        );
        let query = names.number("sql", "select");
        assert_eq!(names.number("http", "GET /orders"), orders);
        let in_orders = names.combine(0, orders).expect("room");
        assert_eq!(names.combine(in_orders, orders), Some(in_orders));
        let both = names.combine(in_orders, query).expect("room");
        assert_eq!(names.in_effect(both), [orders, query]);
        assert_eq!(names.entered(both), Some(query));
        // The request that is around already is not entered again by being named inside of a query.
        assert_eq!(names.combine(both, orders), Some(both));
        let forwarded = names.combine(both, carts).expect("room");
        assert_eq!(names.in_effect(forwarded), [carts, query]);
        assert_eq!(names.entered(forwarded), Some(carts));
    }

    #[test]
    fn a_pattern_names_contexts_of_a_kind_or_one() {
        let mut names = Names::default();
        let (tenants, request) = (
            names.text_pattern("tenant"),
            names.number("http", "request"),
        );
        let received = names.pattern_of_one("RECEIVED", request);
        assert_eq!(names.text_pattern("tenant"), tenants);
        assert_eq!(names.named("RECEIVED", received), request);
        assert_eq!(names.named("CONNECTED", received), ContextNumber(0));
        let acme = names.named("acme", tenants);
        assert_eq!(names.number("tenant", "acme"), acme);
        assert_eq!(names.named("acme", 99), ContextNumber(0));
    }

    #[test]
    fn names_are_bounded() {
        let mut names = Names::default();
        let first = names.number("http", "GET /0");
        for id in 1..MOST_NAMES {
            names.number("http", &format!("GET /{id}"));
        }
        let other = names.number("http", "GET /one-more");
        assert_eq!(names.number("http", "GET /and-another"), other);
        assert_eq!(names.number("http", "GET /0"), first);
        assert_eq!(names.definition(other).expect("defined").name, OTHER);
        assert_ne!(names.number("sql", "GET /one-more"), other);
        assert_eq!(names.losses().len(), 1);
        let long = names.number("sql", &"x".repeat(500));
        assert_eq!(
            names.definition(long).expect("defined").name.len(),
            LONGEST_NAME + 3
        );
    }
}
