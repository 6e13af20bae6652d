//! The compared tools: the bare JVM, ducktrack in its modes, the rivals, and those added with `--tool`.

use std::path::Path;

use anyhow::{Result, bail};

use crate::command_json::command_json;
use crate::tool_output::{
    Unit, entries_of_report, read_callback_file, read_collapsed_stacks, read_flight_recording,
};
use crate::{Installation, ToolEntry};

/// A tool that runs with a JVM, or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name in commands and tables.
    pub name: String,
    /// What it is, in a few words.
    pub about: String,
    kind: Kind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Bare,
    Ducktrack { options: String },
    AsyncProfiler { every: bool },
    FlightRecorder,
    AllocationInstrumenter { by: &'static str },
    Custom { jvm_options: Vec<String> },
}

/// All tools with built-in names.
pub fn known_tools() -> Vec<Tool> {
    let tool = |name: &str, about: &str, kind| Tool {
        name: name.to_owned(),
        about: about.to_owned(),
        kind,
    };
    let custom_options = || Kind::Custom {
        jvm_options: Vec::new(),
    };
    let ours = |options: &str| Kind::Ducktrack {
        options: options.to_owned(),
    };
    vec![
        tool("bare", "the JVM alone", Kind::Bare),
        tool(
            "bare-again",
            "the JVM alone once more: the noise of all other rows",
            custom_options(),
        ),
        tool(
            "ducktrack-path",
            "ducktrack, counters=path: every allocation",
            ours("mode=count,counters=path"),
        ),
        tool(
            "ducktrack-site",
            "ducktrack, counters=site: every allocation",
            ours("mode=count,counters=site"),
        ),
        tool(
            "ducktrack-trace",
            "ducktrack, mode=trace: every allocation, move and death",
            ours("mode=trace"),
        ),
        tool(
            "ducktrack-trace-events",
            "ducktrack, mode=trace without moves: every allocation",
            ours("mode=trace,moves=off"),
        ),
        tool(
            "ducktrack-staleness",
            "ducktrack, mode=trace,staleness=on: uses by collection, too",
            ours("mode=trace,staleness=on"),
        ),
        tool(
            "ducktrack-witness",
            "ducktrack, mode=deaths: last uses and lost references, too",
            ours("mode=deaths"),
        ),
        tool(
            "ducktrack-witness-full",
            "ducktrack, mode=full: updates and calls, too",
            ours("mode=full"),
        ),
        tool(
            "async-profiler",
            "async-profiler 4.5, alloc: a sample per 512 KB",
            Kind::AsyncProfiler { every: false },
        ),
        tool(
            "async-profiler-every",
            "async-profiler 4.5, alloc=1: every allocation",
            Kind::AsyncProfiler { every: true },
        ),
        tool(
            "jfr",
            "JDK Flight Recorder, settings=profile: up to 300 samples/s",
            Kind::FlightRecorder,
        ),
        tool(
            "allocation-instrumenter",
            "allocation instrumenter 3.3.4, callback counts per type",
            Kind::AllocationInstrumenter { by: "type" },
        ),
        tool(
            "allocation-instrumenter-site",
            "allocation instrumenter 3.3.4, callback counts per site",
            Kind::AllocationInstrumenter { by: "site" },
        ),
    ]
}

/// The default tools of a run over the suite: those that are fast enough for it. The exact rivals cost so much that they
/// are only measured on the program with known counts, or when they are named.
pub fn default_tools() -> Vec<Tool> {
    let fit = [
        "bare",
        "bare-again",
        "ducktrack-path",
        "ducktrack-site",
        "async-profiler",
        "jfr",
    ];
    known_tools()
        .into_iter()
        .filter(|tool| fit.contains(&tool.name.as_str()))
        .collect()
}

/// Tools by name: `ducktrack` means all its modes, `all` means all tools. `added` are `NAME=JVM-OPTIONS`. The bare JVM is
/// always included.
pub fn select_tools(names: &[String], added: &[String], defaults: Vec<Tool>) -> Result<Vec<Tool>> {
    let added = added
        .iter()
        .map(|text| custom(text))
        .collect::<Result<Vec<Tool>>>()?;
    let mut selected = if names.is_empty() {
        defaults
    } else {
        named(names, &added)?
    };
    selected.extend(added);
    if !selected.iter().any(Tool::is_bare) {
        selected.extend(known_tools().into_iter().filter(Tool::is_bare));
    }
    selected.sort_by_key(|tool| !tool.is_bare());
    let mut unique: Vec<Tool> = Vec::new();
    for tool in selected {
        if !unique.iter().any(|other| other.name == tool.name) {
            unique.push(tool);
        }
    }
    Ok(unique)
}

fn named(names: &[String], added: &[Tool]) -> Result<Vec<Tool>> {
    let mut selected = Vec::new();
    for name in names {
        let fits = |tool: &Tool| {
            tool.name == *name
                || name == "all"
                || (name == "ducktrack" && matches!(tool.kind, Kind::Ducktrack { .. }))
        };
        let before = selected.len();
        selected.extend(
            known_tools()
                .into_iter()
                .chain(added.iter().cloned())
                .filter(fits),
        );
        if selected.len() == before {
            let all: Vec<String> = known_tools().into_iter().map(|tool| tool.name).collect();
            bail!(
                "no tool {name}; there are {}, and --tool NAME=JVM-OPTIONS",
                all.join(", ")
            );
        }
    }
    Ok(selected)
}

fn custom(text: &str) -> Result<Tool> {
    let Some((name, options)) = text.split_once('=').filter(|(name, _)| !name.is_empty()) else {
        bail!("--tool {text}: expected NAME=JVM-OPTIONS, as in aprof=-javaagent:/opt/aprof.jar");
    };
    let jvm_options = options.split_whitespace().map(str::to_owned).collect();
    Ok(Tool {
        name: name.to_owned(),
        about: options.to_owned(),
        kind: Kind::Custom { jvm_options },
    })
}

impl Tool {
    /// ducktrack with these agent options, under a given name.
    pub fn ducktrack(name: &str, options: &str) -> Tool {
        let kind = Kind::Ducktrack {
            options: options.to_owned(),
        };
        Tool {
            name: name.to_owned(),
            about: options.to_owned(),
            kind,
        }
    }

    /// The bare JVM with further options, under a given name.
    pub fn custom(name: &str, jvm_options: Vec<String>) -> Tool {
        Tool {
            name: name.to_owned(),
            about: String::new(),
            kind: Kind::Custom { jvm_options },
        }
    }

    /// Whether this is the bare JVM, with which all others are compared.
    pub fn is_bare(&self) -> bool {
        self.kind == Kind::Bare
    }

    /// The JVM options that enable the tool; its output goes into `directory`.
    pub(crate) fn jvm_options(
        &self,
        installation: &Installation,
        directory: &Path,
    ) -> Result<Vec<String>> {
        let file = |name: &str| directory.join(name).display().to_string();
        let rival = |name: &str| installation.needed(installation.rivals.join(name));
        Ok(match &self.kind {
            Kind::Bare => Vec::new(),
            Kind::Custom { jvm_options } => jvm_options.clone(),
            Kind::Ducktrack { options } => {
                let agent = installation.needed(installation.agent.clone())?;
                vec![format!(
                    "-agentpath:{}={options},summary=off,output={}",
                    agent.display(),
                    file(TRACE)
                )]
            }
            Kind::AsyncProfiler { every } => {
                let library = rival("libasyncProfiler.so")?;
                let what = if *every {
                    "alloc=1,collapsed"
                } else {
                    "collapsed,total"
                };
                vec![format!(
                    "-agentpath:{}=start,event=alloc,{what},file={}",
                    library.display(),
                    file(STACKS)
                )]
            }
            Kind::FlightRecorder => {
                let start = format!(
                    "settings=profile,dumponexit=true,filename={}",
                    file(RECORDING)
                );
                vec![
                    format!("-XX:StartFlightRecording={start}"),
                    "-Xlog:jfr*=off".to_owned(),
                ]
            }
            Kind::AllocationInstrumenter { by } => {
                let instrumenter = rival("java-allocation-instrumenter.jar")?;
                let callback = rival("callback.jar")?;
                vec![
                    format!("-javaagent:{}", instrumenter.display()),
                    format!("-javaagent:{}={by},{}", callback.display(), file(CALLBACK)),
                ]
            }
        })
    }

    /// The entries of its output for the fork in `directory`; `None` if its output cannot be read here.
    pub(crate) fn entries(
        &self,
        installation: &Installation,
        directory: &Path,
    ) -> Result<Option<Vec<ToolEntry>>> {
        Ok(match &self.kind {
            Kind::Bare | Kind::Custom { .. } => None,
            Kind::Ducktrack { .. } => Some(entries_of_report(&command_json(
                installation,
                "report",
                &directory.join(TRACE),
            )?)),
            Kind::AsyncProfiler { every } => {
                let unit = if *every { Unit::Samples } else { Unit::Bytes };
                Some(read_collapsed_stacks(&directory.join(STACKS), unit)?)
            }
            Kind::FlightRecorder => Some(read_flight_recording(
                installation,
                &directory.join(RECORDING),
            )?),
            Kind::AllocationInstrumenter { .. } => {
                Some(read_callback_file(&directory.join(CALLBACK))?)
            }
        })
    }
}

/// The folder of ducktrack's trace in a fork's folder.
pub(crate) const TRACE: &str = "trace";
const STACKS: &str = "stacks.txt";
const RECORDING: &str = "recording.jfr";
const CALLBACK: &str = "callback.tsv";

#[cfg(test)]
mod tests {
    use super::*;

    fn names(tools: &[Tool]) -> Vec<&str> {
        tools.iter().map(|tool| tool.name.as_str()).collect()
    }

    #[test]
    fn the_bare_jvm_is_always_first() {
        let selected = select_tools(
            &["jfr".into(), "ducktrack".into(), "jfr".into()],
            &[],
            Vec::new(),
        )
        .unwrap();
        assert_eq!(
            names(&selected),
            [
                "bare",
                "jfr",
                "ducktrack-path",
                "ducktrack-site",
                "ducktrack-trace",
                "ducktrack-trace-events",
                "ducktrack-staleness",
                "ducktrack-witness",
                "ducktrack-witness-full"
            ]
        );
    }

    #[test]
    fn a_tool_can_be_added() {
        let added = ["aprof=-javaagent:/opt/aprof.jar -Dx=y".to_owned()];
        let selected = select_tools(&["bare".into()], &added, Vec::new()).unwrap();
        assert_eq!(names(&selected), ["bare", "aprof"]);
        assert_eq!(
            selected[1].kind,
            Kind::Custom {
                jvm_options: vec!["-javaagent:/opt/aprof.jar".to_owned(), "-Dx=y".to_owned()]
            }
        );
    }

    #[test]
    fn an_unknown_or_nameless_tool_is_refused() {
        assert!(
            select_tools(&["aprof".into()], &[], Vec::new())
                .unwrap_err()
                .to_string()
                .starts_with("no tool aprof;")
        );
        assert!(select_tools(&[], &["=-Dx".into()], Vec::new()).is_err());
    }
}
