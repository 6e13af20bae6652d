//! Loads the library: parses the options, then starts a run or sends a command to the current one.

use ducktrack_hotspot::{FlagValue, JvmFlags};
use ducktrack_jvmti::{Capabilities, Capability, EventKind, Phase as VmPhase, Vm};
use serde_json::{Value, json};

use crate::callbacks;
use crate::callbacks::jni_functions;
use crate::classes::module_reads::ModuleReads;
use crate::control::requested;
use crate::core::phase::Phase;
use crate::core::resident::Resident;
use crate::core::vm_facts::java_version;
use crate::core::{Core, Needs};
use crate::count::Count;
use crate::entry;
use crate::layers;
use crate::options::{Command, Mode, Options, Request};
use crate::process::log::Log;
use crate::process::memory;
use crate::recording::Recording;
use crate::run::agent::Agent;
use crate::run::program_choice;
use crate::trace::Trace;
use crate::trial::recording::TrialRecording;

/// Sets up the agent, in a VM that is starting or, when attached, already running.
///
/// # Errors
/// One line that says why the VM must not start.
pub(crate) fn load(vm: Vm, text: &str, attached: bool) -> Result<Value, String> {
    if text.trim_start().starts_with('{') {
        return command_run(requested(text)?);
    }
    match Options::parse(text).map_err(|bad| bad.to_string())? {
        Request::Run(options) => begin_run(vm, *options, text, attached),
        Request::Command(command) => command_run(command),
        Request::Help => {
            print!("{}", ducktrack_options::help());
            if attached {
                return Ok(json!({"ok": true}));
            }
            // Like other agents, prints the help and exits, because there is nothing to run.
            std::process::exit(0);
        }
    }
}

/// Starts the first run, or a further one.
fn begin_run(vm: Vm, options: Options, text: &str, attached: bool) -> Result<Value, String> {
    if !attached && let Some(why) = program_choice::why_not(vm, &options.only_main) {
        return Ok(json!({"ok": true, "skipped": why}));
    }
    if attached && !options.only_main.is_empty() {
        return Err("option `only-main` has no effect in a program that runs already".to_owned());
    }
    if !attached && records_cache() {
        return leave_alone(&options);
    }
    let before = entry::agent();
    if let Some(running) = before.filter(|agent| agent.core.phase.get() != Phase::Ended) {
        return Err(format!(
            "this JVM is already being recorded, into {}; the command `stop` ends that recording",
            running.core.directory.display()
        ));
    }
    if !memory::set_last_reserve_aside() {
        return Err("there is no address space left for the agent".to_owned());
    }
    let resident = Resident::of(vm)?;
    let java = java_version(resident.env);
    let recording = recording_of(&options);
    check_java_version(&recording.needs(), java)?;
    let agent = Agent::new(
        resident,
        before,
        recording,
        jni_functions::replacements(),
        options,
        text,
        attached,
    )?;
    let agent = entry::install(agent, before).ok_or("another run has just begun")?;
    listen(&agent.core).map_err(|error| format!("this VM refuses the agent's events: {error}"))?;
    // SAFETY: the agent's library is never unloaded, and the listener may be called on any thread.
    if !unsafe { vm.watch_environments(callbacks::tool_comes) } {
        ModuleReads::of_process().others_come(&resident.own_thread);
        agent
            .stacks
            .leave_sampler(&agent.core, "other tools cannot be detected in this VM");
    }
    if attached
        || resident
            .env
            .phase()
            .is_ok_and(|phase| phase == VmPhase::LIVE)
    {
        let jni = vm
            .jni()
            .map_err(|error| format!("the attaching thread has no JNI: {error}"))?;
        agent
            .start(jni)
            .map_err(|why| format!("{why}; the program continues, nothing is counted"))?;
    }
    Ok(json!({
        "ok": true,
        "directory": agent.core.directory.to_string_lossy(),
        "java": java,
        "classes_left_out": agent.instrumentation.arrival.get().map_or(0, |stops| stops.left_out),
    }))
}

/// The recording of a mode. Only this function distinguishes modes.
fn recording_of(options: &Options) -> Box<dyn Recording> {
    match (options.mode, &options.trial) {
        (Mode::Count, _) => Box::new(Count::new(options)),
        (_, Some(choices)) => Box::new(TrialRecording::new(options, choices.clone())),
        _ => Box::new(Trace::new(options, layers::of(options))),
    }
}

/// Handles another load of the library as a command to the run. The answer is also logged, because `jcmd` does not show it.
fn command_run(command: Command) -> Result<Value, String> {
    let agent = entry::agent().filter(|agent| {
        let has_ended = agent.core.phase.get() == Phase::Ended;
        !has_ended || command == Command::Stop && agent.stopped.get().is_some()
    });
    let agent = agent.ok_or("nothing is recorded in this JVM: there is no run to command")?;
    let answer = agent.answer(command);
    match answer["error"].as_str() {
        Some(why) => Err(why.to_owned()),
        None => Ok(answer),
    }
}

/// # Errors
/// One line that says which JDK the mode needs.
fn check_java_version(needs: &Needs, version: u32) -> Result<(), String> {
    if version < needs.oldest_java {
        return Err(format!(
            "mode={} needs JDK {} or later, this is {version}; mode=count works here",
            needs.mode, needs.oldest_java
        ));
    }
    Ok(())
}

/// Whether this JVM trains for an AOT cache: it crashes at exit if an agent has
/// changed classes (JDK 25). If flags cannot be read, there is no such cache.
fn records_cache() -> bool {
    let mode = JvmFlags::of_process()
        .ok()
        .and_then(|flags| flags.get("AOTMode"));
    matches!(mode, Some(FlagValue::Text(Some(mode))) if mode == "record")
}

/// The JVM goes on as if the agent had not been given to it. One line says so.
fn leave_alone(options: &Options) -> Result<Value, String> {
    let why = "this JVM records for an AOT cache (-XX:AOTMode=record or -XX:AOTCacheOutput) and would crash with an agent that changes classes: \
        nothing is counted; a JVM that uses the cache is counted as any other";
    let log = Log::open(&options.log, options.log_level)?;
    log.warn(why);
    Ok(json!({"ok": true, "skipped": why}))
}

fn listen(core: &Core) -> Result<(), ducktrack_jvmti::Error> {
    let wanted = Capabilities::of(&[
        Capability::CanRetransformClasses,
        Capability::CanRetransformAnyClass,
        Capability::CanGenerateAllClassHookEvents,
        Capability::CanTagObjects,
    ]);
    core.env.add_capabilities(&wanted)?;
    if !core.needs.capabilities.is_empty() {
        let wanted = Capabilities::of(core.needs.capabilities);
        core.env.add_capabilities(&wanted)?;
    }
    // SAFETY: the callbacks do not unwind, and live as long as the library, which is never unloaded.
    unsafe { core.env.set_event_callbacks(&callbacks::table())? };
    for event in [
        EventKind::VM_INIT,
        EventKind::VM_DEATH,
        EventKind::DATA_DUMP_REQUEST,
    ] {
        core.env.enable(event)?;
    }
    Ok(())
}
