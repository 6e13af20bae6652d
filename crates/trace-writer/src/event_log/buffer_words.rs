//! The words of a piece: in memory of the process, or in memory that outlives it until the piece is in an event file. Collections are kept there as well.

use std::fmt::Debug;
use std::ops::Deref;

/// What is not lost with the process until its last block is in an event file. When this is dropped, it may be.
pub trait Durable: Send + Debug {
    /// Its last block is about to be written as this block of this event file.
    fn will_be(&self, file: u32, block: u32);
}

/// Words of a piece that are [`Durable`].
pub trait DurableWords: Durable {
    /// The words, little-endian.
    fn bytes(&self) -> &[u8];
}

/// See the module.
#[derive(Debug)]
pub enum BufferWords {
    /// They go with the process.
    Own(Vec<u8>),
    /// They stay.
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

/// A copy goes with the process.
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
