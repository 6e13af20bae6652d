//! The arrays of one `multianewarray`, in the order in which the VM makes them.
//!
//! The VM makes the outer array, then for each of its elements the array of the next level with everything inside it
//! (depth first). If the top of the thread's buffer moved by exactly the bytes of all arrays, they are adjacent and
//! each has its address; otherwise some went elsewhere, and all are unplaced.

use crate::{ArrayLayout, Place, SiteId};

/// The JVM's limit of dimensions.
const MAX_DIMENSIONS: usize = 255;

/// The levels of one event.
pub(crate) struct Levels {
    levels: [Level; MAX_DIMENSIONS],
    dimensions: usize,
}

#[derive(Clone, Copy)]
struct Level {
    site: SiteId,
    length: u32,
    bytes: Option<u64>,
}

impl Levels {
    pub(crate) fn new() -> Self {
        let none = Level {
            site: SiteId(0),
            length: 0,
            bytes: None,
        };
        Self {
            levels: [none; MAX_DIMENSIONS],
            dimensions: 0,
        }
    }

    pub(crate) fn push(
        &mut self,
        site: SiteId,
        length: u32,
        layout: Option<ArrayLayout>,
    ) -> Option<()> {
        *self.levels.get_mut(self.dimensions)? = Level {
            site,
            length,
            bytes: layout.and_then(|layout| layout.bytes(length)),
        };
        self.dimensions += 1;
        Some(())
    }

    fn levels(&self) -> &[Level] {
        self.levels.get(..self.dimensions).unwrap_or_default()
    }

    /// Number of arrays of all levels.
    pub(crate) fn count(&self) -> Option<u64> {
        let (mut of_level, mut count) = (1_u64, 0_u64);
        for level in self.levels() {
            count = count.checked_add(of_level)?;
            of_level = of_level.checked_mul(u64::from(level.length))?;
        }
        Some(count)
    }

    /// Bytes of all arrays; `None` if the size of a level is unknown.
    pub(crate) fn bytes(&self) -> Option<u64> {
        let (mut of_level, mut bytes) = (1_u64, 0_u64);
        for level in self.levels() {
            bytes = bytes.checked_add(of_level.checked_mul(level.bytes?)?)?;
            of_level = of_level.checked_mul(u64::from(level.length))?;
        }
        Some(bytes)
    }
}

/// Yields site, bytes and place of each array.
pub(crate) fn give_arrays(
    event: &Levels,
    moved: u64,
    top: u64,
    mut give: impl FnMut(SiteId, Option<u64>, Place),
) {
    let mut end = match moved {
        0 => Ends::Fixed(Place::Eliminated),
        _ if event.bytes() == Some(moved) => Ends::Moving(top.wrapping_sub(moved)),
        _ => Ends::Fixed(Place::Unplaced),
    };
    give_level(event.levels(), &mut end, &mut give);
}

/// The end address of the next array.
enum Ends {
    Fixed(Place),
    Moving(u64),
}

/// Yields one level; the recursion is as deep as the array has dimensions.
fn give_level(
    levels: &[Level],
    ends: &mut Ends,
    give: &mut impl FnMut(SiteId, Option<u64>, Place),
) {
    let Some((outer, inner)) = levels.split_first() else {
        return;
    };
    let place = match ends {
        Ends::Fixed(place) => *place,
        Ends::Moving(end) => {
            *end = end.wrapping_add(outer.bytes.unwrap_or_default());
            Place::End(*end)
        }
    };
    give(outer.site, outer.bytes, place);
    if !inner.is_empty() {
        for _ in 0..outer.length {
            give_level(inner, ends, give);
        }
    }
}
