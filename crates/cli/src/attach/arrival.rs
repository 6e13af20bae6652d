//! Shows how far the agent is while the JVM loads it: a forecast, and what is left.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde_json::{Value, json};

use crate::run_socket::{RunSocket, Target};

/// The first look, and the time between later ones.
const FIRST: Duration = Duration::from_millis(300);
const BETWEEN: Duration = Duration::from_secs(2);

/// Looks until it is dropped.
pub(super) struct ArrivalWatch {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl ArrivalWatch {
    pub(super) fn of(pid: u32) -> Self {
        let (end, ended) = channel();
        let watch = move || {
            let (mut wait, mut said) = (FIRST, String::new());
            while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(wait) {
                if let Some(line) = line(pid).filter(|line| *line != said) {
                    eprintln!("{line}");
                    (wait, said) = (BETWEEN, line);
                }
            }
        };
        let thread = std::thread::Builder::new().spawn(watch).ok();
        Self {
            end: Some(end),
            thread,
        }
    }
}

impl Drop for ArrivalWatch {
    fn drop(&mut self) {
        self.end.take();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The agent's report of its arrival, once there is one.
fn line(pid: u32) -> Option<String> {
    let socket = RunSocket::open(&Target::Process(pid)).ok()?;
    let answer = socket.ask(&json!({"command": "status"})).ok()?;
    let left = answer["arrival_classes_left"].as_u64()?;
    Some(format!(
        "{left} classes to rewrite, for which the program is stopped for {} in all{}",
        interval(&answer["arrival_stops_left_micros"])?,
        project(&answer).unwrap_or_default()
    ))
}

/// The time for the main class's project alone, if only that were asked for.
fn project(answer: &Value) -> Option<String> {
    let project = answer.get("arrival_project")?;
    Some(format!(
        " (with --classes '{}': {} classes, {})",
        project["include"].as_str()?,
        project["classes"].as_u64()?,
        interval(&project["stops_micros"])?
    ))
}

/// The least and the most: 9 of 10 times, what comes is between them.
pub(crate) fn interval(micros: &Value) -> Option<String> {
    let hundredths = |micros: u64| format!("{}.{:02}", micros / 1_000_000, micros / 10_000 % 100);
    let (least, most) = (micros[0].as_u64()?, micros[1].as_u64()?);
    // Rounded away from each other.
    Some(format!(
        "{} to {} s",
        hundredths(least),
        hundredths(most + 9_999)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_alone_is_offered() {
        let project_of = |answer: Value| project(&answer);
        let answer = json!({"arrival_project": {"include": "com.acme.*", "classes": 312, "stops_micros": [104_000, 204_000]}});
        assert_eq!(
            project_of(answer).as_deref(),
            Some(" (with --classes 'com.acme.*': 312 classes, 0.10 to 0.21 s)")
        );
        assert_eq!(project_of(json!({})), None);
    }
}
