//! Lets one thread walk several stretches of a heap in turns.
//!
//! Each step from one object to the next depends on memory: class bits, class line, size. A core that walks a single stretch spends most of
//! its time waiting for those loads. So each thread keeps four stretches open and takes one object of each in turn: while one lane waits
//! for memory, the others proceed.
//!
//! ```text
//! lane 0   | obj | obj      | obj |            fast path: a dead object whose class has a line; add its size, no branch taken
//! lane 1   | obj    | obj  | obj   |           slow path: a survivor, a class without a line, the end of the stretch
//! lane 2   | obj | obj | obj       |           a finished stretch is replaced by the next one
//! lane 3   | obj        | obj | obj |
//! ```
//!
//! Each round takes one object in each lane, so the number of rounds is the number of objects. The slow path uses the [`EvacuationWalk`],
//! which makes every check.

use std::sync::Mutex;

use crate::address::Address;
use crate::collection::evacuation::evacuation_walk::{EvacuationWalk, OldCopy, survivor};
use crate::collection::evacuation::stretch::{Stretch, WalkedStretch};
use crate::collection::report::MovesFault;
use crate::collection::survivor::Survivor;
use crate::heap::class_lines::ClassLines;
use crate::heap::object_header::ClassBits;
use crate::heap::object_walk::WalkFault;
use crate::process::walk_pool::WalkPool;

/// Open stretches per thread. More do not help: registers and the core's out-of-order window are full.
const LANES: usize = 4;
/// Prefetch distance in bytes. It crosses page ends, where the hardware prefetcher stops.
const AHEAD: usize = 512;
/// Prefetch distance for new places, in survivors.
pub(crate) const SURVIVORS_AHEAD: usize = 12;
/// Upper bound on the size of a header, in bytes.
const HEADER: usize = 24;
/// The step after an object that cannot be parsed: past the end of any stretch.
const OUT: usize = 1 << 60;

/// A source of stretches that also receives the results.
pub(crate) trait Stretches {
    /// The next stretch to walk.
    fn next(&mut self, walk: &mut EvacuationWalk<'_>) -> Option<Stretch>;
    /// Receives the result of one stretch.
    fn passed(&mut self, passed: WalkedStretch);
}

/// Counts dead and surviving objects by class.
pub(crate) trait CountClasses {
    /// Whether the walk also keeps the survivors.
    const KEEPS_SURVIVORS: bool;
    /// Counts one object: `row` of the class table, size in bytes.
    fn count(&mut self, row: u32, object: usize, bytes: usize);
}

/// Counts nothing.
#[derive(Debug)]
pub(crate) struct NotCounted;

impl CountClasses for NotCounted {
    const KEEPS_SURVIVORS: bool = true;

    #[inline(always)]
    fn count(&mut self, _: u32, _: usize, _: usize) {}
}

/// Walks stretches on this thread and on the pool threads that join. Each
/// thread has its own walk, source and counts; returns the sources and counts.
///
/// # Safety
/// As for [`Lanes::run`].
pub(crate) unsafe fn walk_in_lanes<'a, S, C>(
    pool: &WalkPool,
    new_walk: &(impl Fn() -> EvacuationWalk<'a> + Sync),
    new_work: impl Fn() -> (S, C) + Sync,
) -> Result<Vec<(S, C)>, MovesFault>
where
    S: Stretches + Send,
    C: CountClasses + Send,
{
    let all = Mutex::new(Vec::with_capacity(pool.threads()));
    let whole = pool.run(&|| {
        let mut walk = new_walk();
        let (source, counts) = new_work();
        // SAFETY: the caller upholds the same contract.
        let done = unsafe { Lanes::new(&mut walk, source, counts).run() };
        all.lock()
            .unwrap_or_else(|lock| lock.into_inner())
            .push(done);
    });
    let all = all.into_inner().unwrap_or_else(|lock| lock.into_inner());
    whole.then_some(all).ok_or(MovesFault::Interrupted)
}

/// One open stretch.
#[derive(Debug, Default)]
struct Lane {
    stretch: Stretch,
    /// The next object to look at.
    at: usize,
    /// From here on the checked walk takes over, because a header read could cross the top.
    quick_end: usize,
    /// Objects walked, less the rounds since the stretch was opened.
    walked: u64,
    survivors: Vec<Survivor>,
    fault: Option<MovesFault>,
    /// The object whose new place was prefetched in the previous round.
    asked: usize,
}

/// The walk of one thread.
struct Lanes<'w, 'a, S, C> {
    walk: &'w mut EvacuationWalk<'a>,
    lines: ClassLines,
    source: S,
    counts: C,
    open: Vec<Lane>,
    /// Rounds of this pass.
    round: u64,
    class_is_in_mark: bool,
}

impl<'w, 'a, S: Stretches, C: CountClasses> Lanes<'w, 'a, S, C> {
    fn new(walk: &'w mut EvacuationWalk<'a>, source: S, counts: C) -> Self {
        Self {
            lines: ClassLines::new(walk.sizes().alignment()),
            class_is_in_mark: walk.sizes().header().class_is_in_mark(),
            walk,
            source,
            counts,
            open: Vec::with_capacity(LANES),
            round: 0,
        }
    }

    /// Walks every stretch of the source, then returns the source and the counts.
    ///
    /// # Safety
    /// The world must be stopped. The memory of every stretch up to its `top`, and the room of the walk, must be readable.
    unsafe fn run(mut self) -> (S, C) {
        while self.open.len() < LANES
            // SAFETY: the caller upholds the same contract.
            && let Some(lane) = unsafe { self.next_lane() }
        {
            self.open.push(lane);
        }
        while !self.open.is_empty() {
            // SAFETY: the caller upholds the same contract.
            let ended = unsafe { self.pass_by_header() };
            self.open.swap_remove(ended);
        }
        (self.source, self.counts)
    }

    /// Opens the next stretch. A stretch too short for the fast path is walked at once.
    unsafe fn next_lane(&mut self) -> Option<Lane> {
        loop {
            let lane = Lane::new(self.source.next(self.walk)?);
            if lane.at < lane.quick_end {
                return Some(lane);
            }
            // SAFETY: the caller upholds the same contract.
            unsafe { self.close(lane) };
        }
    }

    /// Closes a lane that has reached `next`, after the object at `object`, and opens another in its place. Returns the new start and end
    /// of the fast path.
    #[cold]
    #[inline(never)]
    unsafe fn replace(
        &mut self,
        number: usize,
        object: usize,
        next: usize,
    ) -> Option<(usize, usize)> {
        let rounds = self.round + 1;
        let mut lane = std::mem::take(&mut self.open[number]);
        lane.walked = lane.walked.wrapping_add(rounds);
        lane.at = next;
        if next > lane.stretch.top.0 && lane.fault.is_none() {
            lane.fault = Some(MovesFault::Unparsed {
                space: lane.stretch.space,
                fault: WalkFault::BadSize {
                    object: Address(object),
                    bytes: next - object,
                },
            });
        }
        // SAFETY: the caller upholds the same contract.
        let opened = unsafe {
            self.close(lane);
            self.next_lane()
        }?;
        let way = (opened.at, opened.quick_end);
        self.open[number] = Lane {
            walked: rounds.wrapping_neg(),
            ..opened
        };
        Some(way)
    }

    /// Walks the rest of a stretch with all checks, and passes the result to the source.
    unsafe fn close(&mut self, mut lane: Lane) {
        // SAFETY: the caller upholds the same contract.
        unsafe {
            while lane.fault.is_none() && lane.at < lane.stretch.stop.0 {
                lane.walked += 1;
                match lane.take(self.walk, &mut self.counts, Address(lane.at)) {
                    Ok(object) => lane.at += object.bytes,
                    Err(fault) => lane.fault = Some(fault),
                }
            }
            if let Err(fault) = confirm(self.walk, &lane.survivors) {
                lane.fault = Some(fault);
            }
        }
        self.source.passed(WalkedStretch {
            stretch: lane.stretch,
            end: Address(lane.at),
            walked: lane.walked,
            survivors: lane.survivors,
            fault: lane.fault,
        });
    }

    /// Walks until a lane has ended and the source has no further stretch. Returns the number of that lane.
    unsafe fn pass_by_header(&mut self) -> usize {
        // SAFETY: the caller upholds the same contract.
        unsafe {
            match self.walk.sizes().header().class_bits() {
                ClassBits::HalfWord => self.pass_by_lanes(&HalfWord),
                ClassBits::UpperMark(shift) => self.pass_by_lanes(&UpperMark(shift)),
                ClassBits::Word => self.pass_by_lanes(&Word),
            }
        }
    }

    unsafe fn pass_by_lanes<H: Header>(&mut self, header: &H) -> usize {
        // SAFETY: the caller upholds the same contract.
        unsafe {
            match self.open.len() {
                LANES => self.pass::<LANES, H>(header),
                3 => self.pass::<3, H>(header),
                2 => self.pass::<2, H>(header),
                _ => self.pass::<1, H>(header),
            }
        }
    }

    /// The fast path, with `N` open lanes.
    #[inline(never)]
    unsafe fn pass<const N: usize, H: Header>(&mut self, header: &H) -> usize {
        let mut at: [usize; N] = std::array::from_fn(|lane| self.open[lane].at);
        let mut end: [usize; N] = std::array::from_fn(|lane| self.open[lane].quick_end);
        let stays = self.walk.sizes().header().stays_bits();
        self.round = 0;
        let ended = 'rounds: loop {
            for lane in 0..N {
                let object = at[lane];
                prefetch(object.wrapping_add(AHEAD));
                // SAFETY: the header lies below the top of a space that the caller vouches for.
                let (mark, bits, length) = unsafe { header.read(object) };
                let line = self.lines.line(bits);
                let lives = (((mark & 3) + 1) & 4) | (mark & stays);
                let bytes = if lives == 0 && line.is_for(bits) {
                    let bytes = self.lines.bytes(line, length);
                    self.counts.count(line.class().0, object, bytes);
                    bytes
                } else {
                    // SAFETY: the caller upholds the same contract.
                    unsafe { self.rare(lane, Address(object), bits, lives != 0) }
                };
                at[lane] = object + bytes;
                if at[lane] >= end[lane] {
                    // SAFETY: the caller upholds the same contract.
                    match unsafe { self.replace(lane, object, at[lane]) } {
                        Some(lane_after) => (at[lane], end[lane]) = lane_after,
                        None => break 'rounds lane,
                    }
                }
            }
            self.round += 1;
        };
        for (number, lane) in self.open.iter_mut().enumerate() {
            let in_this_round = u64::from(number < ended);
            lane.walked = lane.walked.wrapping_add(self.round + in_this_round);
            lane.at = at[number];
        }
        ended
    }

    /// Takes an object off the fast path. Returns its size, or 0 to visit it again in the next round.
    #[cold]
    #[inline(never)]
    unsafe fn rare(&mut self, number: usize, at: Address, bits: u64, lives: bool) -> usize {
        let lane = &mut self.open[number];
        if lives && self.class_is_in_mark && lane.asked != at.0 {
            // Its class is only at its new place: prefetch that, and let the other lanes proceed meanwhile.
            lane.asked = at.0;
            lane.walked = lane.walked.wrapping_sub(1);
            // SAFETY: the caller vouches for the object.
            if let Some(target) = unsafe { self.walk.target(at) } {
                prefetch(target.0);
            }
            return 0;
        }
        // SAFETY: the caller upholds the same contract.
        match unsafe { lane.take(self.walk, &mut self.counts, at) } {
            Ok(object) => {
                if object.to.is_none() {
                    self.lines.enter(bits, object.class);
                }
                object.bytes
            }
            Err(fault) => {
                lane.fault = Some(fault);
                OUT
            }
        }
    }
}

impl Lane {
    fn new(stretch: Stretch) -> Self {
        let quick_end = stretch.stop.0.min(stretch.top.0.saturating_sub(HEADER));
        Self {
            stretch,
            at: stretch.start.0,
            quick_end,
            ..Self::default()
        }
    }

    /// Takes the object at `at`, with every check except the one at its new place.
    unsafe fn take<C: CountClasses>(
        &mut self,
        walk: &mut EvacuationWalk<'_>,
        counts: &mut C,
        at: Address,
    ) -> Result<OldCopy, MovesFault> {
        let space = self.stretch.space;
        // SAFETY: the caller upholds the same contract.
        let object = unsafe { walk.old_copy(at, self.stretch.top) }
            .map_err(|fault| MovesFault::Unparsed { space, fault })?;
        counts.count(object.class.id.0, at.0, object.bytes);
        if let Some(to) = object.to
            && C::KEEPS_SURVIVORS
        {
            self.survivors.push(survivor(at, to, object)?);
        }
        Ok(object)
    }
}

/// Checks that all survivors are at their new places. These are scattered, so they are prefetched.
unsafe fn confirm(walk: &mut EvacuationWalk<'_>, survivors: &[Survivor]) -> Result<(), MovesFault> {
    for (number, survivor) in survivors.iter().enumerate() {
        if let Some(later) = survivors.get(number + SURVIVORS_AHEAD) {
            prefetch(later.to.0);
        }
        // SAFETY: the caller upholds the same contract.
        unsafe { walk.confirm(*survivor) }?;
    }
    Ok(())
}

/// A layout of headers: mark word, class bits, and the word where an array has its length.
trait Header {
    /// # Safety
    /// 24 bytes at `object`, a multiple of 8, must be readable.
    unsafe fn read(&self, object: usize) -> (u64, u64, u32);
}

struct HalfWord;
struct UpperMark(u32);
struct Word;

impl Header for HalfWord {
    #[inline(always)]
    unsafe fn read(&self, object: usize) -> (u64, u64, u32) {
        // SAFETY: the caller upholds the same contract.
        let (mark, second) = unsafe { (word(object), word(object + 8)) };
        (mark, second & 0xFFFF_FFFF, (second >> 32) as u32)
    }
}

impl Header for UpperMark {
    #[inline(always)]
    unsafe fn read(&self, object: usize) -> (u64, u64, u32) {
        // SAFETY: the caller upholds the same contract.
        let (mark, second) = unsafe { (word(object), word(object + 8)) };
        (mark, mark >> self.0, second as u32)
    }
}

impl Header for Word {
    #[inline(always)]
    unsafe fn read(&self, object: usize) -> (u64, u64, u32) {
        // SAFETY: the caller upholds the same contract.
        unsafe { (word(object), word(object + 8), word(object + 16) as u32) }
    }
}

/// Reads a word at a multiple of 8.
#[inline(always)]
unsafe fn word(address: usize) -> u64 {
    // SAFETY: the caller vouches for the memory; the address is aligned.
    unsafe { std::ptr::read_volatile(Address(address).pointer::<u64>()) }
}

/// Prefetches memory. Never faults, whatever the address.
#[inline(always)]
pub(crate) fn prefetch(address: usize) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a hint; the address is not accessed.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(Address(address).pointer());
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a hint; the address is not accessed.
    unsafe {
        std::arch::asm!("prfm pldl1keep, [{}]", in(reg) address, options(nostack, preserves_flags, readonly));
    }
}
