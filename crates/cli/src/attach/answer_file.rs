//! A file in which the agent answers: the VM itself reports only success or failure.

use std::fs::{self, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};
use serde_json::Value;

use super::TEMPORARY;
use crate::jvm_process::JvmProcess;

/// An empty file of the JVM's user; gone when this is dropped.
pub(super) struct AnswerFile {
    here: PathBuf,
    inside: String,
}

impl AnswerFile {
    pub(super) fn create(jvm: &JvmProcess) -> Result<Self> {
        let now = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default();
        let inside = format!(
            "{TEMPORARY}/.ducktrack-answer-{}-{}",
            std::process::id(),
            now.as_nanos()
        );
        let here = jvm.inside(Path::new(&inside));
        OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&here)
            .with_context(|| format!("cannot create {inside} where the JVM sees it"))?;
        Ok(Self { here, inside })
    }

    /// As the JVM sees it.
    pub(super) fn path(&self) -> &str {
        &self.inside
    }

    /// The answer of the agent; `None` if it was never asked.
    pub(super) fn read(&self) -> Option<Value> {
        let text = fs::read_to_string(&self.here).ok()?;
        serde_json::from_str(&text).ok()
    }
}

impl Drop for AnswerFile {
    fn drop(&mut self) {
        // It is empty or was read: nothing is lost if it stays.
        let _ = fs::remove_file(&self.here);
    }
}
