//! Executes commands.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::control::{LONGEST_NAME, refusal};
use crate::core::phase::Phase;
use crate::measured::add_sites;
use crate::options::Command;
use crate::process::clock::micros;
use crate::run::agent::Agent;

/// How long a second `stop` waits for the first.
const PATIENCE: Duration = Duration::from_secs(120);

impl Agent {
    /// Sets a mark for the program. Returns false if its name cannot be written or nothing is being recorded.
    pub(crate) fn mark_from_program(&self, name: &str) -> bool {
        let is_name = (1..=LONGEST_NAME).contains(&name.len());
        if !is_name || !self.core.is_counting() {
            return false;
        }
        let answer = self.answer(Command::Mark(name.to_owned()));
        answer["ok"].as_bool().unwrap_or(false)
    }

    /// Executes a command, on the agent's own thread.
    pub(crate) fn obey(&self, command: &Command) -> Value {
        if !self.core.is_counting() {
            return self.after_the_end(command);
        }
        match command {
            Command::Status => self.status(),
            Command::Snapshot { with_sites } => {
                self.snapshot("demand");
                let mut answer = json!({
                    "ok": true,
                    "directory": self.core.directory.to_string_lossy(),
                    "snapshot": self.core.snapshots.load(Ordering::Relaxed).saturating_sub(1),
                });
                if *with_sites {
                    add_sites(&self.core, &mut answer);
                }
                answer
            }
            Command::Mark(name) => {
                self.snapshot(&format!("mark {name}"));
                json!({"ok": true})
            }
            Command::Stop => self.stop_in_vm(),
        }
    }

    /// The answer to a command that comes when the recording has ended: what `stop` has done, if it was ended so.
    pub(crate) fn after_the_end(&self, command: &Command) -> Value {
        if *command != Command::Stop {
            return refusal("the recording has ended");
        }
        let begun = Instant::now();
        while self.core.phase.get() == Phase::Stopping && begun.elapsed() < PATIENCE {
            std::thread::sleep(Duration::from_millis(20));
        }
        let stopped = self.stopped.get().cloned();
        stopped.unwrap_or_else(|| refusal("the recording has ended"))
    }

    /// The status: the current run, its start and its cost.
    pub(super) fn status(&self) -> Value {
        let mut status = status(self);
        if let Some(arrival) = &*self.arriving.lock() {
            arrival.add_to(&mut status);
        }
        status
    }
}

fn status(agent: &Agent) -> Value {
    let core = &agent.core;
    let facts = core.facts();
    let rows = facts
        .map(|facts| core.threads.rows(&facts.threads))
        .unwrap_or_default();
    let cost = core.agent_cost_now();
    let arrival = agent
        .instrumentation
        .arrival
        .get()
        .cloned()
        .unwrap_or_default();
    json!({
        "ok": true,
        "pid": std::process::id(),
        "phase": core.phase.get().word(),
        "mode": core.mode(),
        "directory": core.directory.to_string_lossy(),
        "running_millis": u64::try_from(core.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        "classes_rewritten": cost.classes_rewritten,
        "counters": cost.counters,
        "snapshots": core.snapshots.load(Ordering::Relaxed),
        "threads": rows.len(),
        "vm_allocated_bytes": rows.iter().map(|(_, bytes)| bytes).sum::<u64>(),
        "memory_bytes": cost.memory_bytes,
        "arrival_stops": arrival.count,
        "arrival_stops_over_250_millis": arrival.too_long,
        "arrival_together_micros": micros(arrival.together),
        "arrival_forecast_micros": arrival.forecast.map(|forecast| [micros(forecast.least), micros(forecast.most)]),
        "arrival_classes_left_out": arrival.left_out,
        "arrival_longest_stop_micros": micros(arrival.longest),
        "arrival_longest_work_micros": micros(arrival.longest_work),
        "arrival_work_micros": micros(arrival.work_together),
        "arrival_millis": u64::try_from(arrival.work.as_millis()).unwrap_or(u64::MAX),
    })
}
