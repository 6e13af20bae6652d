//! The part of a run that was counted in contexts of a name, and how often they were executed.

use ducktrack_count_model::{Completeness, CountModel, ThreadRow};

use crate::filter::Filter;

/// See the module.
#[derive(Clone, Debug)]
pub struct ContextPart {
    /// What was counted in the contexts.
    pub model: CountModel,
    /// Their executions that have ended.
    pub executions: u64,
}

/// The contexts with a name (`GET /orders*`, `sql:select *`), or else all of
/// a kind (`test`). `None`: there is none, or none was executed to its end.
pub fn context_part(model: &CountModel, name: &str) -> Option<ContextPart> {
    let of_name = Filter {
        contexts: vec![name.to_owned()],
        ..Filter::default()
    };
    let of_kind = Filter {
        contexts: vec![format!("{name}:*")],
        ..Filter::default()
    };
    [of_name, of_kind]
        .iter()
        .find_map(|filter| part(model, filter))
}

fn part(model: &CountModel, filter: &Filter) -> Option<ContextPart> {
    let wanted = model
        .contexts
        .iter()
        .filter(|row| filter.wants_context(&row.kind, &row.name));
    let executions = wanted.filter_map(|row| row.executions.as_ref());
    let executions: u64 = executions.map(|executions| executions.count).sum();
    if executions == 0 {
        return None;
    }
    let mut part = model.of_threads(in_contexts(model, filter));
    // The VM counts threads, not contexts.
    part.completeness = Completeness {
        executed: part.total,
        ..Completeness::default()
    };
    Some(ContextPart {
        model: part,
        executions,
    })
}

/// Whether a row of threads counts for one of the filter's contexts.
pub(crate) fn in_contexts<'m>(
    model: &'m CountModel,
    filter: &'m Filter,
) -> impl Fn(&ThreadRow) -> bool + 'm {
    |thread| {
        let contexts = thread
            .contexts
            .iter()
            .map(|context| model.context(*context));
        let mut contexts = contexts.map(|row| filter.wants_context(&row.kind, &row.name));
        contexts.any(|is_wanted| is_wanted)
    }
}
