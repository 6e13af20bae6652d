//! A generation's cycles: what pauses note of them, and what the driver has read.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use crate::address::Address;
use crate::process::elapsed::nanos_since;
use crate::vm::zgc_tables::Form;
use crate::zgc::address_key::Generation;
use crate::zgc::capture::Capture;
use crate::zgc::cycle_report::{CycleKind, CycleStart};
use crate::zgc::forwarding_table::RelocationSet;
use crate::zgc::generations::{GenerationPlace, MARK, MARK_COMPLETE, RELOCATE};
use crate::zgc::use_reader::CycleClock;

/// No pause has begun.
const NEVER: u64 = u64::MAX;

/// What is known of a generation's cycles. The words of the first group are written in pauses alone.
pub(super) struct GenerationWatch {
    pub(super) generation: Generation,
    phase: Address,
    seqnum: Address,
    /// Phase and number at the start of the pause.
    pub(super) before: AtomicU64,
    /// The latest cycle whose Mark Start was seen.
    pub(super) started: AtomicU32,
    /// A cycle began in this pause.
    pub(super) begins: AtomicBool,
    /// The latest cycle whose objects were read, or that was told.
    pub(super) read: AtomicU32,
    /// The latest cycle that the listener has heard of.
    pub(super) told: AtomicU32,
    /// If uses are recorded.
    pub(super) clock: CycleClock,
    pub(super) reader: Mutex<Reader>,
}

pub(super) struct Reader {
    pub(super) place: GenerationPlace,
    /// The latest cycle whose marking was read, or could not be.
    pub(super) captured: u32,
    /// Its objects, until its relocation is over.
    pub(super) capture: Option<Capture>,
    pub(super) set: Option<RelocationSet>,
    /// How long its driver was held so far, and since when it is now.
    pub(super) held_nanos: u64,
    pub(super) held_since: Option<Instant>,
}

impl Reader {
    pub(super) fn held(&self) -> u64 {
        self.held_nanos + self.held_since.map_or(0, nanos_since)
    }
}

impl GenerationWatch {
    pub(super) fn new(generation: Generation, place: GenerationPlace) -> Self {
        let (phase, seqnum) = (place.phase, place.seqnum);
        let watch = Self {
            generation,
            phase,
            seqnum,
            before: AtomicU64::new(NEVER),
            started: AtomicU32::new(0),
            begins: AtomicBool::new(false),
            read: AtomicU32::new(0),
            told: AtomicU32::new(0),
            clock: CycleClock::default(),
            reader: Mutex::new(Reader {
                place,
                captured: 0,
                capture: None,
                set: None,
                held_nanos: 0,
                held_since: None,
            }),
        };
        let (_, number) = watch.now();
        watch.started.store(number, Ordering::Relaxed);
        watch.read.store(number, Ordering::Relaxed);
        watch.told.store(number, Ordering::Relaxed);
        watch
    }

    /// Phase and number.
    pub(super) fn now(&self) -> (u32, u32) {
        // SAFETY: words of the VM's heap, or of its globals, which live as long as the VM.
        let number = unsafe { self.seqnum.read() };
        // SAFETY: beside the number, in the same structure of the VM.
        (unsafe { self.phase.read() }, number)
    }

    pub(super) fn pause_ends(&self, form: Form) -> Result<Option<CycleStart>, &'static str> {
        let before = self.before.swap(NEVER, Ordering::Relaxed);
        if before == NEVER {
            return Ok(None);
        }
        let (old_phase, old_number) = ((before >> 32) as u32, before as u32);
        let (phase, number) = self.now();
        if (phase, number) == (old_phase, old_number) {
            return Ok(None);
        }
        let kind = self.kind(form);
        let start = CycleStart { kind, number };
        let is_young = self.generation == Generation::Young;
        match (old_phase, phase) {
            (RELOCATE, MARK) if number == old_number.wrapping_add(1) => {
                self.started.store(number, Ordering::Release);
                self.begins.store(true, Ordering::Relaxed);
                Ok(is_young.then_some(start))
            }
            (MARK, MARK_COMPLETE) if number == old_number => {
                let is_known = self.started.load(Ordering::Relaxed) == number;
                Ok((!is_young && is_known).then_some(start))
            }
            (MARK_COMPLETE, RELOCATE) if number == old_number => Ok(None),
            _ => Err("ZGC's phases do not follow each other as they should"),
        }
    }

    pub(super) fn reader(&self) -> MutexGuard<'_, Reader> {
        self.reader.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn kind(&self, form: Form) -> CycleKind {
        match (form, self.generation) {
            (Form::Single, _) => CycleKind::Whole,
            (_, Generation::Young) => CycleKind::Young,
            (_, Generation::Old) => CycleKind::Old,
        }
    }
}
