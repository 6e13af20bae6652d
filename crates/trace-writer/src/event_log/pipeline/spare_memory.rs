//! Reuses the memory of buffers that were read, and of blocks that were written, for the contents of later blocks. This saves calls of the
//! allocator and zeroing memory that is overwritten anyway.

/// How many buffers are kept: those of two batches. Their lengths differ, so one of several usually fits.
const MOST: usize = 32;

/// Shorter contents are not worth it.
const LEAST: usize = 4 << 10;

/// A few unused buffers.
#[derive(Debug, Default)]
pub(super) struct SpareMemory(Vec<Vec<u8>>);

impl SpareMemory {
    /// A buffer for this many bytes; its contents are arbitrary.
    pub(super) fn take(&mut self, length: usize) -> Vec<u8> {
        if length < LEAST {
            return Vec::with_capacity(length);
        }
        // A buffer that is too short would be extended with zeros.
        let find =
            |fits: fn(&Vec<u8>) -> usize| self.0.iter().rposition(|spare| fits(spare) >= length);
        match find(Vec::len).or_else(|| find(Vec::capacity)) {
            Some(index) => self.0.swap_remove(index),
            None => Vec::with_capacity(length),
        }
    }

    /// Keeps a buffer that is no longer needed.
    pub(super) fn put(&mut self, bytes: Vec<u8>) {
        if self.0.len() == MOST {
            self.0.remove(0);
        }
        self.0.push(bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_enough_is_taken_again() {
        let mut spare = SpareMemory::default();
        for length in [LEAST, 3 * LEAST, 2 * LEAST, LEAST, LEAST] {
            spare.put(vec![1; length]);
        }
        assert_eq!(spare.take(2 * LEAST).len(), 2 * LEAST);
        assert_eq!(spare.take(2 * LEAST).len(), 3 * LEAST);
        assert!(spare.take(2 * LEAST).is_empty());
        assert!(spare.take(1).is_empty());
        assert_eq!(spare.0.len(), 3);
        for _ in 0..MOST {
            spare.put(Vec::new());
        }
        assert_eq!(spare.0.len(), MOST);
    }
}
