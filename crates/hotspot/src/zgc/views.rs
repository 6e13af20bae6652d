//! The addresses at which the program sees the heap's memory, from the system's list
//! of mappings: ZGC reserves all addresses that it will ever use when it starts.

use std::fs::read_to_string;
use std::ops::Range;

use crate::address::Address;
use crate::heap::shadow_views::HeapViews;
use crate::vm::zgc_tables::Form;
use crate::zgc::layout::Layout;

impl Layout {
    /// The views of the heap; `None` if no mapping is where they should be.
    pub(crate) fn views(&self) -> Option<HeapViews> {
        self.views_in(&read_to_string("/proc/self/maps").ok()?)
    }

    fn views_in(&self, maps: &str) -> Option<HeapViews> {
        let first = self.memory(0);
        // Each colour has a bit of its own, above those of the offset.
        let starts: Vec<Address> = match self.form {
            Form::Single => (0..3).map(|bit| Address(first.0 << bit)).collect(),
            Form::Generational => vec![first],
        };
        let mappings: Vec<Range<usize>> = maps.lines().filter_map(mapping).collect();
        let longest = self.offset_mask as usize + 1;
        let length = |start: &Address| {
            let inside = mappings
                .iter()
                .filter(|mapping| mapping.start >= start.0 && mapping.end <= start.plus(longest).0);
            inside.map(|mapping| mapping.end - start.0).max()
        };
        let lengths: Option<Vec<usize>> = starts.iter().map(length).collect();
        let bytes = lengths?.into_iter().max()?;
        Some(HeapViews { starts, bytes })
    }
}

/// The addresses of a line.
fn mapping(line: &str) -> Option<Range<usize>> {
    let (start, end) = line.split_once(' ')?.0.split_once('-')?;
    let number = |text| usize::from_str_radix(text, 16).ok();
    Some(number(start)?..number(end)?)
}
