//! `ducktrack info --state`, `snapshot` and `stop`: commands to the agent in a running program.
//!
//! They go through the socket in the recording's directory ([`crate::run_socket`]). Where there is none (`control=off`), those that the VM
//! itself can hand on go through its attach mechanism.

mod answer_text;

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use crate::attach::listener::{Listener, Request};
use crate::attach::{load, loaded_library, remove_copy};
use crate::jvm_process::JvmProcess;
use crate::output;
use crate::run_socket::{NoSocket, RunSocket, Target};
use crate::target::{in_root, same_folder};

/// How long an agent that has just been loaded may take to accept commands.
const UNTIL_SOCKET: Duration = Duration::from_secs(1);

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack stop 4711
  ducktrack stop ducktrack-4711 --json

The program must belong to you, or you must be root.")]
pub(crate) struct ControlArgs {
    /// Process id of the program, or the directory of its recording
    #[arg(value_name = "PID|DIR")]
    target: String,
    /// Print the agent's answer as one line of JSON
    #[arg(long)]
    json: bool,
}

impl ControlArgs {
    pub(crate) fn new(target: String, json: bool) -> Self {
        Self { target, json }
    }

    pub(crate) fn target(&self) -> &str {
        &self.target
    }
}

/// The agent's answer about its mode, its folder and its costs.
pub(crate) fn state(args: &ControlArgs) -> Result<String> {
    let answer = ask(args, &json!({"command": "status"}), Some("status"))?;
    in_form(args, &answer, &answer_text::state(&answer, &args.target))
}

pub(crate) fn snapshot(args: &ControlArgs) -> Result<ExitCode> {
    let request = json!({"command": "snapshot"});
    let answer = match (RunSocket::open(&target(args)), target(args)) {
        (Err(NoSocket::None), Target::Process(pid)) => dump_data(pid)?,
        (socket, target) => seen_from_here(&target, socket?.ask(&request)?),
    };
    print(args, &answer, &answer_text::snapshot(&answer))
}

/// Makes the agent that writes a recording add what it has counted to it.
pub(crate) fn ask_for_values(directory: &Path) -> Result<()> {
    let target = Target::Directory(directory.display().to_string());
    let request = json!({"command": "snapshot"});
    RunSocket::open(&target)?.ask(&request).map(|_| ())
}

pub(crate) fn mark(args: &ControlArgs, name: &str) -> Result<ExitCode> {
    let request = json!({"command": "mark", "name": name});
    let answer = ask(args, &request, None)?;
    print(args, &answer, &answer_text::mark(name))
}

pub(crate) fn stop(args: &ControlArgs) -> Result<ExitCode> {
    let answer = ask(args, &json!({"command": "stop"}), Some("stop"))?;
    if let Target::Process(pid) = target(args) {
        forget_library(pid);
    }
    print(args, &answer, &answer_text::stop(&answer))
}

/// Asks through the socket; without one, a second load of the library hands on the `word`.
fn ask(args: &ControlArgs, request: &Value, word: Option<&str>) -> Result<Value> {
    let target = target(args);
    let begun = Instant::now();
    loop {
        match (RunSocket::open(&target), &target, word) {
            // The agent may be about to open it. The VM itself hands nothing on while it loads the agent.
            (Err(NoSocket::None), Target::Process(pid), _)
                if begun.elapsed() < UNTIL_SOCKET && has_library(*pid) =>
            {
                std::thread::sleep(UNTIL_SOCKET / 10);
            }
            (Err(NoSocket::None), Target::Process(pid), Some(word)) => return hand_on(*pid, word),
            (socket, ..) => {
                return socket?
                    .ask(request)
                    .map(|answer| seen_from_here(&target, answer));
            }
        }
    }
}

/// A program in a container knows itself by another number, and its folder by another path. They stay in the answer as `pid_inside` and
/// `directory_inside`.
fn seen_from_here(target: &Target, mut answer: Value) -> Value {
    let inside = answer["directory"].as_str().map(str::to_owned);
    let here = match (target, &inside) {
        (Target::Directory(directory), Some(inside)) => {
            let is_it = same_folder(Path::new(directory), Path::new(inside));
            (!is_it).then(|| directory.clone())
        }
        (Target::Process(pid), Some(inside)) => {
            in_root(*pid, Path::new(inside)).map(|folder| folder.display().to_string())
        }
        (_, None) => None,
    };
    let pid = match target {
        Target::Process(pid) if answer["pid"].is_u64() => Some(*pid),
        _ => None,
    };
    for (name, here) in [
        ("directory", here.map(Value::from)),
        ("pid", pid.map(Value::from)),
    ] {
        if let Some(here) = here.filter(|here| *here != answer[name]) {
            answer[format!("{name}_inside")] = answer[name].take();
            answer[name] = here;
        }
    }
    answer
}

/// After a stop nothing of ours stays in the JVM's `/tmp`.
pub(crate) fn forget_library(pid: u32) {
    if let Ok(jvm) = JvmProcess::find(pid)
        && jvm.become_its_user().is_ok()
    {
        remove_copy(&jvm);
    }
}

fn has_library(pid: u32) -> bool {
    JvmProcess::find(pid).is_ok_and(|jvm| loaded_library(&jvm).is_some())
}

fn hand_on(pid: u32, word: &str) -> Result<Value> {
    let jvm = JvmProcess::find(pid)?;
    let Some(library) = loaded_library(&jvm) else {
        bail!("process {pid} has no agent; load it with `ducktrack attach {pid}`");
    };
    jvm.become_its_user()?;
    load(&jvm, &library, word)
}

/// `JVMTI.data_dump`: every agent is asked for its data. There is no answer.
fn dump_data(pid: u32) -> Result<Value> {
    let jvm = JvmProcess::find(pid)?;
    if loaded_library(&jvm).is_none() {
        bail!("process {pid} has no agent; load it with `ducktrack attach {pid}`");
    }
    jvm.become_its_user()?;
    let reply = Listener::reach(&jvm)?.ask(&Request::Diagnostic("JVMTI.data_dump"))?;
    if reply.code != 0 {
        bail!("the JVM refuses: {}", reply.text);
    }
    Ok(json!({"ok": true}))
}

fn target(args: &ControlArgs) -> Target {
    match args.target.parse() {
        Ok(pid) if !Path::new(&args.target).is_dir() => Target::Process(pid),
        _ => Target::Directory(args.target.clone()),
    }
}

fn print(args: &ControlArgs, answer: &Value, text: &str) -> Result<ExitCode> {
    output::write(&in_form(args, answer, text)?, None)?;
    Ok(ExitCode::SUCCESS)
}

fn in_form(args: &ControlArgs, answer: &Value, text: &str) -> Result<String> {
    if !args.json {
        return Ok(text.to_owned());
    }
    let line = serde_json::to_string(answer).context("the answer cannot be written")?;
    Ok(line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_in_a_container_is_named_as_it_is_seen_here() {
        let answer = json!({"ok": true, "pid": 1, "directory": "/var/tmp/run"});
        let seen = seen_from_here(&Target::Process(4711), answer.clone());
        assert_eq!(
            (&seen["pid"], &seen["pid_inside"]),
            (&json!(4711), &json!(1))
        );
        let target = Target::Directory("/proc/4711/root/var/tmp/run".to_owned());
        let seen = seen_from_here(&target, answer);
        assert_eq!(seen["directory"], "/proc/4711/root/var/tmp/run");
        assert_eq!(seen["directory_inside"], "/var/tmp/run");
        let marked = json!({"ok": true});
        assert_eq!(seen_from_here(&target, marked.clone()), marked);
    }
}
