//! Errors in the bytes of a trace, or in a record to be encoded.

/// One broken rule, with the values that break it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FormatError {
    /// Fewer bytes than the part needs.
    #[error("{present} bytes where {needed} are needed")]
    TooShort {
        /// Bytes needed.
        needed: usize,
        /// Bytes present.
        present: usize,
    },
    /// The file does not start with the magic of a trace.
    #[error("the file starts with {found:02x?}, which is not a ducktrack trace")]
    Foreign {
        /// The first eight bytes.
        found: [u8; 8],
    },
    /// The file was written in a format this crate does not know.
    #[error(
        "the trace is in format version {found}, this ducktrack reads version {}; read it with the ducktrack that wrote it",
        crate::FORMAT_VERSION
    )]
    Version {
        /// The version in the file.
        found: u16,
    },
    /// A file header that is shorter than any version's.
    #[error("the file header states a length of {found} bytes, less than 16")]
    HeaderLength {
        /// The stated length.
        found: u16,
    },
    /// The bytes differ from those that were written.
    #[error("the checksum is {computed:08x}, the trace states {stated:08x}")]
    Checksum {
        /// The checksum in the trace.
        stated: u32,
        /// The checksum of the bytes.
        computed: u32,
    },
    /// A block does not start with the block mark.
    #[error("no block mark, found {found:02x?}")]
    NoBlock {
        /// The four bytes found instead.
        found: [u8; 4],
    },
    /// A length beyond the limit of the format, or one that contradicts another.
    #[error("impossible length: {stored} bytes stored for {plain} bytes of content")]
    Length {
        /// Stated length in the file.
        stored: u32,
        /// Stated length of the content.
        plain: u32,
    },
    /// The compressed content cannot be expanded, or not to the stated length.
    #[error("the compressed content is broken: {reason}")]
    Compression {
        /// The decompressor's message.
        reason: String,
    },
    /// The block has flags of a newer writer.
    #[error("the block has unknown flags {found:#04x}")]
    UnknownFlags {
        /// The flags.
        found: u8,
    },
    /// A record of a kind that this version does not know.
    #[error("record of unknown kind {tag}")]
    UnknownRecord {
        /// Its tag.
        tag: u32,
    },
    /// A record that does not decode.
    #[error("the record at byte {at} of the block's content does not decode: {reason}")]
    Record {
        /// Offset in the content of the block.
        at: usize,
        /// The error.
        reason: &'static str,
    },
    /// A field of an event block that breaks a rule.
    #[error("at byte {at} of the block's content: {reason}")]
    Field {
        /// Offset in the content of the block (for words: in the words).
        at: usize,
        /// The error.
        reason: &'static str,
    },
    /// A record that is too large for a block.
    #[error(
        "a record of {length} bytes does not fit a block, which holds {}",
        crate::MAX_CONTENT
    )]
    RecordTooLarge {
        /// Its encoded length.
        length: usize,
    },
}
