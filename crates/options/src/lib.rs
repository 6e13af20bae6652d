//! The options of the agent, each described once. The agent's `help`, the flags of `ducktrack run` and `attach`, the completions of shells
//! and `agent/OPTIONS.md` are made from [`OPTIONS`].
#![forbid(unsafe_code)]

mod help;
mod page;
mod table;

pub use help::help;
pub use page::page;
pub use table::{OF_COMMANDS, OPTIONS, TEST_SWITCHES};

/// The values of `mode=`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// The number of objects that each site allocated.
    Count,
    /// Every allocation, move and death.
    Trace,
    /// In addition, stamps from which death times are computed.
    Deaths,
    /// In addition, each update of a reference, and calls.
    Full,
}

impl Mode {
    /// All modes, the cheapest first.
    pub const ALL: [Self; 4] = [Self::Count, Self::Trace, Self::Deaths, Self::Full];

    /// The word after `mode=`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Trace => "trace",
            Self::Deaths => "deaths",
            Self::Full => "full",
        }
    }

    /// Whether every allocation is an event.
    pub fn has_events(self) -> bool {
        self != Self::Count
    }

    /// Whether death times are exact.
    pub fn has_deaths(self) -> bool {
        matches!(self, Self::Deaths | Self::Full)
    }
}

/// The values that an option can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// `on` or `off`.
    Switch,
    /// One of these words.
    Words(&'static [&'static str]),
    /// A description with placeholders in capitals, such as `BYTES|off`.
    Described(&'static str),
}

impl Values {
    /// Alternatives separated by `|`.
    pub fn text(self) -> String {
        match self {
            Self::Switch => "on|off".to_owned(),
            Self::Words(words) => words.join("|"),
            Self::Described(text) => text.to_owned(),
        }
    }
}

/// One option of the agent.
#[derive(Clone, Copy, Debug)]
pub struct AgentOption {
    /// The text before `=`.
    pub key: &'static str,
    /// The text after it.
    pub values: Values,
    /// The value if none is given; empty where there is none.
    pub default: &'static str,
    /// The modes in which it has an effect.
    pub modes: &'static [Mode],
    /// Whether a second value adds to the first, instead of replacing it.
    pub repeats: bool,
    /// At most [`SHORT_WORDS`] words.
    pub short: &'static str,
    /// More, as Markdown with links relative to `agent/`; often empty.
    pub details: &'static str,
}

/// The maximum number of words of [`AgentOption::short`].
pub const SHORT_WORDS: usize = 40;

impl AgentOption {
    /// The option with this key.
    pub fn find(key: &str) -> Option<&'static Self> {
        let mut all = OPTIONS.iter().chain(OF_COMMANDS);
        all.find(|option| option.key == key)
    }

    /// Whether it has an effect in this mode.
    pub fn works_in(&self, mode: Mode) -> bool {
        self.modes.contains(&mode)
    }

    /// Its modes as a reader names them: `mode=trace, deaths or full`.
    pub fn modes_text(&self) -> String {
        let words: Vec<&str> = self.modes.iter().map(|mode| mode.word()).collect();
        match words.split_last() {
            Some((last, [])) => format!("mode={last}"),
            Some((last, first)) => format!("mode={} or {last}", first.join(", ")),
            None => String::new(),
        }
    }

    /// Whether it has an effect in all modes.
    pub fn works_everywhere(&self) -> bool {
        Mode::ALL.into_iter().all(|mode| self.works_in(mode))
    }
}
