//! A recording whose agent is still arriving has counted nothing yet: that is said, instead of a table without rows.

use std::path::Path;

use anyhow::{Result, bail};
use ducktrack_count_model::{CountModel, ProcessState};

/// The record of the run is written when the agent has arrived.
///
/// # Errors
/// One line that says how the recording stands, if the agent has not arrived.
pub(crate) fn check_arrived(model: &CountModel, path: &Path) -> Result<()> {
    let Some(unended) = model.unended.as_ref().filter(|_| model.run.pid == 0) else {
        return Ok(());
    };
    let (path, pid) = (path.display(), unended.facts.pid);
    match unended.facts.process {
        ProcessState::Running => bail!(
            "{path}: the agent is still arriving in process {pid}, and nothing is counted yet: ducktrack status {pid} says how far it is"
        ),
        ProcessState::Gone => bail!(
            "{path}: process {pid} ended while the agent was arriving, and nothing was counted"
        ),
        _ => Ok(()),
    }
}
