//! Why a method cannot be explained.

/// The reason.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are neither a class file nor a jar.
    #[error("{name}: neither a class file nor a jar")]
    NotClassOrJar {
        /// The name of the input.
        name: String,
    },
    /// The jar cannot be read.
    #[error("{name}: {source}")]
    Jar {
        /// The name of the input.
        name: String,
        /// The message of the zip reader.
        source: zip::result::ZipError,
    },
    /// An entry of the jar is larger than any class file.
    #[error("{name}: entry {entry} has {size} bytes, more than a class file can have")]
    EntryTooLarge {
        /// The name of the input.
        name: String,
        /// The name of the entry.
        entry: String,
        /// Its size.
        size: u64,
    },
    /// A class file breaks a rule.
    #[error("class {class}: {source}")]
    ClassFile {
        /// Name of the class or of the input.
        class: String,
        /// The broken rule.
        source: ducktrack_classfile::Error,
    },
    /// A method's bytecode breaks a rule.
    #[error("method {method}: {source}")]
    Code {
        /// The method.
        method: String,
        /// The broken rule.
        source: ducktrack_flow_graph::Error,
    },
    /// The method uses `jsr` and `ret`, whose control flow is not a graph of blocks.
    #[error("method {method} has subroutines (jsr, ret): such methods get one counter per site")]
    Subroutines {
        /// The method.
        method: String,
    },
    /// No method has the requested name.
    #[error("no method with code is named {wanted}")]
    NoSuchMethod {
        /// The requested name.
        wanted: String,
    },
    /// Only one method can be drawn at a time.
    #[error("{} methods fit; choose one of: {}", candidates.len(), candidates.join(", "))]
    Ambiguous {
        /// Matching methods; at most a few dozen.
        candidates: Vec<String>,
    },
    /// An edge count is not of the form `FROM:TO=COUNT`.
    #[error("{text}: an edge count is FROM:TO=COUNT, with bytecode indices, `entry` or `exit`")]
    BadEdgeCount {
        /// The text that was given.
        text: String,
    },
    /// An edge count names an edge that the method does not have.
    #[error("method {method} has no edge from {from} to {to}")]
    NoSuchEdge {
        /// The method.
        method: String,
        /// Start of the edge.
        from: String,
        /// End of the edge.
        to: String,
    },
}
