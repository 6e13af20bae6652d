//! Several stretches of a heap walked by one thread in turns.
//!
//! From one object to the next the way leads through memory: class bits, line of the class, size. A core that walks one stretch waits most of the time. So a thread
//! has four stretches open and takes one object of each in turn: while one waits, the others get on.
//!
//! ```text
//! lane 0   | obj | obj      | obj |            the quick way: a dead object whose class has a line: add its size, no branch taken
//! lane 1   | obj    | obj  | obj   |           all else is rare: lived on, class without a line, end of the stretch
//! lane 2   | obj | obj | obj       |           a stretch that has ended is replaced by the next one
//! lane 3   | obj        | obj | obj |
//! ```
//!
//! Every round takes one object in each lane, so the number of rounds is the number of objects. What is rare is left to the [`EvacuationWalk`], which checks all
//! there is to check.

use std::sync::Mutex;

use crate::address::Address;
use crate::class_lines::ClassLines;
use crate::collection_report::MovesFault;
use crate::evacuation_walk::{EvacuationWalk, OldCopy, survivor};
use crate::object_header::ClassBits;
use crate::object_walk::WalkFault;
use crate::stretch::{Stretch, WalkedStretch};
use crate::survivor::Survivor;
use crate::walk_pool::WalkPool;

/// Stretches that a thread has open. More do not help: registers and the core's window are full.
const LANES: usize = 4;
/// So far ahead memory is asked for, in bytes: also over the end of a page, where the core does not do it by itself.
const AHEAD: usize = 512;
/// How many survivors ahead new places are prefetched.
pub(crate) const SURVIVORS_AHEAD: usize = 12;
/// No header reaches beyond this.
const HEADER: usize = 24;
/// The step after an object that cannot be passed: beyond every end.
const OUT: usize = 1 << 60;

/// Where stretches come from, and where the outcome goes.
pub(crate) trait Stretches {
    /// The next stretch to walk.
    fn next(&mut self, walk: &mut EvacuationWalk<'_>) -> Option<Stretch>;
    /// One is done.
    fn passed(&mut self, passed: WalkedStretch);
}

/// Where the dead and the living are counted by class.
pub(crate) trait CountClasses {
    /// Are survivors wanted as well?
    const KEEPS_SURVIVORS: bool;
    /// One more object, of the class in this row and of this size in bytes.
    fn count(&mut self, row: u32, object: usize, bytes: usize);
}

/// No listener.
#[derive(Debug)]
pub(crate) struct NotCounted;

impl CountClasses for NotCounted {
    const KEEPS_SURVIVORS: bool = true;

    #[inline(always)]
    fn count(&mut self, _: u32, _: usize, _: usize) {}
}

/// Walks stretches with as many threads as come to help. Each has a walk, a source of stretches and counts of its own; these are given back.
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
        // SAFETY: passed on.
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
    /// The object that is looked at next.
    at: usize,
    /// From here on the careful walk goes on: headers could reach over the top.
    quick_end: usize,
    /// Objects, less the rounds since then.
    walked: u64,
    survivors: Vec<Survivor>,
    fault: Option<MovesFault>,
    /// An object whose new place was asked for in the round before.
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

    /// Walks every stretch that the source gives; then the source and the counts are given back.
    ///
    /// # Safety
    /// The world is stopped; the memory of every stretch up to its `top` and the room of the walk can be read.
    unsafe fn run(mut self) -> (S, C) {
        while self.open.len() < LANES
            // SAFETY: passed on.
            && let Some(lane) = unsafe { self.next_lane() }
        {
            self.open.push(lane);
        }
        while !self.open.is_empty() {
            // SAFETY: passed on.
            let ended = unsafe { self.pass_by_header() };
            self.open.swap_remove(ended);
        }
        (self.source, self.counts)
    }

    /// Opens the next stretch. One that is too short for the quick way is walked at once.
    unsafe fn next_lane(&mut self) -> Option<Lane> {
        loop {
            let lane = Lane::new(self.source.next(self.walk)?);
            if lane.at < lane.quick_end {
                return Some(lane);
            }
            // SAFETY: passed on.
            unsafe { self.close(lane) };
        }
    }

    /// A lane has got to `next`, after the object at `object`: closes it, opens another one in its place, and says from where to where.
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
        // SAFETY: passed on.
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

    /// Walks what is left of a stretch with care, and gives it back.
    unsafe fn close(&mut self, mut lane: Lane) {
        // SAFETY: passed on.
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

    /// Walks until a lane has ended and there is no other stretch for it; says which.
    unsafe fn pass_by_header(&mut self) -> usize {
        // SAFETY: passed on.
        unsafe {
            match self.walk.sizes().header().class_bits() {
                ClassBits::HalfWord => self.pass_by_lanes(&HalfWord),
                ClassBits::UpperMark(shift) => self.pass_by_lanes(&UpperMark(shift)),
                ClassBits::Word => self.pass_by_lanes(&Word),
            }
        }
    }

    unsafe fn pass_by_lanes<H: Header>(&mut self, header: &H) -> usize {
        // SAFETY: passed on.
        unsafe {
            match self.open.len() {
                LANES => self.pass::<LANES, H>(header),
                3 => self.pass::<3, H>(header),
                2 => self.pass::<2, H>(header),
                _ => self.pass::<1, H>(header),
            }
        }
    }

    /// The quick way, with as many lanes as are open.
    #[inline(never)]
    unsafe fn pass<const N: usize, H: Header>(&mut self, header: &H) -> usize {
        let mut at: [usize; N] = std::array::from_fn(|lane| self.open[lane].at);
        let mut end: [usize; N] = std::array::from_fn(|lane| self.open[lane].quick_end);
        let stays = self.walk.sizes().header().stays_bits();
        self.round = 0;
        let ended = 'rounds: loop {
            for lane in 0..N {
                let object = at[lane];
                ask_for(object.wrapping_add(AHEAD));
                // SAFETY: the header lies below the top of a space that the caller vouches for.
                let (mark, bits, length) = unsafe { header.read(object) };
                let line = self.lines.line(bits);
                let lives = (((mark & 3) + 1) & 4) | (mark & stays);
                let bytes = if lives == 0 && line.is_for(bits) {
                    let bytes = self.lines.bytes(line, length);
                    self.counts.count(line.class().0, object, bytes);
                    bytes
                } else {
                    // SAFETY: passed on.
                    unsafe { self.rare(lane, Address(object), bits, lives != 0) }
                };
                at[lane] = object + bytes;
                if at[lane] >= end[lane] {
                    // SAFETY: passed on.
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

    /// An object that is not passed the quick way: its size, 0 to come here again in the next round.
    #[cold]
    #[inline(never)]
    unsafe fn rare(&mut self, number: usize, at: Address, bits: u64, lives: bool) -> usize {
        let lane = &mut self.open[number];
        if lives && self.class_is_in_mark && lane.asked != at.0 {
            // Its class is at its new place only: ask for that, and go on with the other lanes meanwhile.
            lane.asked = at.0;
            lane.walked = lane.walked.wrapping_sub(1);
            // SAFETY: the caller vouches for the object.
            if let Some(target) = unsafe { self.walk.target(at) } {
                ask_for(target.0);
            }
            return 0;
        }
        // SAFETY: passed on.
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

    /// Takes the object at `at` with all checks but the one at its new place.
    unsafe fn take<C: CountClasses>(
        &mut self,
        walk: &mut EvacuationWalk<'_>,
        counts: &mut C,
        at: Address,
    ) -> Result<OldCopy, MovesFault> {
        let space = self.stretch.space;
        // SAFETY: passed on.
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

/// Are all survivors at their new places? These are far from each other, and asked for ahead.
unsafe fn confirm(walk: &mut EvacuationWalk<'_>, survivors: &[Survivor]) -> Result<(), MovesFault> {
    for (number, survivor) in survivors.iter().enumerate() {
        if let Some(later) = survivors.get(number + SURVIVORS_AHEAD) {
            ask_for(later.to.0);
        }
        // SAFETY: passed on.
        unsafe { walk.confirm(*survivor) }?;
    }
    Ok(())
}

/// A layout of headers: mark word, class bits and what stands at the place of an array's length.
trait Header {
    /// # Safety
    /// 24 bytes at `object`, a multiple of 8, can be read.
    unsafe fn read(&self, object: usize) -> (u64, u64, u32);
}

struct HalfWord;
struct UpperMark(u32);
struct Word;

impl Header for HalfWord {
    #[inline(always)]
    unsafe fn read(&self, object: usize) -> (u64, u64, u32) {
        // SAFETY: passed on.
        let (mark, second) = unsafe { (word(object), word(object + 8)) };
        (mark, second & 0xFFFF_FFFF, (second >> 32) as u32)
    }
}

impl Header for UpperMark {
    #[inline(always)]
    unsafe fn read(&self, object: usize) -> (u64, u64, u32) {
        // SAFETY: passed on.
        let (mark, second) = unsafe { (word(object), word(object + 8)) };
        (mark, mark >> self.0, second as u32)
    }
}

impl Header for Word {
    #[inline(always)]
    unsafe fn read(&self, object: usize) -> (u64, u64, u32) {
        // SAFETY: passed on.
        unsafe { (word(object), word(object + 8), word(object + 16) as u32) }
    }
}

/// Reads a word at a multiple of 8.
#[inline(always)]
unsafe fn word(address: usize) -> u64 {
    // SAFETY: the caller vouches for the memory; the address is aligned.
    unsafe { std::ptr::read_volatile(Address(address).pointer::<u64>()) }
}

/// Lets the core fetch memory that is wanted soon. Never a fault, wherever it is.
#[inline(always)]
pub(crate) fn ask_for(address: usize) {
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
