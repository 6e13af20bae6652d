//! The mode in which a run was recorded: the one that ran, where a mode was refused and the recording went on as a lesser one.

use core::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A mode. In the file it is its word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RunMode {
    /// The trace does not name one that this reader knows.
    #[default]
    Unknown,
    /// Counters.
    Count,
    /// Events of allocations, moves and deaths.
    Trace,
    /// In addition, stamps from which death times are computed.
    Deaths,
    /// In addition, each update of a reference, and calls.
    Full,
}

impl RunMode {
    /// The word after `mode=`; empty for [`RunMode::Unknown`].
    pub fn name(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Count => "count",
            Self::Trace => "trace",
            Self::Deaths => "deaths",
            Self::Full => "full",
        }
    }

    /// Every allocation is an event.
    pub fn has_events(self) -> bool {
        matches!(self, Self::Trace | Self::Deaths | Self::Full)
    }

    /// Death times are exact.
    pub fn has_deaths(self) -> bool {
        matches!(self, Self::Deaths | Self::Full)
    }
}

impl From<&str> for RunMode {
    fn from(word: &str) -> Self {
        let all = [Self::Count, Self::Trace, Self::Deaths, Self::Full];
        let named = all.into_iter().find(|mode| mode.name() == word);
        named.unwrap_or_default()
    }
}

impl fmt::Display for RunMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl Serialize for RunMode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

impl<'de> Deserialize<'de> for RunMode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Ok(Self::from(word.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::RunMode;

    #[test]
    fn words_are_modes() {
        for word in ["", "count", "trace", "deaths", "full"] {
            assert_eq!(RunMode::from(word).name(), word);
        }
        assert_eq!(RunMode::from("dance"), RunMode::Unknown);
        assert!(RunMode::Deaths.has_events() && !RunMode::Count.has_events());
    }
}
