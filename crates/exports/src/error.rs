//! Why a profile could not be written.

/// An export that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A value has no JSON form.
    #[error("the profile has no JSON form: {0}")]
    Json(#[from] serde_json::Error),
    /// The profile could not be compressed.
    #[error("the profile cannot be compressed: {0}")]
    Compression(#[from] std::io::Error),
}
