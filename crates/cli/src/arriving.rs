//! A recording whose agent is still arriving has counted nothing yet: that is said, instead of a table without rows.

use std::path::Path;

use anyhow::{Result, bail};
use ducktrack_count_model::{CountModel, ProcessState};

/// The record of the run is written when the agent has arrived.
///
/// # Errors
/// One line that says how the recording stands, if the agent has not arrived.
pub(crate) fn check_arrived(model: &CountModel, path: &Path) -> Result<()> {
    if model.run.pid != 0 || model.end.is_some() {
        return Ok(());
    }
    let path = path.display();
    let facts = model.unended.as_ref().map(|unended| &unended.facts);
    match facts.map(|facts| (facts.process, facts.pid)) {
        Some((ProcessState::Running, pid)) => bail!(
            "{path}: the agent is still arriving in process {pid}, and nothing is counted yet: ducktrack info {pid} --state says how far it is"
        ),
        Some((ProcessState::Gone, pid)) => bail!(
            "{path}: process {pid} ended while the agent was arriving, and nothing was counted"
        ),
        // The header is the first that an agent writes, before it says which process it is in.
        _ if model.snapshots.is_empty() && model.sites.is_empty() => bail!(
            "{path}: nothing is recorded here but its beginning: the agent is still arriving (ducktrack info PID --state says how far it is), or its process has ended"
        ),
        _ => Ok(()),
    }
}
