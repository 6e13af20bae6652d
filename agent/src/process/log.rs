//! The agent's log: one line per message, `[ducktrack] level: text`, to standard error or a file.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;

use parking_lot::Mutex;

use crate::options::{LogLevel, LogTarget};

/// The target of messages, and the level.
pub(crate) struct Log {
    level: LogLevel,
    file: Option<Mutex<File>>,
}

impl Log {
    /// Opens the target.
    ///
    /// # Errors
    /// If the file cannot be opened: one line.
    pub(crate) fn open(target: &LogTarget, level: LogLevel) -> Result<Self, String> {
        let mut options = OpenOptions::new();
        options.append(true).create(true).mode(0o600);
        let file = match target {
            LogTarget::Stderr => None,
            LogTarget::File(path) => Some(options.open(path)),
        };
        let file = file.transpose();
        let file =
            file.map_err(|error| format!("cannot open the log file of option `log`: {error}"))?;
        Ok(Self {
            level,
            file: file.map(Mutex::new),
        })
    }

    pub(crate) fn error(&self, text: &str) {
        self.write(LogLevel::Error, "error", text);
    }

    pub(crate) fn warn(&self, text: &str) {
        self.write(LogLevel::Warn, "warning", text);
    }

    pub(crate) fn info(&self, text: &str) {
        self.write(LogLevel::Info, "info", text);
    }

    pub(crate) fn debug(&self, text: impl FnOnce() -> String) {
        if self.level >= LogLevel::Debug {
            self.write(LogLevel::Debug, "debug", &text());
        }
    }

    fn write(&self, level: LogLevel, word: &str, text: &str) {
        if level > self.level {
            return;
        }
        let line = format!("[ducktrack] {word}: {text}\n");
        // A message that cannot be written cannot be reported either.
        let _ = match &self.file {
            Some(file) => file.lock().write_all(line.as_bytes()),
            None => std::io::stderr().lock().write_all(line.as_bytes()),
        };
    }
}
