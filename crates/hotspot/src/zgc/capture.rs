//! One cycle: what its marking left, and, once its relocation is over, where everything is.
//!
//! ```text
//! driver, end of marking         copies headers and live maps of all pages that the cycle judges      Capture
//! driver, end of relocation      copies the forwarding tables                                         Relocated
//! a thread of ours               reads classes and sizes of the survivors, where they are now         Outcome
//! ```

use crate::classes::class_table::ClassTable;
use crate::collection::survivor::Survivor;
use crate::heap::address_range::AddressRange;
use crate::heap::object_walk::ObjectSizes;
use crate::vm::zgc_tables::Form;
use crate::zgc::address_key::Generation;
use crate::zgc::forwarding_table::{Forwarding, RelocationSet, TableCopy, TableFault, by_page};
use crate::zgc::layout::Layout;
use crate::zgc::live_map::{LiveMap, LiveMapFault};
use crate::zgc::object_reader::{ObjectFault, ObjectReader, Places};
use crate::zgc::page_table::Page;
use crate::zgc::use_reader::{CycleUses, StampCopy, Stamps, UseReader};

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
    /// Stamps of uses were not read before their objects moved.
    #[error("uses of objects could not be read before the objects moved")]
    Uses,
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

/// Headers and live maps at the end of a cycle's marking, as they lay in memory.
#[derive(Debug)]
pub(crate) struct Capture {
    pub(crate) generation: Generation,
    pub(crate) seqnum: u32,
    pages: Vec<JudgedPage>,
    /// Live objects, as the pages count them.
    counted: usize,
    /// If uses are recorded.
    pub(crate) uses: Option<StampCopy>,
    /// The cycle of the other generation beside it ([`super::inventory`]).
    pub(crate) beside: Option<u32>,
}

/// A page whose objects the cycle judges.
#[derive(Debug)]
struct JudgedPage {
    page: Page,
    /// The bits of its live map; none if nothing lives.
    marks: Vec<u8>,
}

/// A cycle whose relocation is over.
#[derive(Debug)]
pub(crate) struct Relocated {
    capture: Capture,
    tables: Vec<TableCopy>,
}

/// A cycle that is over.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// Where each object was judged, ascending.
    pub(crate) collected: Vec<AddressRange>,
    /// By ascending old address.
    pub(crate) survivors: Vec<Survivor>,
    /// If uses are recorded.
    pub(crate) uses: Option<CycleUses>,
}

impl Capture {
    /// Copies what marking left. Call on the driver of the generation, between Mark End and its next phase.
    pub(crate) fn read(
        layout: &Layout,
        generation: Generation,
        seqnum: u32,
        most_objects: usize,
    ) -> Result<Self, CycleFault> {
        let is_old = generation == Generation::Old;
        let is_judged = |page: &Page| {
            (layout.form == Form::Single || page.is_old() == is_old) && page.seqnum < seqnum
        };
        let pages = layout.pages(is_judged).ok_or(CycleFault::NoPages)?;
        let at = layout.page.live_map;
        let counts = pages.iter().map(|page| LiveMap::counted(page, at, seqnum));
        let counted = counts.map(|count| count as usize).sum::<usize>();
        if counted > most_objects {
            return Err(CycleFault::OverBound);
        }
        let copied = |page: Page| match LiveMap::copy(&page, at, seqnum) {
            Ok(marks) => Ok(JudgedPage { page, marks }),
            Err(fault) => Err(of_page(&page, fault)),
        };
        Ok(Self {
            generation,
            seqnum,
            pages: pages.into_iter().map(copied).collect::<Result<_, _>>()?,
            counted,
            uses: None,
            beside: None,
        })
    }

    /// Copies the stamps of what is about to move, once. On the driver, after Relocate Start. False: that was too late.
    pub(crate) fn copy_stamps(
        &mut self,
        stamps: &Stamps,
        layout: &Layout,
        set: &RelocationSet,
    ) -> bool {
        let Some(copy) = self.uses.as_mut().filter(|copy| !copy.is_made()) else {
            return true;
        };
        let live = |start: u64| {
            let found = self
                .pages
                .binary_search_by_key(&start, |one| one.page.start);
            let JudgedPage { page, marks } = self.pages.get(found.ok()?)?;
            let live = LiveMap::of(page, layout.page.live_map, self.seqnum, marks);
            Some((page.end, live.ok()?))
        };
        copy.make(stamps, layout, set, live)
    }

    /// Begins to read uses: takes the stamps of pages without live objects
    /// away, which the collector is about to free. False: some may be left.
    pub(crate) fn begin_uses(
        &mut self,
        stamps: &Stamps,
        layout: &Layout,
        copy: Option<StampCopy>,
    ) -> bool {
        self.uses = copy;
        let dead = self.pages.iter().filter(|judged| judged.marks.is_empty());
        stamps.clear(
            layout,
            dead.map(|judged| (judged.page.start, judged.page.end)),
        )
    }

    /// With copies of the tables, now that relocation is over.
    pub(crate) fn relocated(self, tables: Vec<TableCopy>) -> Relocated {
        Relocated {
            capture: self,
            tables,
        }
    }

    fn collected(&self, layout: &Layout) -> Vec<AddressRange> {
        let key = |offset| self.generation.key(layout.address(offset));
        let pages = self.pages.iter().map(|judged| &judged.page);
        let pages = pages.filter(|page| page.start < page.top);
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

impl Relocated {
    /// The cycle of the other generation beside it.
    pub(crate) fn beside(&self) -> Option<u32> {
        self.capture.beside
    }

    /// The cycle's step of the clock, if uses are recorded.
    pub(crate) fn step(&self) -> Option<u64> {
        self.capture.uses.as_ref().map(StampCopy::step)
    }

    /// The result. The generation must not begin to free pages before this is over.
    pub(crate) fn outcome(
        self,
        layout: &Layout,
        (classes, sizes): (&mut ClassTable, &ObjectSizes),
        stamps: Option<&Stamps>,
    ) -> Result<Outcome, CycleFault> {
        let Self {
            mut capture,
            tables,
        } = self;
        let (generation, seqnum) = (capture.generation, capture.seqnum);
        let tables = by_page(&tables, layout, generation == Generation::Old);
        let mut tables = tables.map_err(|fault| moves_fault(&fault))?;
        let mut survivors = Vec::with_capacity(capture.counted);
        let copy = stamps.zip(capture.uses.take());
        let mut uses = copy.map(|(stamps, copy)| UseReader::new(stamps, copy, generation));
        let mut reader = ObjectReader {
            layout,
            classes,
            sizes,
            generation,
        };
        for JudgedPage { page, marks } in &capture.pages {
            let live = LiveMap::of(page, layout.page.live_map, seqnum, marks);
            let live = live.map_err(|fault: LiveMapFault| of_page(page, fault))?;
            let forwarding = tables.remove(&page.start);
            let places = match &forwarding {
                Some(forwarding) => moved(page, &live, forwarding, layout)?,
                None if live.objects.is_empty() => continue,
                None => stayed(page, layout)?,
            };
            let read = reader.read(&live, places, &mut survivors);
            read.map_err(|fault: ObjectFault| of_page(page, fault))?;
            if let Some(uses) = &mut uses
                && !uses.page(layout, page.start, &live, &places)
            {
                return Err(CycleFault::Uses);
            }
        }
        match tables.is_empty() {
            true => Ok(Outcome {
                collected: capture.collected(layout),
                survivors,
                uses: uses.map(|uses| CycleUses {
                    all: layout.form == Form::Single,
                    ..uses.found
                }),
            }),
            false => Err(moves_fault(&TableFault::Disagree)),
        }
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

/// Where the survivors of a page went: each must have an entry, and each entry must be of a survivor.
fn moved<'a>(
    page: &Page,
    live: &LiveMap,
    forwarding: &'a Forwarding,
    layout: &Layout,
) -> Result<Places<'a>, CycleFault> {
    let from = forwarding.moves.iter().map(|(from, _)| from);
    match live.objects.iter().eq(from) {
        true => Ok(Places {
            moves: Some(&forwarding.moves),
            generation: generation_of(forwarding.to_age, layout),
        }),
        false => Err(CycleFault::Differ {
            page: page.start,
            marked: live.objects.len(),
            moved: forwarding.moves.len(),
        }),
    }
}

/// The survivors of a page that was not relocated; it may have become one of the old generation.
fn stayed(page: &Page, layout: &Layout) -> Result<Places<'static>, CycleFault> {
    let generation = match layout.form {
        Form::Single => Generation::Young,
        Form::Generational => {
            let slot = (page.start >> layout.pages.granule_shift) as usize;
            let now = layout.page(slot).ok_or_else(|| CycleFault::Page {
                page: page.start,
                reason: "it has live objects, and is gone without a forwarding table".to_owned(),
            })?;
            generation_of(now.age, layout)
        }
    };
    Ok(Places {
        moves: None,
        generation,
    })
}

fn generation_of(age: u8, layout: &Layout) -> Generation {
    match layout.form {
        Form::Generational if age == super::page_table::OLD_AGE => Generation::Old,
        _ => Generation::Young,
    }
}
