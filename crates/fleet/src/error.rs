//! Why facts could not be written.

/// An error, in one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// A name that cannot stand in a path.
    #[error("{what} `{name}`: give letters, digits, `.`, `_` and `-` only, at most 100")]
    Name {
        /// The file or address.
        what: &'static str,
        /// As it was given.
        name: String,
    },
    /// A label without a value.
    #[error("label `{0}`: give NAME=VALUE, neither with `;`")]
    Label(String),
    /// Nothing can be written there.
    #[error("{place}: {reason}")]
    Store {
        /// Where.
        place: String,
        /// In its words.
        reason: String,
    },
}
