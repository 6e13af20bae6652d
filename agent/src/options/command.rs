//! Commands to a run: single words after `-agentpath:library=`, or requests at its socket.

/// A command to a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Report the current run.
    Status,
    /// Write the counts; the answer has the sites if they are wanted.
    Snapshot {
        /// Whether the answer has the sites.
        with_sites: bool,
    },
    /// Write a mark: a name and the time.
    Mark(String),
    /// End the recording and remove the probes.
    Stop,
}

impl Command {
    /// The command for a single word.
    pub(crate) fn of_word(word: &str) -> Option<Self> {
        match word {
            "status" => Some(Self::Status),
            "snapshot" => Some(Self::Snapshot { with_sites: false }),
            "stop" => Some(Self::Stop),
            _ => None,
        }
    }
}
