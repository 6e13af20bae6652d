//! `ducktrack run -- java ...`: finds the library, passes the flag, hands on signals and the exit code, and names
//! the command that reads the recording.
//!
//! When the command is `java` itself, `-agentpath:...` goes right after it. Any other command (a script, Maven) gets
//! it in `JAVA_TOOL_OPTIONS`, which every JVM that it starts obeys.

mod child;
mod trace_found;

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::SystemTime;

use anyhow::{Result, bail};
use clap::Args;

use crate::agent_options::AgentOptions;
use crate::library;

/// Every JVM reads its options from this variable.
pub(crate) const TOOL_OPTIONS: &str = "JAVA_TOOL_OPTIONS";

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack run -- java -jar app.jar
  ducktrack run --output /var/tmp/app-%p --interval 60 -- java -jar app.jar
  ducktrack run --record materialized --record lengths -- java -jar app.jar
  ducktrack run --classes 'not:com.acme.generated.*' -- mvn test

With --mode trace one full collection is made when the program's shutdown
begins, so that `ducktrack leaks` knows what is alive; --dump=off leaves it out.

The exit code is that of the command. The library libducktrack.so is looked for
in --library, in the variable DUCKTRACK_LIBRARY, next to this program, and in
../lib.")]
pub(crate) struct RunArgs {
    /// The agent's library
    #[arg(long, value_name = "PATH")]
    library: Option<PathBuf>,
    #[command(flatten)]
    options: AgentOptions,
    /// The command, after --
    #[arg(last = true, required = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

pub(crate) fn run(args: RunArgs) -> Result<ExitCode> {
    let library = library::find(args.library.as_deref())?;
    let options = args.options.with_look();
    let flag = agent_flag(&library, &options.text()?)?;
    let Some((program, arguments)) = args.command.split_first() else {
        bail!("no command; give one after --, such as: ducktrack run -- java -jar app.jar");
    };
    let started = SystemTime::now();
    let mut command = Command::new(program);
    if is_java(program) {
        command.arg(&flag).args(arguments);
    } else {
        command
            .args(arguments)
            .env(TOOL_OPTIONS, tool_options(&flag));
    }
    let code = child::run(command, program)?;
    let has_application = options.value("app").is_some();
    trace_found::announce(options.output_pattern(), started, has_application);
    Ok(code)
}

pub(crate) fn agent_flag(library: &Path, options: &str) -> Result<OsString> {
    // The JVM splits at the first '='; it must be ours.
    if library.as_os_str().as_encoded_bytes().contains(&b'=') {
        bail!(
            "the JVM cannot load a library with '=' in its path: {}",
            library.display()
        );
    }
    let mut flag = OsString::from("-agentpath:");
    flag.push(library);
    if !options.is_empty() {
        flag.push("=");
        flag.push(options);
    }
    Ok(flag)
}

pub(crate) fn is_java(program: &OsStr) -> bool {
    Path::new(program)
        .file_name()
        .is_some_and(|name| name == "java")
}

/// The variable's value with the flag after what is already there; the JVM splits it at spaces outside quotes.
pub(crate) fn tool_options(flag: &OsStr) -> OsString {
    let mut value = env::var_os(TOOL_OPTIONS).unwrap_or_default();
    if !value.is_empty() {
        value.push(" ");
    }
    let bytes = flag.as_encoded_bytes();
    let quote = match (
        bytes.iter().any(u8::is_ascii_whitespace),
        bytes.contains(&b'\''),
    ) {
        (false, false) => "",
        (_, true) => "\"",
        (true, false) => "'",
    };
    value.push(quote);
    value.push(flag);
    value.push(quote);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_java_itself_gets_the_flag_as_an_argument() {
        assert!(is_java(OsStr::new("/usr/lib/jvm/17/bin/java")));
        assert!(is_java(OsStr::new("java")));
        assert!(!is_java(OsStr::new("javac")));
        assert!(!is_java(OsStr::new("./java.sh")));
    }

    #[test]
    fn the_flag_of_a_library() {
        let flag = |options| agent_flag(Path::new("/x/libducktrack.so"), options).expect("a flag");
        assert_eq!(flag(""), "-agentpath:/x/libducktrack.so");
        assert_eq!(
            flag("interval=5,summary=off"),
            "-agentpath:/x/libducktrack.so=interval=5,summary=off"
        );
        assert!(agent_flag(Path::new("/a=b/libducktrack.so"), "").is_err());
    }
}
