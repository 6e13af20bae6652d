//! Memory of buffers that were read, for the contents of blocks to come: what one buffer gave, the block of the next takes, without the allocator
//! and without zeros that are written over.

/// How many are kept. Their lengths differ, so one of some fits.
const MOST: usize = 4;

/// Contents below this length are not worth it.
const LEAST: usize = 4 << 10;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct SpareMemory(Vec<Vec<u8>>);

impl SpareMemory {
    /// Room for this many bytes; what is in it means nothing.
    pub(super) fn take(&mut self, length: usize) -> Vec<u8> {
        if length < LEAST {
            return Vec::with_capacity(length);
        }
        // Bytes after those that are there would be written with zeros.
        let find =
            |fits: fn(&Vec<u8>) -> usize| self.0.iter().position(|spare| fits(spare) >= length);
        match find(Vec::len).or_else(|| find(Vec::capacity)) {
            Some(index) => self.0.swap_remove(index),
            None => Vec::with_capacity(length),
        }
    }

    /// Keeps the memory of bytes that are no longer needed.
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
        assert_eq!(spare.take(2 * LEAST).len(), 3 * LEAST);
        assert_eq!(spare.take(2 * LEAST).len(), 2 * LEAST);
        assert!(spare.take(2 * LEAST).is_empty());
        assert!(spare.take(1).is_empty());
        assert_eq!(spare.0.len(), MOST - 2);
    }
}
