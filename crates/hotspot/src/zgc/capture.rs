//! One cycle: what its marking left, and, once its relocation is over, where everything is.

use std::collections::HashMap;

use crate::address::Address;
use crate::class_table::ClassTable;
use crate::collection_report::AddressRange;
use crate::object_walk::ObjectSizes;
use crate::survivor::Survivor;
use crate::zgc::address_key::Generation;
use crate::zgc::forwarding_table::{Forwarding, TableFault};
use crate::zgc::layout::{Form, Layout};
use crate::zgc::live_map::{LiveMap, LiveMapFault};
use crate::zgc::object_reader::{ObjectFault, ObjectReader};
use crate::zgc::page_table::Page;

/// Why a cycle is not known.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CycleFault {
    /// The table of pages cannot be read.
    #[error("ZGC's table of pages cannot be read")]
    NoPages,
    /// A page does not show what its marking left.
    #[error("page {page:#x}: {reason}")]
    Page {
        /// Its offset in the heap.
        page: u64,
        /// What is wrong, as text.
        reason: String,
    },
    /// The tables of moves cannot be used.
    #[error("{reason}")]
    Moves {
        /// What is wrong, as text.
        reason: String,
    },
    /// Marked objects and moved objects of a page are not the same.
    #[error("page {page:#x}: {marked} objects were marked, {moved} moved")]
    Differ {
        /// Its offset in the heap.
        page: u64,
        /// Marked objects.
        marked: usize,
        /// Entries of the forwarding table.
        moved: usize,
    },
    /// The driver's clock reads did not show the cycle in time.
    #[error("{what}")]
    Missed {
        /// What was missed.
        what: &'static str,
    },
    /// More live objects than the agent may remember.
    #[error("the heap has more objects than the agent may remember (option `memory`)")]
    OverBound,
}

/// The live objects of a cycle.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) generation: Generation,
    pub(crate) seqnum: u32,
    pages: Vec<JudgedPage>,
    survivors: Vec<Survivor>,
}

/// A page whose objects the cycle judges.
#[derive(Debug)]
struct JudgedPage {
    start: u64,
    top: u64,
    /// Its survivors: first and number.
    first: usize,
    count: usize,
}

/// A cycle that is over.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Where each object was judged, ascending.
    pub(crate) collected: Vec<AddressRange>,
    /// By ascending old address.
    pub(crate) survivors: Vec<Survivor>,
}

impl Capture {
    /// Reads what marking left. Call on the driver of the generation, between Mark End and its next phase.
    pub(crate) fn read(
        layout: &Layout,
        generation: Generation,
        seqnum: u32,
        (classes, sizes): (&mut ClassTable, &ObjectSizes),
        most_objects: usize,
    ) -> Result<Self, CycleFault> {
        let is_old = generation == Generation::Old;
        let is_judged = |page: &Page| {
            (layout.form == Form::Single || page.is_old() == is_old) && page.seqnum < seqnum
        };
        let pages = layout.pages(is_judged).ok_or(CycleFault::NoPages)?;
        let counted = pages.iter().map(|page| {
            let count = LiveMap::counted(page, layout.page.live_map, seqnum);
            count as usize
        });
        let counted = counted.sum::<usize>();
        if counted > most_objects {
            return Err(CycleFault::OverBound);
        }
        let mut capture = Self {
            generation,
            seqnum,
            pages: Vec::with_capacity(pages.len()),
            survivors: Vec::with_capacity(counted),
        };
        let mut reader = ObjectReader {
            layout,
            classes,
            sizes,
            generation,
        };
        for page in pages {
            let at = layout.page.live_map;
            let live = LiveMap::read(&page, at, seqnum);
            let live = live.map_err(|fault: LiveMapFault| of_page(&page, fault))?;
            let first = capture.survivors.len();
            let read = reader.read(&live, &mut capture.survivors);
            read.map_err(|fault: ObjectFault| of_page(&page, fault))?;
            capture.pages.push(JudgedPage {
                start: page.start,
                top: page.top,
                first,
                count: live.objects.len(),
            });
        }
        Ok(capture)
    }

    /// The cycle as it is if nothing was relocated (yet).
    pub(crate) fn unmoved(self, layout: &Layout) -> Outcome {
        Outcome {
            collected: self.collected(layout),
            survivors: self.survivors,
        }
    }

    /// The cycle after its relocation: `tables` by the offsets of their pages.
    pub(crate) fn moved(
        mut self,
        layout: &Layout,
        mut tables: HashMap<u64, Forwarding>,
    ) -> Result<Outcome, CycleFault> {
        for page in &self.pages {
            let all = self.survivors.get_mut(page.first..page.first + page.count);
            let survivors = all.unwrap_or_default();
            match tables.remove(&page.start) {
                Some(forwarding) => relocate(page, survivors, &forwarding, layout)?,
                None if survivors.is_empty() => {}
                None => stay(page, survivors, layout)?,
            }
        }
        if !tables.is_empty() {
            return Err(moves_fault(&TableFault::Disagree));
        }
        Ok(self.unmoved(layout))
    }

    fn collected(&self, layout: &Layout) -> Vec<AddressRange> {
        let key = |offset| self.generation.key(layout.address(offset));
        let pages = self.pages.iter().filter(|page| page.start < page.top);
        pages
            .map(|page| {
                let start = key(page.start);
                AddressRange {
                    start,
                    // The top may be the end of the heap, which has no address of its own.
                    end: start.plus((page.top - page.start) as usize),
                }
            })
            .collect()
    }
}

/// What is wrong with the moves, as a fault of the cycle.
pub(crate) fn moves_fault(fault: &TableFault) -> CycleFault {
    CycleFault::Moves {
        reason: fault.to_string(),
    }
}

fn of_page(page: &Page, reason: impl ToString) -> CycleFault {
    CycleFault::Page {
        page: page.start,
        reason: reason.to_string(),
    }
}

/// Gives the survivors of a page their new addresses; each must have an entry, and each entry must be of a survivor.
fn relocate(
    page: &JudgedPage,
    survivors: &mut [Survivor],
    forwarding: &Forwarding,
    layout: &Layout,
) -> Result<(), CycleFault> {
    let to = generation_of(forwarding.to_age, layout);
    let differ = CycleFault::Differ {
        page: page.start,
        marked: survivors.len(),
        moved: forwarding.moves.len(),
    };
    if survivors.len() != forwarding.moves.len() {
        return Err(differ);
    }
    for (survivor, (from, new)) in survivors.iter_mut().zip(&forwarding.moves) {
        if survivor.from.0 & !super::OLD_GENERATION != layout.address(*from) {
            return Err(differ);
        }
        survivor.to = to.key(layout.address(*new));
    }
    Ok(())
}

/// The survivors of a page that was not relocated; it may have become one of the old generation.
fn stay(page: &JudgedPage, survivors: &mut [Survivor], layout: &Layout) -> Result<(), CycleFault> {
    if layout.form == Form::Single {
        return Ok(());
    }
    let slot = (page.start >> layout.pages.granule_shift) as usize;
    let now = layout.page(slot).ok_or_else(|| CycleFault::Page {
        page: page.start,
        reason: "it has live objects, and is gone without a forwarding table".to_owned(),
    })?;
    let to = generation_of(now.age, layout);
    for survivor in survivors {
        let address: Address = survivor.from;
        survivor.to = to.key(address.0 & !super::OLD_GENERATION);
    }
    Ok(())
}

fn generation_of(age: u8, layout: &Layout) -> Generation {
    match layout.form {
        Form::Generational if age == super::page_table::OLD_AGE => Generation::Old,
        _ => Generation::Young,
    }
}
