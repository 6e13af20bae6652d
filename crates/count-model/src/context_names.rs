//! The contexts that a combination is made of, and which of them are called by their own names where the number of names must be bounded.

use std::collections::{BTreeMap, BTreeSet};

use crate::{ContextRow, CountModel, ThreadRow};

/// Contexts of a kind with names of their own.
const MOST_CONTEXTS: usize = 100;
/// The name of all others of their kind.
const OTHER: &str = "(other)";

/// A context by its kind and name.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContextName {
    /// `http`, `sql`, `method`.
    pub kind: String,
    /// `GET /orders/{id}`.
    pub name: String,
}

impl CountModel {
    /// The contexts for which a thread's row counts, one of each kind, by kind; none: it is a thread's own row.
    pub fn contexts_of(&self, thread: &ThreadRow) -> Vec<ContextName> {
        let rows = thread.contexts.iter().map(|index| self.context(*index));
        let mut names: Vec<ContextName> = rows.map(ContextRow::named).collect();
        names.sort_unstable();
        names
    }
}

impl ContextRow {
    /// Which context it is.
    pub fn named(&self) -> ContextName {
        ContextName {
            kind: self.kind.clone(),
            name: self.name.clone(),
        }
    }
}

/// The contexts that have a name of their own: the first of each kind, largest first. Who has one keeps it, however a program goes on.
#[derive(Clone, Debug, Default)]
pub struct ContextNames {
    /// By kind.
    named: BTreeMap<String, BTreeSet<String>>,
}

impl ContextNames {
    /// Names contexts of a model as long as there is room.
    pub fn learn(&mut self, contexts: &[ContextRow]) {
        let mut rows: Vec<&ContextRow> = contexts.iter().collect();
        rows.sort_by(|a, b| (b.total.bytes, &a.name).cmp(&(a.total.bytes, &b.name)));
        for row in rows {
            let named = self.named.entry(row.kind.clone()).or_default();
            if named.len() < MOST_CONTEXTS {
                named.insert(row.name.clone());
            }
        }
    }

    /// The name under which a context is shown.
    pub fn shown(&self, context: ContextName) -> ContextName {
        let named = self.named.get(&context.kind);
        match named.is_some_and(|named| named.contains(&context.name)) {
            true => context,
            false => ContextName {
                name: OTHER.to_owned(),
                ..context
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tally;

    fn row(name: &str, bytes: i64) -> ContextRow {
        ContextRow {
            kind: "http".into(),
            name: name.into(),
            total: Tally { count: 1, bytes },
            executions: None,
        }
    }

    #[test]
    fn the_largest_have_names_and_keep_them() {
        let mut names = ContextNames::default();
        let rows: Vec<ContextRow> = (0..150)
            .map(|number| row(&format!("GET /{number}"), number))
            .collect();
        names.learn(&rows);
        names.learn(&[row("GET /late", 1_000_000)]);
        let shown = |name: &str| {
            let context = ContextName {
                kind: "http".into(),
                name: name.into(),
            };
            names.shown(context).name
        };
        assert_eq!(shown("GET /149"), "GET /149");
        assert_eq!(shown("GET /50"), "GET /50");
        assert_eq!(shown("GET /49"), OTHER);
        assert_eq!(shown("GET /late"), OTHER);
    }
}
