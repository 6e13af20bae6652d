//! The agent's options as flags of the command, made from the table of options; together they make the text after `-agentpath:...=`.

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};
use ducktrack_options::{AgentOption, Mode, OPTIONS, Values};

/// Where the agent writes by default.
const DEFAULT_OUTPUT: &str = "ducktrack-%p";

/// The flag with options as the agent takes them.
const FREE: &str = "options";

/// The options of one command line.
#[derive(Default)]
pub(crate) struct AgentOptions {
    free: Option<String>,
    given: Vec<(&'static str, String)>,
}

impl Args for AgentOptions {
    fn augment_args(command: Command) -> Command {
        let free = Arg::new(FREE)
            .long(FREE)
            .value_name("OPTIONS")
            .help("Options of the agent as it takes them: key=value,key=value, or @FILE");
        command.arg(free).args(OPTIONS.iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for AgentOptions {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let values = |key: &'static str| {
            let values = matches.get_many::<String>(key).into_iter().flatten();
            values.map(move |value| (key, value.clone()))
        };
        Ok(Self {
            free: matches.get_one::<String>(FREE).cloned(),
            given: OPTIONS
                .iter()
                .flat_map(|option| values(option.key))
                .collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn flag(option: &'static AgentOption) -> Arg {
    let mut help = option.short.to_owned();
    if !option.default.is_empty() {
        help.push_str(&format!(" [default: {}]", option.default));
    }
    let flag = Arg::new(option.key)
        .long(option.key)
        .value_name(clap::builder::Str::from(option.values.text()))
        .help(help)
        .help_heading(heading(option))
        .hide_possible_values(true)
        .action(if option.repeats {
            ArgAction::Append
        } else {
            ArgAction::Set
        });
    match option.values {
        Values::Switch => flag
            .num_args(0..=1)
            .require_equals(true)
            .default_missing_value("on")
            .value_parser(PossibleValuesParser::new(["on", "off"])),
        Values::Words(words) => flag.value_parser(PossibleValuesParser::new(words)),
        Values::Described(_) => flag,
    }
}

fn heading(option: &AgentOption) -> &'static str {
    match option.modes {
        _ if option.works_everywhere() => "Options of the agent",
        [Mode::Count] => "Only with --mode count",
        [Mode::Trace] => "Only with --mode trace",
        [Mode::Full] => "Only with --mode full",
        [Mode::Deaths, Mode::Full] => "Only with --mode deaths or full",
        _ => "Only with --mode trace, deaths or full",
    }
}

impl AgentOptions {
    /// `key=value,key=value`; the text of `--options` comes first, so that flags override it.
    pub(crate) fn text(&self) -> Result<String> {
        let free = self.free.iter().filter(|text| !text.is_empty());
        let mut all: Vec<String> = free.cloned().collect();
        for (key, value) in &self.given {
            if value.contains([',', '\n']) {
                bail!(
                    "--{key} {value:?}: the agent separates options with commas; put it into a file and pass --options @FILE"
                );
            }
            all.push(format!("{key}={value}"));
        }
        Ok(all.join(","))
    }

    /// The same, with a look at the old space before the program's shutdown: where every allocation is an event, and no dump is asked for
    /// or refused.
    pub(crate) fn with_look(mut self) -> Self {
        let has_events = |mode: &Mode| mode.has_events() && self.value("mode") == Some(mode.word());
        let is_from_file = self
            .free
            .as_deref()
            .is_some_and(|text| text.starts_with('@'));
        if Mode::ALL.iter().any(has_events) && self.value("dump").is_none() && !is_from_file {
            self.given.push(("dump", "look".to_owned()));
        }
        self
    }

    /// The pattern of trace directories that these options lead to.
    pub(crate) fn output_pattern(&self) -> &str {
        self.given_output().unwrap_or(DEFAULT_OUTPUT)
    }

    /// The pattern of trace directories, where one is given.
    pub(crate) fn given_output(&self) -> Option<&str> {
        self.value("output")
    }

    /// The value that is given for a key: that of its flag, or else the last in the text of the agent.
    pub(crate) fn value(&self, key: &str) -> Option<&str> {
        let flag = self.given.iter().find(|(name, _)| *name == key);
        let free = self.free.iter().flat_map(|text| text.split(','));
        let mut of_free =
            free.filter_map(|option| option.trim().strip_prefix(key)?.strip_prefix('='));
        flag.map(|(_, value)| value.as_str())
            .or_else(|| of_free.next_back())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        options: AgentOptions,
    }

    fn options(words: &[&str]) -> AgentOptions {
        let words = ["ducktrack"].iter().chain(words);
        Line::try_parse_from(words).expect("a good line").options
    }

    fn text(words: &[&str]) -> String {
        options(words).text().expect("text")
    }

    #[test]
    fn flags_come_after_the_free_options() {
        let words = [
            "--options",
            "log=debug",
            "--interval",
            "2.5",
            "--record",
            "materialized",
            "--classes",
            "not:a.*",
            "--classes",
            "not:b.C",
            "--mode",
            "trace",
            "--summary=off",
        ];
        assert_eq!(
            text(&words),
            "log=debug,mode=trace,classes=not:a.*,classes=not:b.C,record=materialized,interval=2.5,summary=off"
        );
        assert_eq!(options(&words).output_pattern(), "ducktrack-%p");
    }

    #[test]
    fn events_come_with_a_look_at_the_old_space() {
        let looks = |words: &[&str]| {
            let text = options(words).with_look().text().expect("text");
            text.contains("dump=look")
        };
        assert!(looks(&["--mode", "trace"]) && looks(&["--options", "mode=deaths"]));
        for words in [
            &["--mode", "count"][..],
            &[],
            &["--mode", "trace", "--dump=off"],
        ] {
            assert!(!looks(words), "{words:?}");
        }
    }

    #[test]
    fn each_option_of_the_agent_is_a_flag() {
        for option in OPTIONS {
            let value = match option.values {
                Values::Switch => "off",
                Values::Words(words) => words[0],
                Values::Described(_) => "x",
            };
            let flag = format!("--{}={value}", option.key);
            assert_eq!(text(&[&flag]), format!("{}={value}", option.key));
        }
    }

    #[test]
    fn a_word_that_is_none_is_refused_before_the_program_starts() {
        let line = Line::try_parse_from(["ducktrack", "--mode", "witness"]);
        let why = line.err().expect("no mode").to_string();
        assert!(why.contains("count") && why.contains("deaths"), "{why}");
    }

    #[test]
    fn the_output_is_known_from_either_place() {
        let free = ["--options", "interval=1,output=/tmp/x"];
        assert_eq!(options(&free).output_pattern(), "/tmp/x");
        let both = [&free[..], &["--output", "here"]].concat();
        assert_eq!(options(&both).output_pattern(), "here");
    }

    #[test]
    fn a_comma_is_refused_with_a_way_out() {
        let refused = options(&["--output", "a,b"]).text().expect_err("comma");
        assert!(refused.to_string().contains("@FILE"));
    }
}
