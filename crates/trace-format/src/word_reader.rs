//! The words of a piece, one after the other.

use crate::event_word::is_site;
use crate::{FormatError, SiteId};

/// Iterates over the words of a piece.
#[derive(Clone, Debug)]
pub(crate) struct Words<'a> {
    pub(crate) words: core::slice::Iter<'a, [u8; 4]>,
    total: usize,
}

impl<'a> Words<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        let (words, _) = bytes.as_chunks::<4>();
        Self {
            words: words.iter(),
            total: words.len(),
        }
    }

    #[inline]
    pub(crate) fn next_word(&mut self) -> Option<u32> {
        self.words.next().map(|bytes| u32::from_le_bytes(*bytes))
    }

    pub(crate) fn skip(&mut self, count: usize) {
        let rest = self.words.as_slice().get(count..);
        self.words = rest.unwrap_or_default().iter();
    }

    /// The next word, if it is a site's.
    pub(crate) fn next_site_word(&mut self) -> Option<u32> {
        let word = u32::from_le_bytes(*self.words.as_slice().first()?);
        if !is_site(word >> 12) {
            return None;
        }
        self.next_word()
    }

    pub(crate) fn error(&self, reason: &'static str) -> FormatError {
        FormatError::Field {
            at: (self.total - self.words.len()) * 4,
            reason,
        }
    }

    pub(crate) fn payload(&mut self) -> Result<u32, FormatError> {
        self.next_word()
            .ok_or_else(|| self.error("the words end inside an event"))
    }

    pub(crate) fn step_over(&mut self, count: u32) -> Result<(), FormatError> {
        for _ in 0..count {
            self.payload()?;
        }
        Ok(())
    }

    pub(crate) fn payload_u64(&mut self) -> Result<u64, FormatError> {
        let low = self.payload()?;
        let high = self.payload()?;
        Ok(u64::from(high) << 32 | u64::from(low))
    }

    pub(crate) fn payload_site(&mut self) -> Result<SiteId, FormatError> {
        self.payload().map(SiteId)
    }
}
