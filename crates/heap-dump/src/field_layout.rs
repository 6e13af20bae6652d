//! Where HotSpot puts the fields of an instance (JDK 15 and later): the fields of each class after those of its
//! superclass, the largest first; a field goes into the smallest gap that is large enough, else to the end.

/// The fields of a class and its superclasses.
#[derive(Clone, Debug)]
pub(crate) struct FieldLayout {
    /// Start and end of each gap.
    gaps: Vec<(u64, u64)>,
    end: u64,
}

impl FieldLayout {
    pub(crate) fn new(header: u64) -> Self {
        Self {
            gaps: Vec::new(),
            end: header,
        }
    }

    /// Adds the fields that one class declares, by their sizes.
    pub(crate) fn add(&mut self, sizes: impl Iterator<Item = u64>) {
        let mut sizes: Vec<u64> = sizes.collect();
        sizes.sort_by_key(|size| core::cmp::Reverse(*size));
        sizes.into_iter().for_each(|size| self.place(size));
    }

    fn place(&mut self, size: u64) {
        let fits = |(start, end): &(u64, u64)| start.next_multiple_of(size) + size <= *end;
        let gaps = self.gaps.iter().enumerate().filter(|(_, gap)| fits(gap));
        let smallest = gaps.min_by_key(|(_, (start, end))| end - start);
        let (start, end) = match smallest.map(|(at, _)| at) {
            Some(at) => self.gaps.swap_remove(at),
            None => (self.end, u64::MAX),
        };
        let at = start.next_multiple_of(size);
        self.keep_gap(start, at);
        match end {
            u64::MAX => self.end = at + size,
            end => self.keep_gap(at + size, end),
        }
    }

    fn keep_gap(&mut self, start: u64, end: u64) {
        if start < end {
            self.gaps.push((start, end));
        }
    }

    /// The end of the last field.
    pub(crate) fn end(&self) -> u64 {
        self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(header: u64, classes: &[&[u64]]) -> u64 {
        let mut layout = FieldLayout::new(header);
        for sizes in classes {
            layout.add(sizes.iter().copied());
        }
        layout.end()
    }

    /// As printed by JOL 0.17 on JDK 17.
    #[test]
    fn gaps_are_filled() {
        assert_eq!(end(12, &[&[8]]), 24, "Long");
        assert_eq!(end(12, &[&[4, 4, 1, 1]]), 22, "String");
        assert_eq!(
            end(12, &[&[8, 8, 4, 4, 4]]),
            40,
            "a long before the header's gap"
        );
        assert_eq!(
            end(12, &[&[1], &[8, 1]]),
            24,
            "a byte in the superclass's gap"
        );
        assert_eq!(end(8, &[&[8]]), 16, "Long with compact headers");
    }
}
