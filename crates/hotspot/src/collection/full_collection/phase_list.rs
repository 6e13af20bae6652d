//! Determines which phases of a full collection are over, from the list that the VM keeps of them.
//!
//! Serial, Parallel and G1 record the begin and end of each phase of a full
//! collection in a `GCTimer` (`src/hotspot/share/gc/shared/gcTimer.hpp`):
//!
//! ```text
//! GCTimer (found on the stack)   ... _phases -> array { i32 length, i32 room, -> entries }
//!                                    _active_phases { i32 index[6] of open phases, i32 number of open phases }
//! entry   { -> name, i32 level, start, end, i32 type }      start and end: 8 or 16 bytes each, so 40 or 56 in all
//! ```
//!
//! No table gives the address of the timer. While a phase is open, the VM thread's stack holds a record of it: the address of the phase's
//! title, and near it the address of the timer (`GCTraceTimeTimer` in gcTraceTime.hpp). The stack also holds leftovers of earlier calls, so
//! a title alone proves nothing. The object is taken for the timer only if everything fits: the array, a first entry named `GC Pause`,
//! names inside libjvm, open phases among the entries. After that only the list is read, not the stack.
//!
//! The VM reads the clock right *before* it records the begin or end of a phase. Example for Serial, where `look` is such a moment:
//!
//! ```text
//! mark .. look, "Phase 1" ends . look, "Phase 2" begins .. forward, adjust .. look, "Phase 3" ends . look, "Phase 4" begins .. move
//!                                ^ Marked                                                           ^ Prepared
//! ```

use crate::address::Address;
use crate::error::Error;
use crate::process::careful_read::{read_bytes, read_value};
use crate::vm::libjvm::Libjvm;

/// Titles of phases that are open throughout marking.
const MARKING: [&str; 2] = ["Phase 1: Mark live objects", "Marking Phase"];
/// Titles of phases that adjust references: after them every new address is known.
const ADJUSTING: [&str; 3] = [
    "Phase 3: Adjust pointers",
    "Adjust Pointers",
    "Adjust Roots",
];
/// Titles of phases that move objects.
const MOVING: [&str; 3] = [
    "Phase 4: Move objects",
    "Phase 4: Compact heap",
    "Compaction Phase",
];
/// The name of the first entry.
const PAUSE: &str = "GC Pause";
/// Upper bound on the phases of a collection.
const MOST_PHASES: usize = 4096;
/// Nesting depth of phases (`PhasesStack::PHASE_LEVELS`).
const LEVELS: usize = 6;
/// Bytes of the stack that are searched.
const STACK_BYTES: usize = 1 << 16;
/// Words after the title that may hold the address of the timer.
const WORDS_NEXT_TO_TITLE: usize = 3;
/// Bytes of the timer that are searched for `_phases`, which a vtable and two times precede.
const TIMER_BYTES: usize = 96;

/// Progress of a full collection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Stage {
    /// Marking has not ended.
    Marking,
    /// Marking has ended; the next phase has not begun.
    Marked,
    /// New addresses are being computed.
    Preparing,
    /// References have been adjusted: every new address is known, and moving has not begun.
    Prepared,
    /// Moving has begun.
    Moving,
    /// Moving has ended.
    Moved,
}

/// Finds and reads the list.
#[derive(Debug)]
pub(crate) struct PhaseList {
    libjvm: Libjvm,
    /// Addresses of the titles of marking phases.
    titles: Vec<Address>,
    timer: Option<Timer>,
    entries: Vec<u8>,
}

/// Location of the current collection's list.
#[derive(Debug, Clone, Copy)]
struct Timer {
    /// Address of `_phases`, which is followed by the open phases.
    place: Address,
    /// Size of an entry in bytes; known once there are two entries.
    entry_bytes: Option<usize>,
}

/// The current list.
#[derive(Debug, Clone, Copy)]
struct Snapshot {
    length: usize,
    data: Address,
    open: [usize; LEVELS],
    open_count: usize,
}

impl PhaseList {
    /// Finds the titles among libjvm's constants.
    pub(crate) fn load(libjvm: &Libjvm) -> Result<Self, Error> {
        let mut titles = Vec::new();
        for title in MARKING {
            titles.extend(constants(libjvm, title));
        }
        if titles.is_empty() {
            return Err(Error::Ambiguous {
                what: "the titles of the phases of a full collection",
            });
        }
        Ok(Self {
            libjvm: libjvm.clone(),
            titles,
            timer: None,
            entries: Vec::new(),
        })
    }

    /// Forgets the list, because each collection has its own.
    pub(crate) fn forget(&mut self) {
        self.timer = None;
    }

    /// The current stage; `None` while no valid list is known.
    pub(crate) fn stage(&mut self) -> Option<Stage> {
        if self.timer.is_none() {
            self.timer = self.find_timer();
        }
        let timer = self.timer?;
        let snapshot = self.snapshot(timer.place)?;
        let entry_bytes = match timer.entry_bytes {
            Some(bytes) => bytes,
            None => self.entry_bytes(&snapshot)?,
        };
        self.timer = Some(Timer {
            entry_bytes: Some(entry_bytes),
            ..timer
        });
        self.stage_of(&snapshot, entry_bytes)
    }

    /// Derives the stage from the list.
    fn stage_of(&mut self, snapshot: &Snapshot, entry_bytes: usize) -> Option<Stage> {
        self.entries.resize(snapshot.length * entry_bytes, 0);
        read_bytes(snapshot.data, &mut self.entries).ok()?;
        let open = snapshot.open.get(..snapshot.open_count)?;
        let mut marking = None;
        let mut stage = None;
        for (index, entry) in self.entries.chunks_exact(entry_bytes).enumerate() {
            let (name, level) = (entry_name(entry)?, entry_level(entry)?);
            let is_open = open.contains(&index);
            if marking.is_none() {
                if self.titles.contains(&name) {
                    marking = Some(level);
                    stage = Some(if is_open {
                        Stage::Marking
                    } else {
                        Stage::Marked
                    });
                }
            } else if marking == Some(level) {
                let text = self.libjvm.read_text(name, 64)?;
                stage = stage.max(Some(later_stage(&text, is_open)));
            }
        }
        stage
    }

    /// Searches the stack from here upwards for the record of a marking phase.
    fn find_timer(&self) -> Option<Timer> {
        let (start, end) = this_stack()?;
        let words = (end.above(start) / 8).min(STACK_BYTES / 8);
        for index in 0..words {
            let place = start.plus(index * 8);
            // SAFETY: the address lies between a local variable of this call and the end of this thread's stack.
            let word: Address = unsafe { place.read() };
            if !self.titles.contains(&word) {
                continue;
            }
            for next in 1..=WORDS_NEXT_TO_TITLE.min(words - index - 1) {
                // SAFETY: `next` stays within the words left up to the end of this thread's stack.
                let timer: Address = unsafe { place.plus(next * 8).read() };
                if let Some(place) = self.phases_in(timer) {
                    return Some(Timer {
                        place,
                        entry_bytes: None,
                    });
                }
            }
        }
        None
    }

    /// The address of `_phases` in a candidate for the timer.
    fn phases_in(&self, timer: Address) -> Option<Address> {
        if timer.is_null() || !timer.is_aligned(8) {
            return None;
        }
        let mut places = (0..TIMER_BYTES / 8).map(|word| timer.plus(word * 8));
        places.find(|&place| {
            self.snapshot(place)
                .is_some_and(|snapshot| self.is_of_this_pause(&snapshot))
        })
    }

    /// Whether marking is among the entries and still open.
    fn is_of_this_pause(&self, snapshot: &Snapshot) -> bool {
        let Some(bytes) = self.entry_bytes(snapshot) else {
            return false;
        };
        let open = snapshot.open.iter().take(snapshot.open_count);
        let mut names = open.filter_map(|index| {
            read_value::<Address>(snapshot.data.plus(index.wrapping_mul(bytes))).ok()
        });
        names.any(|name| self.titles.contains(&name))
    }

    /// Reads the list that `_phases` at `place` points to, if it looks like the list of a pause.
    fn snapshot(&self, place: Address) -> Option<Snapshot> {
        let array: Address = read_value(place).ok()?;
        if array.is_null() || !array.is_aligned(8) {
            return None;
        }
        let length = small(read_value(array).ok()?)?;
        let room = small(read_value(array.plus(4)).ok()?)?;
        let data: Address = read_value(array.plus(8)).ok()?;
        if length == 0 || length > room || data.is_null() || !data.is_aligned(8) {
            return None;
        }
        let name: Address = read_value(data).ok()?;
        if !self.libjvm.contains(name, PAUSE.len() + 1) || self.libjvm.read_text(name, 64)? != PAUSE
        {
            return None;
        }
        let stack = place.plus(8);
        let open_count = small(read_value(stack.plus(LEVELS * 4)).ok()?)?;
        let mut open = [0; LEVELS];
        for (level, index) in open.iter_mut().enumerate().take(open_count) {
            *index = small(read_value(stack.plus(level * 4)).ok()?)?;
        }
        let plausible = open_count <= LEVELS
            && open.iter().take(open_count).all(|&index| index < length)
            && open.iter().take(open_count).is_sorted();
        plausible.then_some(Snapshot {
            length,
            data,
            open,
            open_count,
        })
    }

    /// The size of an entry: the one with which every entry has a name in libjvm and a level. A single entry does not reveal it.
    fn entry_bytes(&self, snapshot: &Snapshot) -> Option<usize> {
        if snapshot.length < 2 {
            return None;
        }
        [40, 56].into_iter().find(|&bytes| {
            (1..snapshot.length).all(|index| {
                let entry = snapshot.data.plus(index * bytes);
                let name = read_value::<Address>(entry);
                let level = read_value::<i32>(entry.plus(8));
                name.is_ok_and(|name| self.libjvm.contains(name, 2))
                    && level.is_ok_and(|level| (1..LEVELS as i32).contains(&level))
            })
        })
    }
}

/// The stage that a phase after marking indicates.
fn later_stage(title: &str, is_open: bool) -> Stage {
    let moving = MOVING.contains(&title);
    match (moving, is_open) {
        (true, true) => Stage::Moving,
        (true, false) => Stage::Moved,
        (false, false) if ADJUSTING.contains(&title) => Stage::Prepared,
        (false, _) => Stage::Preparing,
    }
}

fn entry_name(entry: &[u8]) -> Option<Address> {
    let bytes = entry.first_chunk::<8>()?;
    Some(Address(usize::from_ne_bytes(*bytes)))
}

fn entry_level(entry: &[u8]) -> Option<i32> {
    let bytes = entry.get(8..)?.first_chunk::<4>()?;
    Some(i32::from_ne_bytes(*bytes))
}

/// A length or index of the list, if plausible.
fn small(value: i32) -> Option<usize> {
    usize::try_from(value)
        .ok()
        .filter(|&value| value <= MOST_PHASES)
}

/// All addresses of a text among libjvm's constants.
fn constants(libjvm: &Libjvm, text: &str) -> Vec<Address> {
    let mut wanted = text.as_bytes().to_vec();
    wanted.push(0);
    let mut found = Vec::new();
    for segment in libjvm.segments().iter().filter(|segment| !segment.writable) {
        let mut start = segment.start;
        let end = segment.start.plus(segment.length);
        while end.above(start) >= wanted.len() {
            // SAFETY: the search stays inside a readable segment of libjvm, which remains loaded.
            let place = unsafe {
                libc::memmem(
                    start.pointer(),
                    end.above(start),
                    wanted.as_ptr().cast(),
                    wanted.len(),
                )
            };
            if place.is_null() {
                break;
            }
            let place = Address(place.expose_provenance());
            found.push(place);
            start = place.plus(1);
        }
    }
    found
}

/// From this call's frame to the end of this thread's stack.
fn this_stack() -> Option<(Address, Address)> {
    let mark = 0_u64;
    let here = Address((&raw const mark).expose_provenance());
    // SAFETY: `pthread_attr_t` is plain data; the call below fills it.
    let mut attributes: libc::pthread_attr_t = unsafe { std::mem::zeroed() };
    // SAFETY: the calling thread exists, and the attributes are ours.
    if unsafe { libc::pthread_getattr_np(libc::pthread_self(), &raw mut attributes) } != 0 {
        return None;
    }
    let mut start = std::ptr::null_mut();
    let mut bytes = 0;
    // SAFETY: the call above returned 0, so it has filled the attributes.
    let outcome = unsafe {
        libc::pthread_attr_getstack(&raw const attributes, &raw mut start, &raw mut bytes)
    };
    // SAFETY: the attributes were filled by `pthread_getattr_np` and are not used after this.
    unsafe { libc::pthread_attr_destroy(&raw mut attributes) };
    let end = Address(start.expose_provenance()).plus(bytes);
    (outcome == 0 && here < end).then_some((here.plus(8 - here.0 % 8), end))
}

#[cfg(test)]
mod tests;
