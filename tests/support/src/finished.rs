//! A command that has ended, and what it printed.

use std::process::{Command, ExitStatus};

use serde_json::Value;

/// The end and the output of a command.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub errors: String,
}

impl Finished {
    /// Runs a command to its end.
    ///
    /// # Panics
    /// It cannot be started.
    #[track_caller]
    pub fn of(command: &mut Command) -> Self {
        let output = command.output();
        let output = output.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        Self {
            status: output.status,
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            errors: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs a command that must succeed.
    ///
    /// # Panics
    /// It fails.
    #[track_caller]
    pub fn well(command: &mut Command) -> Self {
        let finished = Self::of(command);
        assert!(finished.status.success(), "{command:?}: {finished}");
        finished
    }

    /// The same after a good end.
    ///
    /// # Panics
    /// It was another one.
    #[track_caller]
    pub fn must_succeed(self) -> Self {
        assert!(self.status.success(), "{self}");
        self
    }

    /// Bad input: exit code 2, nothing on standard output, one line that has these parts.
    ///
    /// # Panics
    /// It ended otherwise.
    #[track_caller]
    pub fn must_refuse(&self, parts: &[&str]) {
        assert_eq!(self.status.code(), Some(2), "{self}");
        assert!(self.out.is_empty(), "{self}");
        let message = self.errors.trim_end();
        assert_eq!(message.lines().count(), 1, "one line: {message}");
        for part in parts {
            assert!(message.contains(part), "{message} lacks {part}");
        }
    }

    /// Lines of the agent on standard error.
    #[must_use]
    pub fn agent_lines(&self) -> Vec<&str> {
        let lines = self.errors.lines();
        lines.filter(|line| line.contains("[ducktrack]")).collect()
    }

    /// All that it printed, standard error first.
    #[must_use]
    pub fn text(&self) -> String {
        format!("{}{}", self.errors, self.out)
    }
}

impl std::fmt::Display for Finished {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}\n{}\n{}", self.status, self.out, self.errors)
    }
}

/// Standard output of a command that must succeed.
///
/// # Panics
/// It fails.
#[track_caller]
pub fn printed_by(command: &mut Command) -> String {
    Finished::well(command).out
}

/// The JSON that a command prints, which must succeed.
///
/// # Panics
/// It fails, or prints something else.
#[track_caller]
pub fn json_by(command: &mut Command) -> Value {
    serde_json::from_str(&printed_by(command)).expect("JSON")
}

/// Standard error of a command that must refuse its input.
///
/// # Panics
/// It ends otherwise.
#[track_caller]
pub fn refused_by(command: &mut Command) -> String {
    let finished = Finished::of(command);
    assert_eq!(finished.status.code(), Some(2), "{command:?}: {finished}");
    finished.errors
}

/// Whether this machine has a program that knows `--version`.
#[must_use]
pub fn has_program(program: &str) -> bool {
    let version = Command::new(program).arg("--version").output();
    version.is_ok_and(|output| output.status.success())
}
