//! The agent's options as flags of the command; together they make the text after `-agentpath:...=`.

use anyhow::{Result, bail};
use clap::{Args, ValueEnum};

/// Where the agent writes by default.
const DEFAULT_OUTPUT: &str = "ducktrack-%p";

#[derive(Args, Default)]
pub(crate) struct AgentOptions {
    /// Options of the agent as it takes them: key=value,key=value (help lists them)
    #[arg(long, value_name = "OPTIONS")]
    options: Option<String>,
    /// Directory for the trace; %p is the process id, %t the time [default: ducktrack-%p]
    #[arg(long, value_name = "DIR")]
    output: Option<String>,
    /// Count allocations; trace every allocation, move and death; also for exact death times; also every update of a reference and calls [default: count]
    #[arg(long, value_name = "count|trace|deaths|full")]
    mode: Option<Mode>,
    /// With --mode trace: how exactly moves and deaths are known
    #[arg(long, value_name = "exact|finish|off")]
    moves: Option<Moves>,
    /// With --mode trace: keep the last this many bytes of events (64m, 2g); older ones go away
    #[arg(long, value_name = "SIZE")]
    max_trace_size: Option<String>,
    /// Counters of paths (few increments), or one at every site (the baseline)
    #[arg(long, value_name = "path|site")]
    counters: Option<Counters>,
    /// Take a snapshot every this many seconds, besides the one at exit
    #[arg(long, value_name = "SECONDS")]
    interval: Option<f64>,
    /// Callers to blame for library sites: auto, off, or a file with more methods
    #[arg(long, value_name = "auto|off|FILE")]
    context: Option<String>,
    /// What is the application (auto: the project of the main class): each of its calls of other code says what it causes
    #[arg(long, value_name = "auto|PATTERN")]
    app: Vec<String>,
    /// Count what really reaches the heap as well
    #[arg(long)]
    materialized: bool,
    /// Record array lengths
    #[arg(long)]
    histogram: bool,
    /// Only classes that fit this pattern (may be repeated)
    #[arg(long, value_name = "PATTERN")]
    include: Vec<String>,
    /// No classes that fit this pattern (may be repeated)
    #[arg(long, value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Measure hot paths after this many entries of a method, or off
    #[arg(long, value_name = "ENTRIES|off")]
    reinstrument: Option<String>,
    /// No summary at exit
    #[arg(long)]
    no_summary: bool,
    /// Where the agent's messages go: stderr or a file
    #[arg(long, value_name = "stderr|FILE")]
    log: Option<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Counters {
    Path,
    Site,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Mode {
    Count,
    Trace,
    Deaths,
    Full,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Moves {
    Exact,
    Finish,
    Off,
}

/// The word of a value on the command line, which is the agent's word too.
fn word(value: Option<impl ValueEnum>) -> Option<String> {
    value?
        .to_possible_value()
        .map(|value| value.get_name().to_owned())
}

impl AgentOptions {
    /// `key=value,key=value`; what `--options` says comes first, so that flags override it.
    pub(crate) fn text(&self) -> Result<String> {
        let mut all: Vec<String> = self
            .options
            .iter()
            .filter(|text| !text.is_empty())
            .cloned()
            .collect();
        for (key, value) in self.pairs() {
            if value.contains([',', '\n']) {
                bail!(
                    "--{key} {value:?}: the agent separates options with commas; put it into a file and pass --options @FILE"
                );
            }
            all.push(format!("{key}={value}"));
        }
        Ok(all.join(","))
    }

    /// The pattern of trace directories that these options lead to.
    pub(crate) fn output_pattern(&self) -> &str {
        self.given_output().unwrap_or(DEFAULT_OUTPUT)
    }

    /// The pattern of trace directories, where one is given.
    pub(crate) fn given_output(&self) -> Option<&str> {
        let given = self.options.as_deref().and_then(|text| {
            text.split(',')
                .filter_map(|option| option.trim().strip_prefix("output="))
                .next_back()
        });
        self.output.as_deref().or(given)
    }

    fn pairs(&self) -> Vec<(&'static str, String)> {
        let on = |given: bool, value: &str| given.then(|| value.to_owned());
        let single = [
            ("output", self.output.clone()),
            ("mode", word(self.mode)),
            ("moves", word(self.moves)),
            ("max-trace-size", self.max_trace_size.clone()),
            ("counters", word(self.counters)),
            ("interval", self.interval.map(|seconds| seconds.to_string())),
            ("context", self.context.clone()),
            ("materialized", on(self.materialized, "on")),
            ("histogram", on(self.histogram, "on")),
            ("reinstrument", self.reinstrument.clone()),
            ("summary", on(self.no_summary, "off")),
            ("log", self.log.clone()),
        ];
        let repeated = |key, values: &[String]| {
            values
                .iter()
                .map(|value| (key, value.clone()))
                .collect::<Vec<_>>()
        };
        single
            .into_iter()
            .filter_map(|(key, value)| Some((key, value?)))
            .chain(repeated("include", &self.include))
            .chain(repeated("exclude", &self.exclude))
            .chain(repeated("app", &self.app))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_come_after_the_free_options() {
        let options = AgentOptions {
            options: Some("level=debug".into()),
            interval: Some(2.5),
            materialized: true,
            exclude: vec!["a.*".into(), "b.C".into()],
            mode: Some(Mode::Trace),
            moves: Some(Moves::Finish),
            no_summary: true,
            ..AgentOptions::default()
        };
        assert_eq!(
            options.text().expect("text"),
            "level=debug,mode=trace,moves=finish,interval=2.5,materialized=on,summary=off,exclude=a.*,exclude=b.C"
        );
        assert_eq!(options.output_pattern(), "ducktrack-%p");
    }

    #[test]
    fn each_mode_is_the_agents_word() {
        for (mode, text) in [
            (Mode::Count, "mode=count"),
            (Mode::Trace, "mode=trace"),
            (Mode::Deaths, "mode=deaths"),
            (Mode::Full, "mode=full"),
        ] {
            let options = AgentOptions {
                mode: Some(mode),
                ..Default::default()
            };
            assert_eq!(options.text().expect("text"), text);
        }
    }

    #[test]
    fn the_output_is_known_from_either_place() {
        let free = AgentOptions {
            options: Some("interval=1,output=/tmp/x".into()),
            ..Default::default()
        };
        assert_eq!(free.output_pattern(), "/tmp/x");
        let both = AgentOptions {
            output: Some("here".into()),
            ..free
        };
        assert_eq!(both.output_pattern(), "here");
    }

    #[test]
    fn a_comma_is_refused_with_a_way_out() {
        let options = AgentOptions {
            output: Some("a,b".into()),
            ..Default::default()
        };
        assert!(
            options
                .text()
                .expect_err("comma")
                .to_string()
                .contains("@FILE")
        );
    }
}
