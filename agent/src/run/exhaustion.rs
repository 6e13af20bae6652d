//! `ResourceExhausted`: the VM throws an `OutOfMemoryError`.
//!
//! Where an agent asks for the event, the VM logs an error at each one (`[error][jvmti] Posting Resource Exhausted event`),
//! on the program's standard output unless the user has told it otherwise. So the agent switches that tag off there first,
//! as `jcmd PID VM.log what=jvmti=off` does, and puts it back when it is stopped. Without a way to do so it does not ask.

use std::sync::OnceLock;

use ducktrack_jvmti::{Error, Jni};

use crate::core::Core;

/// The level of the tag on standard output before the agent came, if it was changed.
#[derive(Default)]
pub(crate) struct QuietLog(OnceLock<String>);

impl QuietLog {
    /// Switches the tag off, where the VM would write it.
    pub(crate) fn hush(&self, core: &Core, jni: Jni) -> Result<(), Error> {
        let management = core.resident.management().map_err(Clone::clone)?;
        let Some(level) = level_to_change(&management.execute(jni, "VM.log list")?) else {
            return Ok(());
        };
        management.execute(jni, "VM.log what=jvmti=off")?;
        // A run begins once.
        let _ = self.0.set(level);
        Ok(())
    }

    /// Puts the level back.
    pub(crate) fn restore(&self, core: &Core, jni: Jni) {
        let (Some(level), Ok(management)) = (self.0.get(), core.resident.management()) else {
            return;
        };
        if let Err(error) = management.execute(jni, &format!("VM.log what=jvmti={level}")) {
            core.log
                .debug(|| format!("the VM's log stays as it is: {error}"));
        }
    }
}

/// The level of all tags on standard output, unless none is written or the user has chosen that of `jvmti`. A line of `VM.log list`:
///
/// ```text
///  #0: stdout all=warning,gc=info uptime,level,tags (reconfigured)
/// ```
fn level_to_change(list: &str) -> Option<String> {
    let line = |line: &str| line.trim().strip_prefix("#0: stdout ").map(str::to_owned);
    let line = list.lines().find_map(line)?;
    let selections = line.split(' ').next()?;
    let all = selections
        .split(',')
        .find_map(|one| one.strip_prefix("all="))
        .unwrap_or("off");
    (all != "off" && !selections.contains("jvmti")).then(|| all.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_of_standard_output() {
        let level = |config: &str| {
            level_to_change(&format!(
                "Log output configuration:\n #0: stdout {config} uptime,level,tags (reconfigured)\n #1: stderr all=off uptime,level,tags\n"
            ))
        };
        assert_eq!(level("all=warning").as_deref(), Some("warning"));
        assert_eq!(level("all=info,gc=off").as_deref(), Some("info"));
        assert_eq!(level("all=warning,jvmti+class=debug"), None);
        assert_eq!(level("all=off"), None);
        assert_eq!(level_to_change("nothing of the kind"), None);
    }
}
