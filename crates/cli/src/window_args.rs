//! `--window`, `--from`, `--until`: only a part of a run.

use anyhow::{Result, bail};
use clap::Args;
use ducktrack_count_model::{CountModel, WindowChoice};

/// Marks that are listed where one is not found.
const MOST_NAMES: usize = 8;

#[derive(Args, Clone, Debug, Default)]
pub(crate) struct WindowArgs {
    /// Only from each mark of this name to the next mark (ducktrack snapshot --mark, java.lang.DuckTrackMark)
    #[arg(long, value_name = "MARK", conflicts_with_all = ["from", "until"])]
    window: Option<String>,
    /// Only from the first mark of this name on
    #[arg(long, value_name = "MARK")]
    from: Option<String>,
    /// Only until the first mark of this name (after --from)
    #[arg(long, value_name = "MARK")]
    until: Option<String>,
}

impl WindowArgs {
    /// From each mark of this name to the next mark.
    pub(crate) fn named(mark: String) -> Self {
        Self {
            window: Some(mark),
            ..Self::default()
        }
    }

    pub(crate) fn choice(&self) -> Option<WindowChoice> {
        if let Some(name) = &self.window {
            return Some(WindowChoice::Named(name.clone()));
        }
        let (from, until) = (self.from.clone(), self.until.clone());
        (from.is_some() || until.is_some()).then_some(WindowChoice::Between { from, until })
    }

    /// The windows are in the run.
    pub(crate) fn check(&self, model: &CountModel, trace: &str) -> Result<()> {
        let Some(chosen) = &model.chosen_windows else {
            return Ok(());
        };
        let missing = match &chosen.choice {
            WindowChoice::Named(name) => (chosen.windows == 0).then_some(name),
            WindowChoice::Between { from, until } => match chosen.windows {
                0 => from.as_ref(),
                _ => until.as_ref().filter(|_| chosen.is_open),
            },
        };
        let Some(missing) = missing else {
            return Ok(());
        };
        let mut names: Vec<&str> = Vec::new();
        for window in &model.windows {
            let name = window.name.as_deref().unwrap_or_default();
            if !name.is_empty() && !names.contains(&name) {
                names.push(name);
            }
        }
        let there = match names.len() {
            0 => "it has no marks (ducktrack snapshot PID --mark NAME sets one)".to_owned(),
            count if count > MOST_NAMES => format!("it has {count} other names"),
            _ => format!("its marks are {}", names.join(", ")),
        };
        bail!("{trace}: no mark `{missing}` where one is needed; {there}")
    }
}
