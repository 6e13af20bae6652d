//! Commands to a run: through the socket in its directory, or by a second load of the library.
//!
//! | command | what happens | answer, besides `ok` |
//! |---|---|---|
//! | `status` | nothing | the current run, its start and its cost |
//! | `snapshot` | the counts are written | number of the snapshot, directory; with `"sites":true` in the request and `mode=count`, the sites |
//! | `mark` | the name is written with the time | |
//! | `stop` | the recording ends, the probes are removed | what was restored, and how long it took |
//!
//! A request is a line of JSON, `{"command":"mark","name":"..."}`, and so is the answer: `{"ok":true,...}` or `{"ok":false,"error":"..."}`.
//! The options of another load may be such a line, or the word of a command; the program itself asks by `java.lang.DuckTrackControl`. The
//! agent's own thread executes all commands but `status` one after another, so that they never overlap with each other or with a snapshot
//! by interval. Clients are served side by side (`run/desk.rs`), also while the agent arrives and while probes are removed.

mod answer;
mod inbox;
mod socket;

use serde_json::{Value, json};

use crate::options::Command;

pub(crate) use answer::Answer;
pub(crate) use inbox::Inbox;
pub(crate) use socket::{Client, Socket};

/// Maximum length of a mark's name in bytes.
pub(crate) const LONGEST_NAME: usize = 200;

/// The command in a request.
///
/// # Errors
/// The request is not understood; the text is for its sender.
pub(crate) fn requested(line: &str) -> Result<Command, String> {
    let request: Value = serde_json::from_str(line)
        .map_err(|error| format!("the request is not a line of JSON: {error}"))?;
    match (request["command"].as_str(), request["name"].as_str()) {
        (Some("mark"), Some(name)) if name.len() <= LONGEST_NAME && !name.is_empty() => {
            Ok(Command::Mark(name.to_owned()))
        }
        (Some("mark"), _) => Err(format!(
            "a mark needs a `name` of 1 to {LONGEST_NAME} bytes"
        )),
        (Some("snapshot"), _) => Ok(Command::Snapshot {
            with_sites: request["sites"].as_bool().unwrap_or(false),
        }),
        (Some(word), _) => Command::of_word(word).ok_or_else(|| {
            format!("unknown command `{word}` (expected status, snapshot, mark or stop)")
        }),
        (None, _) => Err("the request has no `command`".to_owned()),
    }
}

/// An answer that says why nothing was done.
pub(crate) fn refusal(why: &str) -> Value {
    json!({"ok": false, "error": why})
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_and_bad_ones_refused_by_name() {
        let read = |line| requested(line);
        assert_eq!(read(r#"{"command":"status"}"#), Ok(Command::Status));
        assert_eq!(read("{\"command\":\"stop\"}\n"), Ok(Command::Stop));
        assert_eq!(
            read(r#"{"command":"mark","name":"warm"}"#),
            Ok(Command::Mark("warm".to_owned()))
        );
        let snapshot = |with_sites| Ok(Command::Snapshot { with_sites });
        assert_eq!(read(r#"{"command":"snapshot"}"#), snapshot(false));
        assert_eq!(
            read(r#"{"command":"snapshot","sites":true}"#),
            snapshot(true)
        );
        let refused = |line| requested(line).expect_err(line);
        assert!(refused(r#"{"command":"halt"}"#).contains("`halt`"));
        assert!(refused(r#"{"command":"mark"}"#).contains("`name`"));
        assert!(refused(r#"{"name":"x"}"#).contains("`command`"));
        assert!(refused("status").contains("not a line of JSON"));
    }
}
