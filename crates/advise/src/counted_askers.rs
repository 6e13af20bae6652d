//! Who asked for the objects of a JDK method, by the number of executed calls.

use ducktrack_count_model::{CountModel, CountedCallRow, MethodIndex};
use rustc_hash::FxHashSet;

use crate::jdk;
use crate::owner::is_hidden;

/// The counted calls of a run.
pub(crate) struct CountedAskers<'m> {
    calls: Vec<&'m CountedCallRow>,
    /// Calls, by method and bytecode index, that made the objects of a site already.
    explained: FxHashSet<(MethodIndex, u16)>,
}

impl<'m> CountedAskers<'m> {
    pub(crate) fn of(model: &'m CountModel) -> Self {
        let is_of_program = |call: &&CountedCallRow| {
            let method = model.method(call.method);
            call.count > 0 && !is_hidden(&method.class)
        };
        Self {
            calls: model.counted_calls.iter().filter(is_of_program).collect(),
            explained: FxHashSet::default(),
        }
    }

    /// The calls of a method, if together they are as many as the objects that it made: one for each.
    pub(crate) fn exact(
        &mut self,
        (class, name): (&str, &str),
        objects: i64,
    ) -> Option<Vec<&'m CountedCallRow>> {
        let direct = |call: &&CountedCallRow| call.target.class == class;
        let any = |_: &&CountedCallRow| true;
        let named = self.calls.iter().copied();
        let named: Vec<_> = named.filter(|call| call.target.name == name).collect();
        let sums_up = |wanted: &dyn Fn(&&CountedCallRow) -> bool| {
            let calls: Vec<_> = named.iter().copied().filter(|call| wanted(call)).collect();
            let sum: i64 = calls.iter().map(|call| call.count).sum();
            (sum == objects && !calls.is_empty()).then_some(calls)
        };
        // The code may name an interface of the class.
        let found = sums_up(&direct).or_else(|| sums_up(&any));
        let explained = found.iter().flatten().map(|call| (call.method, call.bci));
        self.explained.extend(explained);
        found
    }

    /// Calls that may have led to a method, each with the most objects that it
    /// may have asked for: one for each execution, but in a family any number.
    pub(crate) fn candidates(&self, site: (&str, &str)) -> Vec<(&'m CountedCallRow, i64)> {
        let is_open = |call: &CountedCallRow| !self.explained.contains(&(call.method, call.bci));
        let named = |call: &&CountedCallRow| call.target.name == site.1 && is_open(call);
        let direct = |call: &&CountedCallRow| named(call) && call.target.class == site.0;
        let related =
            |call: &&CountedCallRow| are_related(site, (&call.target.class, &call.target.name));
        let select = |wanted: &dyn Fn(&&CountedCallRow) -> bool| -> Vec<&'m CountedCallRow> {
            let calls = self.calls.iter().copied();
            calls.filter(|call| wanted(call)).collect()
        };
        let family = select(&related);
        if !family.is_empty() {
            return family.into_iter().map(|call| (call, i64::MAX)).collect();
        }
        let calls = [select(&direct), select(&named)];
        let calls = calls.into_iter().find(|calls| !calls.is_empty());
        let calls = calls.unwrap_or_default().into_iter();
        calls.map(|call| (call, call.count)).collect()
    }
}

/// Whether methods belong to one family, whose methods call each other.
fn are_related(a: jdk::Method<'_>, b: jdk::Method<'_>) -> bool {
    jdk::is_stream(a) && jdk::is_stream(b)
        || jdk::is_optional(a.0) && jdk::is_optional(b.0)
        || jdk::is_regex(a) && jdk::is_regex(b)
}
