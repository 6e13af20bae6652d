//! `--per NAME`: the part of a run in which something happened, and how often it did: marks of a name, or contexts.

use std::path::Path;

use anyhow::{Result, bail};
use ducktrack_count_model::CountModel;
use ducktrack_reports::context_part;

use crate::loading;
use crate::window_args::WindowArgs;

/// Names that are listed where one is not found.
const MOST_NAMES: usize = 8;

/// A part of a run.
pub(crate) struct Part {
    pub(crate) model: CountModel,
    /// How often it happened; `None`: it was not asked.
    pub(crate) times: Option<u64>,
}

/// Loads the part that was chosen in one of both ways.
///
/// # Errors
/// Also where the run has neither marks nor contexts of the name.
pub(crate) fn load(path: &Path, per: Option<&str>, windows: &WindowArgs) -> Result<Part> {
    let Some(name) = per else {
        return Ok(Part {
            model: loading::load_windows(path, windows)?,
            times: None,
        });
    };
    let whole = loading::load_windows(path, &WindowArgs::default())?;
    if whole.marks().iter().any(|(mark, _)| *mark == name) {
        let model = loading::load_windows(path, &WindowArgs::named(name.to_owned()))?;
        let chosen = model.chosen_windows.as_ref();
        let times = chosen.map(|chosen| chosen.windows);
        return Ok(Part { model, times });
    }
    match context_part(&whole, name) {
        Some(part) => Ok(Part {
            model: part.model,
            times: Some(part.executions),
        }),
        None => bail!(
            "{}: no mark and no context `{name}`; {}",
            path.display(),
            names(&whole)
        ),
    }
}

/// The names that would be found.
fn names(model: &CountModel) -> String {
    let marks = model.marks().into_iter().map(|(mark, _)| mark.to_owned());
    let contexts = model
        .contexts
        .iter()
        .filter(|context| context.executions.is_some())
        .map(|context| format!("{}:{}", context.kind, context.name));
    let mut names: Vec<String> = Vec::new();
    for name in marks.chain(contexts) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    match names.len() {
        0 => "it has none (ducktrack snapshot PID --mark NAME, run --contexts)".to_owned(),
        count if count > MOST_NAMES => format!("it has {count} others"),
        _ => format!("it has {}", names.join(", ")),
    }
}
