//! Classes and sizes of marked objects, from their headers.
//!
//! They are read where the objects are once relocation is over: no object of the generation moves
//! then, and its memory stays until the end of the next marking, which waits for this. The system says
//! first that the place can be read. The sum of all sizes must be the page's own count of live bytes.

use crate::address::Address;
use crate::classes::class_table::{ClassId, ClassTable};
use crate::collection::evacuation::lanes::prefetch;
use crate::collection::survivor::Survivor;
use crate::heap::object_walk::ObjectSizes;
use crate::process::careful_read::read_value;
use crate::zgc::address_key::Generation;
use crate::zgc::layout::Layout;
use crate::zgc::live_map::LiveMap;

/// So many objects before its turn, the header of an object is asked for: most are in no cache.
const AHEAD: usize = 16;

/// Why the objects of a page are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ObjectFault {
    #[error("its memory cannot be read")]
    Unreadable,
    #[error("the class {klass:?} of an object is not known")]
    UnknownClass { klass: Address },
    #[error("an object of {bytes} bytes cannot be")]
    BadSize { bytes: usize },
    #[error("its live objects have {found} bytes, the page counts {counted}")]
    Bytes { found: u64, counted: u64 },
}

/// Reads objects of a generation.
pub(crate) struct ObjectReader<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) classes: &'a mut ClassTable,
    pub(crate) sizes: &'a ObjectSizes,
    pub(crate) generation: Generation,
}

/// Where the objects of a page are now.
#[derive(Clone, Copy)]
pub(crate) struct Places<'a> {
    /// The old and the new offset of each marked object; `None`: all stayed.
    pub(crate) moves: Option<&'a [(u64, u64)]>,
    /// The generation that they are in now.
    pub(crate) generation: Generation,
}

impl Places<'_> {
    /// The new offset of the marked object with this number, if the page was relocated.
    pub(crate) fn moved(&self, index: usize) -> Option<u64> {
        self.moves?.get(index).map(|(_, to)| *to)
    }

    /// The new offset of the marked object with this number.
    fn of(&self, index: usize, from: u64) -> Option<u64> {
        match self.moves {
            None => Some(from),
            Some(moves) => moves.get(index).map(|(_, to)| *to),
        }
    }
}

impl ObjectReader<'_> {
    /// Adds the marked objects of a page, by ascending old address.
    pub(crate) fn read(
        &mut self,
        live: &LiveMap,
        places: Places<'_>,
        survivors: &mut Vec<Survivor>,
    ) -> Result<(), ObjectFault> {
        let mut sum = 0;
        let mut granule = None;
        for (index, from) in live.objects.iter().enumerate() {
            let later = live.objects.get(index + AHEAD);
            if let Some(later) = later.and_then(|later| places.of(index + AHEAD, *later)) {
                prefetch(self.layout.memory(later).0);
            }
            let to = places.of(index, *from).ok_or(ObjectFault::Unreadable)?;
            let memory = self.layout.memory(to);
            // Memory is mapped by granules.
            let in_granule = to >> self.layout.pages.granule_shift;
            if granule.replace(in_granule) != Some(in_granule) {
                read_value::<u64>(memory).map_err(|_| ObjectFault::Unreadable)?;
            }
            let (class, bytes) = self.class_and_size(memory)?;
            let survivor = Survivor::new(
                self.generation.key(self.layout.address(*from)),
                places.generation.key(self.layout.address(to)),
                bytes,
                class,
            );
            let survivor = survivor.filter(|_| bytes >= 8);
            survivors.push(survivor.ok_or(ObjectFault::BadSize { bytes })?);
            sum += (bytes as u64).next_multiple_of(live.alignment.max(1));
        }
        match sum == live.bytes {
            true => Ok(()),
            false => Err(ObjectFault::Bytes {
                found: sum,
                counted: live.bytes,
            }),
        }
    }

    fn class_and_size(&mut self, place: Address) -> Result<(ClassId, usize), ObjectFault> {
        // SAFETY: an object that was marked, where relocation left it, in a granule that can be read; the
        // collector frees no page of this generation before the next end of marking, whose driver waits for this.
        let klass = unsafe { self.sizes.header().klass_of(place) };
        let class = self
            .classes
            .learn(klass)
            .map_err(|_| ObjectFault::UnknownClass { klass })?;
        // SAFETY: as above, and the class is the one in its header.
        let bytes = unsafe { self.sizes.bytes_of(place, self.classes.rule(class)) };
        Ok((class, bytes.unwrap_or(0)))
    }
}
