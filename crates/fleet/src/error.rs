//! Why facts could not be written.

/// An error, in one line.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetError {
    /// A table has no Parquet form.
    #[error("the table cannot be written as Parquet: {0}")]
    Parquet(#[from] parquet::errors::ParquetError),
    /// A file could not be written.
    #[error("cannot write {path}: {error}")]
    File {
        /// Which.
        path: String,
        /// Why.
        error: std::io::Error,
    },
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
    /// A root of another kind than this build can write.
    #[error("{0}: this ducktrack writes to folders only; it was built without the feature `reach`")]
    NoCloud(String),
    /// The store refuses.
    #[error("{place}: {reason}")]
    Store {
        /// Where.
        place: String,
        /// In its words.
        reason: String,
    },
}
