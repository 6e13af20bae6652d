//! Whether uses of objects are stamped, and what is recorded besides.

/// Whether a class's code stamps the objects that it uses, and with what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Stamps {
    /// Not at all.
    #[default]
    None,
    /// With a word that the agent advances at each collection.
    Uses,
    /// With the thread's position in its stream of events; the old targets of overwritten references, too.
    Witness,
    /// The same, and updates of references and calls of these methods are recorded.
    Records(Calls),
}

impl Stamps {
    /// Whether stamps are positions.
    pub(crate) fn are_positions(self) -> bool {
        matches!(self, Self::Witness | Self::Records(_))
    }

    /// Calls of which methods are recorded; `None`: no records.
    pub(crate) fn records(self) -> Option<Calls> {
        match self {
            Self::Records(calls) => Some(calls),
            Self::None | Self::Uses | Self::Witness => None,
        }
    }
}

/// Calls of which methods are recorded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Calls {
    /// Of those that call, allocate or update.
    #[default]
    Auto,
    /// Of all.
    All,
    /// Of none.
    Off,
}
