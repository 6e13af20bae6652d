//! The words of a piece: in the process's own memory, or in memory that outlives the process until the piece is in an event file. The
//! latter memory holds copies of collections too.

use std::fmt::Debug;
use std::ops::Deref;

/// Data in memory that outlives the process. It may be released when this value is dropped, after its last block is
/// in an event file.
pub trait Durable: Send + Debug {
    /// Announces where its last block is about to be written: as which block of which event file.
    fn will_be(&self, file: u32, block: u32);
}

/// The words of a piece in memory that outlives the process.
pub trait DurableWords: Durable {
    /// The words, little-endian.
    fn bytes(&self) -> &[u8];
}

/// The words of a piece.
#[derive(Debug)]
pub enum BufferWords {
    /// Words in the process's own memory.
    Own(Vec<u8>),
    /// Words that outlive the process.
    Durable(Box<dyn DurableWords>),
}

impl Deref for BufferWords {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Own(bytes) => bytes,
            Self::Durable(words) => words.bytes(),
        }
    }
}

impl From<Vec<u8>> for BufferWords {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Own(bytes)
    }
}

/// The clone is in the process's own memory.
impl Clone for BufferWords {
    fn clone(&self) -> Self {
        Self::Own(self.to_vec())
    }
}

impl PartialEq for BufferWords {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for BufferWords {}
