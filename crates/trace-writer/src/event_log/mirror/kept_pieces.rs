//! Pieces of the current epoch, kept until the collection that ends it.
//!
//! They take about four bytes an event, an eighth of what the events allocated or less. In a large heap that is much; so only the first
//! [`PLAIN_BYTES`] are kept as they are, and the rest is compressed.

use std::borrow::Cow;
use std::sync::Arc;

use ducktrack_trace_format::{Compression, PackedContent};

/// So many bytes are kept as they are.
const PLAIN_BYTES: u64 = 64 << 20;

/// A piece's content.
#[derive(Debug)]
pub(crate) enum KeptPiece {
    Plain(Arc<Vec<u8>>),
    Packed(PackedContent),
}

impl KeptPiece {
    /// The content. What this program compressed it can expand; if it could not, the piece would be empty.
    pub(crate) fn content(&self) -> Cow<'_, [u8]> {
        match self {
            Self::Plain(content) => Cow::Borrowed(content.as_slice()),
            Self::Packed(packed) => packed.unpack().unwrap_or_default(),
        }
    }

    fn memory(&self) -> u64 {
        match self {
            Self::Plain(content) => content.len() as u64,
            Self::Packed(packed) => u64::from(packed.stored_length()),
        }
    }
}

/// All kept pieces.
#[derive(Debug)]
pub(crate) struct KeptPieces {
    pieces: Vec<KeptPiece>,
    memory: u64,
    plain_bytes: u64,
}

impl KeptPieces {
    pub(crate) fn new() -> Self {
        Self::with_plain_bytes(PLAIN_BYTES)
    }

    fn with_plain_bytes(plain_bytes: u64) -> Self {
        Self {
            pieces: Vec::new(),
            memory: 0,
            plain_bytes,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Bytes of memory.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }

    /// Keeps a piece.
    pub(crate) fn keep(&mut self, content: Arc<Vec<u8>>) {
        let packed = (self.memory >= self.plain_bytes)
            .then(|| PackedContent::pack(&content, Compression::Lz4).ok())
            .flatten();
        self.put_back(packed.map_or(KeptPiece::Plain(content), KeptPiece::Packed));
    }

    /// Keeps a piece that was taken.
    pub(crate) fn put_back(&mut self, piece: KeptPiece) {
        self.memory += piece.memory();
        self.pieces.push(piece);
    }

    /// Takes all pieces, in order.
    pub(crate) fn take(&mut self) -> Vec<KeptPiece> {
        self.memory = 0;
        std::mem::take(&mut self.pieces)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_more_than_the_limit_is_compressed_and_comes_back() {
        let contents: Vec<Vec<u8>> = (0..10).map(|number| vec![number; 1_000]).collect();
        let mut kept = KeptPieces::with_plain_bytes(2_500);
        for content in &contents {
            kept.keep(Arc::new(content.clone()));
        }
        assert!((3_000..3_500).contains(&kept.memory()), "{}", kept.memory());
        let taken = kept.take();
        assert!(
            taken
                .iter()
                .map(KeptPiece::content)
                .eq(contents.iter().map(Vec::as_slice))
        );
        assert!(kept.is_empty() && kept.memory() == 0);
    }
}
