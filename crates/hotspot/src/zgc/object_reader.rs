//! Classes and sizes of marked objects, from their headers.
//!
//! Between the end of marking and the start of relocation no marked object of the generation moves, and its memory stays. So headers are read in place, after the system has
//! said that the page can be read. The sum of all sizes must be the page's own count of live bytes.

use crate::address::Address;
use crate::careful_read::read_value;
use crate::class_table::ClassTable;
use crate::lanes::prefetch;
use crate::object_walk::ObjectSizes;
use crate::survivor::Survivor;
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

/// Reads objects.
pub(crate) struct ObjectReader<'a> {
    pub(crate) layout: &'a Layout,
    pub(crate) classes: &'a mut ClassTable,
    pub(crate) sizes: &'a ObjectSizes,
    pub(crate) generation: Generation,
}

impl ObjectReader<'_> {
    /// Adds the marked objects of a page, each as one that stays, by ascending address.
    pub(crate) fn read(
        &mut self,
        live: &LiveMap,
        survivors: &mut Vec<Survivor>,
    ) -> Result<(), ObjectFault> {
        let ends = live.objects.first().into_iter().chain(live.objects.last());
        for offset in ends {
            let place = self.layout.memory(*offset);
            read_value::<u64>(place).map_err(|_| ObjectFault::Unreadable)?;
        }
        let mut sum = 0;
        for (index, offset) in live.objects.iter().enumerate() {
            if let Some(later) = live.objects.get(index + AHEAD) {
                prefetch(self.layout.memory(*later).0);
            }
            let bytes = self.object(*offset, survivors)? as u64;
            sum += bytes.next_multiple_of(live.alignment.max(1));
        }
        match sum == live.bytes {
            true => Ok(()),
            false => Err(ObjectFault::Bytes {
                found: sum,
                counted: live.bytes,
            }),
        }
    }

    fn object(&mut self, offset: u64, survivors: &mut Vec<Survivor>) -> Result<usize, ObjectFault> {
        let place = self.layout.memory(offset);
        // SAFETY: a marked object of a page whose first and last objects can be read; the collector frees no page of this generation while its driver runs this.
        let klass = unsafe { self.sizes.header().klass_of(place) };
        let class = self
            .classes
            .learn(klass)
            .map_err(|_| ObjectFault::UnknownClass { klass })?;
        // SAFETY: as above, and the class is the one in its header.
        let bytes = unsafe { self.sizes.bytes_of(place, self.classes.rule(class)) }.unwrap_or(0);
        let address = self.generation.key(self.layout.address(offset));
        let survivor = match bytes {
            8.. => Survivor::new(address, address, bytes, class),
            _ => None,
        };
        survivors.push(survivor.ok_or(ObjectFault::BadSize { bytes })?);
        Ok(bytes)
    }
}
