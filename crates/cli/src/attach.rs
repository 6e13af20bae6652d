//! `ducktrack attach PID`: loads the agent into a JVM that runs, as `jcmd PID JVMTI.agent_load` would, without its quoting, and without a
//! JDK.

mod answer_file;
mod arrival;
pub(crate) mod listener;
mod target_library;

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::Args;
use rustix::fs::Access;
use serde_json::Value;

use crate::agent_options::AgentOptions;
use crate::jvm_process::JvmProcess;
use crate::library;
use answer_file::AnswerFile;
use arrival::ArrivalWatch;
pub(crate) use arrival::interval;
use listener::{Listener, Request};
pub(crate) use target_library::{loaded as loaded_library, remove_copy};

/// From this version on the VM prints a warning when an agent is loaded.
const FIRST_WITH_WARNING: u64 = 21;
/// Where files go that the JVM must be able to reach.
const TEMPORARY: &str = "/tmp";
/// The VM takes no longer argument (`AttachOperation::arg_length_max`).
const LONGEST_OPTIONS: usize = 1024;

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack attach 4711
  ducktrack attach 4711 --mode trace --output /var/tmp/app
  ducktrack info 4711 --state; ducktrack snapshot 4711; ducktrack stop 4711

The program runs on. What it allocated before is not in the recording. A
relative --output is a directory here; without one it is ducktrack-PID here, or
in /tmp of the program where that cannot be. Root may attach to everybody's
programs, others to their own. Methods that run just then are counted when they
are entered again; until they return, the program's stack traces have neither
file nor line for them. With -XX:MaxMetaspaceSize, classes that do not fit with
probes stay as they are, and the command says how many.")]
pub(crate) struct AttachArgs {
    /// Process id of the Java program
    pid: u32,
    /// The agent's library
    #[arg(long, value_name = "PATH")]
    library: Option<std::path::PathBuf>,
    #[command(flatten)]
    options: AgentOptions,
}

pub(crate) fn run(args: &AttachArgs) -> Result<ExitCode> {
    let (text, given) = (args.options.text()?, args.options.given_output());
    let (jvm, answer) = begin(args.pid, args.library.as_deref(), &text, given)?;
    announce(&jvm, &answer);
    Ok(ExitCode::SUCCESS)
}

/// Loads the agent with these options; `given` is the output folder that they name. Returns the agent's answer.
///
/// # Errors
/// Why the process, the VM or the agent refuses.
pub(crate) fn begin(
    pid: u32,
    library: Option<&Path>,
    text: &str,
    given: Option<&str>,
) -> Result<(JvmProcess, Value)> {
    let library = library::find(library)?;
    let jvm = JvmProcess::find(pid)?;
    // Read while we may: the JVM's user may not reach it.
    let library = target_library::Library::read(&library, &jvm)?;
    jvm.become_its_user()?;
    let output = output(given, &jvm)?;
    let watch = ArrivalWatch::of(jvm.pid);
    let answer = load(&jvm, &library.place(&jvm)?, &join(text, output.as_deref()));
    drop(watch);
    Ok((jvm, answer?))
}

/// Loads the library (again) with these options; returns the answer of the agent.
///
/// # Errors
/// Why the VM or the agent refuses.
pub(crate) fn load(jvm: &JvmProcess, library: &Path, options: &str) -> Result<Value> {
    let answer = AnswerFile::create(jvm)?;
    let options = join(&format!("answer={}", answer.path()), Some(options));
    if options.len() > LONGEST_OPTIONS {
        bail!(
            "the options are {} bytes long, the JVM takes {LONGEST_OPTIONS}; put them into a file and pass --options @FILE",
            options.len()
        );
    }
    let library = library
        .to_str()
        .context("the library's path is not UTF-8: the JVM cannot be told")?;
    let reply = Listener::reach(jvm)?.ask(&Request::Load {
        library,
        options: &options,
    })?;
    match answer.read() {
        Some(answer) if answer["ok"] == true => Ok(answer),
        Some(answer) => bail!(
            "the agent refuses: {}",
            answer["error"].as_str().unwrap_or("no reason given")
        ),
        None => bail!("the JVM did not load the agent: {}", reply.reason(jvm)),
    }
}

fn join(text: &str, more: Option<&str>) -> String {
    [Some(text), more]
        .into_iter()
        .flatten()
        .filter(|part| !part.is_empty())
        .collect::<Vec<_>>()
        .join(",")
}

/// `output=...`, unless a path is given that means the same to the JVM.
fn output(given: Option<&str>, jvm: &JvmProcess) -> Result<Option<String>> {
    let here = std::env::current_dir().context("the working directory cannot be told")?;
    let shared = !jvm.sees_other(&here);
    match given {
        Some(given) if Path::new(given).is_relative() && shared => {
            Ok(Some(format!("output={}", here.join(given).display())))
        }
        Some(_) => Ok(None),
        None => {
            let writable = rustix::fs::access(&here, Access::WRITE_OK).is_ok();
            let folder = if shared && writable {
                here.as_path()
            } else {
                Path::new(TEMPORARY)
            };
            let name = format!("ducktrack-{}", jvm.pid);
            Ok(Some(format!("output={}", folder.join(name).display())))
        }
    }
}

fn announce(jvm: &JvmProcess, answer: &Value) {
    let pid = jvm.pid;
    let directory = answer["directory"].as_str().unwrap_or("?");
    println!("process {pid} is being recorded into {directory}");
    let is_elsewhere = jvm.sees_other(Path::new(directory));
    let here = match is_elsewhere {
        true => format!("/proc/{pid}/root{directory}"),
        false => directory.to_owned(),
    };
    if is_elsewhere {
        println!("  which is {here} here");
    }
    if answer["java"]
        .as_u64()
        .is_some_and(|java| java >= FIRST_WITH_WARNING)
        && !jvm.has_option("-XX:+EnableDynamicAgentLoading")
    {
        println!(
            "  the JVM has warned on its standard error: -XX:+EnableDynamicAgentLoading at its start avoids that"
        );
    }
    match answer["classes_left_out"].as_u64() {
        None | Some(0) => {}
        Some(left_out) => println!(
            "  {left_out} classes stay as they are: with probes they would not fit into the metaspace (-XX:MaxMetaspaceSize)"
        ),
    }
    println!(
        "next: ducktrack info {pid} --state, ducktrack snapshot {pid}, ducktrack stop {pid}, ducktrack report {here}"
    );
}
