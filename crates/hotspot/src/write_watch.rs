//! Which pages of the heap were written since a moment, as the system's memory management knows it.
//!
//! A collector writes into an evacuated region only where an object lived on: its new address goes into the mark word. So a region of which no page was
//! written during the pause holds dead objects only, and need not be read.
//!
//! ```text
//! GarbageCollectionStart    protect: every page of the ranges counts as not written (60 ns a page, 2 where it is protected already)
//! (the collection)          the first write to a page is noted by the system; no thread stops (0.5 us)
//! GarbageCollectionFinish   written pages are asked for (1 ns a page)
//! (the program runs)        a thread takes the protection away (100 ns a page); a write that comes before it costs what it does in the collection;
//!                           after the program, where memory has been filled again, it protects once more, so that the next pause has less to do
//! ```
//!
//! (The times are of one core of a virtual machine; another one protected in 8 ns and took away in 60.)
//!
//! What is protected ahead of the pause and written after that is protected a second time at its start: whether a page counts as written depends on the pause alone.
//! So no memory may be protected once a pause has begun: see [`Turn`].
//!
//! Linux from 6.7 on: write protection of `userfaultfd` in its asynchronous form, which the kernel resolves by itself, and `PAGEMAP_SCAN`
//! (`Documentation/admin-guide/mm/pagemap.rst`). Where it is not there, or the process may not use it, [`WriteWatch::new`] says so, and everything is read. The kernel's
//! structures consist of 64-bit words:
//!
//! ```text
//! userfaultfd   API            version, features, (out) operations
//!               REGISTER       start, length, mode, (out) operations
//!               WRITEPROTECT   start, length, mode: 1 protect, 0 take it away
//! pagemap       PAGEMAP_SCAN   its own size, flags, start, end, (out) end of the scan, address and number of answers, most pages, three masks of
//!                              categories to be asked for (inverted, all, any) and one of those to be told; an answer: start, end, categories
//! ```

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::address::Address;
use crate::allocation_frontier::AllocationFrontier;
use crate::collection_report::{AddressRange, MemoryRange};
use crate::error::{Error, last_errno};
use crate::own_thread::{block_signals, give_way};
use crate::reservation::page_size;
use crate::walk_pool::WalkPool;

const API: libc::Ioctl = 0xC018_AA3F_u32 as libc::Ioctl;
const REGISTER: libc::Ioctl = 0xC020_AA00_u32 as libc::Ioctl;
const WRITE_PROTECT: libc::Ioctl = 0xC018_AA06_u32 as libc::Ioctl;
const PAGEMAP_SCAN: libc::Ioctl = 0xC060_6610_u32 as libc::Ioctl;

const API_VERSION: u64 = 0xAA;
/// Pages that were never touched can be protected; a write takes the protection away and goes on.
const FEATURES: u64 = 1 << 13 | 1 << 15;
const USER_MODE_ONLY: libc::c_int = 1;
const MODE_WRITE_PROTECT: u64 = 2;
/// Flags of a scan: protect what matches; refuse memory that is not watched.
const PROTECT_MATCHING: u64 = 1;
const REFUSE_UNWATCHED: u64 = 2;
const IS_WRITTEN: u64 = 2;

/// Stretches of written pages asked for at once.
const ANSWERS: usize = 512;
/// So much a thread protects at a time.
const PIECE: usize = 32 << 20;
/// So much gets or loses its protection in one step: short enough for a pause that begins meanwhile.
const STEP: usize = 4 << 20;
/// Distance after the program's frontier at which memory is protected: its threads still write to what is nearer.
const LAG: usize = 32 << 20;

/// Watches the ranges that it is told, from pause to pause.
#[derive(Debug)]
pub(crate) struct WriteWatch {
    faults: Arc<OwnedFd>,
    pages: Arc<PageFlags>,
    /// What is protected; ascending.
    ranges: Vec<AddressRange>,
    /// What may have been protected ahead of a pause.
    ahead: Vec<AddressRange>,
    turn: Arc<Turn>,
    frontier: Arc<AllocationFrontier>,
    over: Sender<PauseEnd>,
}

/// Pauses and the times between them, counted. What the thread does belongs to the current one, or it stops.
#[derive(Debug, Default)]
struct Turn(Mutex<u64>);

impl Turn {
    /// The next one; what was done in the one before is finished by then.
    fn next(&self) -> u64 {
        let mut turn = self.lock();
        *turn += 1;
        *turn
    }

    fn is(&self, turn: u64) -> bool {
        *self.lock() == turn
    }

    /// Runs something to its end before the next turn can begin. `None`: it is another thread's turn.
    fn in_turn<T>(&self, turn: u64, action: impl FnOnce() -> T) -> Option<T> {
        let current = self.lock();
        (*current == turn).then(action)
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        // A number is never half written.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A pause is over.
struct PauseEnd {
    turn: u64,
    /// What loses its protection.
    done: Vec<AddressRange>,
    /// What gets it, when the program has filled it.
    next: Vec<AddressRange>,
}

/// Ranges, cut, in the order in which G1 gives out free regions: from the end of the heap on.
fn steps(ranges: &[AddressRange]) -> impl Iterator<Item = AddressRange> {
    let ranges = ranges.iter().rev();
    ranges.flat_map(|range| range.parts(STEP).rev())
}

impl WriteWatch {
    /// Asks the system for it.
    pub(crate) fn new() -> Result<Self, Error> {
        // SAFETY: makes a file descriptor, or fails.
        let descriptor = unsafe {
            libc::syscall(
                libc::SYS_userfaultfd,
                libc::O_CLOEXEC | libc::O_NONBLOCK | USER_MODE_ONLY,
            )
        };
        let descriptor = i32::try_from(descriptor).unwrap_or(-1);
        if descriptor < 0 {
            return Err(refused());
        }
        // SAFETY: the descriptor is open and this value owns it.
        let faults = Arc::new(unsafe { OwnedFd::from_raw_fd(descriptor) });
        let mut api = [API_VERSION, FEATURES, 0];
        // SAFETY: the structure of this operation; it reaches no memory but the structure.
        unsafe { control(&*faults, API, &mut api) }?;
        let pagemap = File::open("/proc/self/pagemap").map_err(|_| refused())?;
        let pages = Arc::new(PageFlags { pagemap });
        let turn = Arc::new(Turn::default());
        let frontier = Arc::new(AllocationFrontier::new());
        let (over, done) = channel();
        let between = BetweenPauses {
            faults: Arc::clone(&faults),
            pages: Arc::clone(&pages),
            turn: Arc::clone(&turn),
            frontier: Arc::clone(&frontier),
        };
        thread::Builder::new()
            .name("ducktrack-watch".to_owned())
            .stack_size(256 << 10)
            .spawn(move || between.work(&done))
            .map_err(|_| refused())?;
        Ok(Self {
            faults,
            pages,
            ranges: Vec::new(),
            ahead: Vec::new(),
            turn,
            frontier,
            over,
        })
    }

    /// Where allocating threads report how far they have come.
    pub(crate) fn frontier(&self) -> &Arc<AllocationFrontier> {
        &self.frontier
    }

    /// From now on no page of these ranges, which are ascending memory of the heap, counts as written. The threads of the pool help.
    pub(crate) fn begin(&mut self, ranges: &[AddressRange], pool: &WalkPool) -> Result<(), Error> {
        self.ranges.clear();
        self.turn.next();
        self.ranges.extend(ranges.iter().map(whole_pages));
        let (Some(first), Some(last)) = (self.ranges.first(), self.ranges.last()) else {
            return Ok(());
        };
        register(&self.faults, first.start, last.end)?;
        let pieces = self.ranges.iter().flat_map(|range| range.parts(PIECE));
        let pieces: Vec<AddressRange> = pieces.collect();
        let protect = |piece: &AddressRange| self.pages.protect(*piece);
        let outcomes = pool.map(&pieces, || protect).ok_or_else(refused)?;
        outcomes
            .into_iter()
            .try_for_each(|outcome| outcome.map(drop))
    }

    /// Is anything watched?
    pub(crate) fn is_on(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// What is watched, in whole pages; ascending.
    pub(crate) fn watched(&self) -> &[AddressRange] {
        &self.ranges
    }

    /// The pages that were written since; ascending.
    pub(crate) fn written(&self) -> Result<Vec<AddressRange>, Error> {
        self.written_in(&self.ranges)
    }

    fn written_in(&self, ranges: &[AddressRange]) -> Result<Vec<AddressRange>, Error> {
        let mut written = Vec::new();
        for range in ranges {
            let mut rest = *range;
            while rest.start < rest.end {
                let mut answers = [[0; 3]; ANSWERS];
                let (known, end) = self.pages.scan(rest, 0, &mut answers)?;
                written.extend(
                    answers
                        .iter()
                        .take(known)
                        .map(|[start, end, _]| AddressRange {
                            start: Address(*start as usize),
                            end: Address(*end as usize),
                        }),
                );
                if end <= rest.start {
                    return Err(refused());
                }
                rest.start = end;
            }
        }
        Ok(written)
    }

    /// The pause is over, writes are of no interest any more. The protection goes later, on another thread, which then protects memory of `next`, ascending, after the
    /// program: for the next pause, if that may be watched.
    pub(crate) fn end(&mut self, next: Vec<AddressRange>) {
        let ahead = std::mem::replace(&mut self.ahead, next.clone());
        let mut done = std::mem::take(&mut self.ranges);
        if done.is_empty() {
            // A pause that was not watched.
            done = ahead;
        }
        if done.is_empty() && next.is_empty() {
            return;
        }
        let turn = self.turn.next();
        // First, or the thread could take the frontier of before the pause for that of now.
        self.frontier.begin_anew();
        // Without the thread every page loses its protection when it is written.
        let _ = self.over.send(PauseEnd { turn, done, next });
    }
}

impl Drop for WriteWatch {
    /// The thread leaves the memory alone from now on, which may be another's soon.
    fn drop(&mut self) {
        self.turn.next();
    }
}

/// What the system says of pages.
#[derive(Debug)]
struct PageFlags {
    pagemap: File,
}

impl PageFlags {
    /// From now on no page of a range counts as written.
    fn protect(&self, range: AddressRange) -> Result<(), Error> {
        self.scan(range, PROTECT_MATCHING, &mut []).map(drop)
    }

    /// Looks for written pages: how many stretches of them were told, and up to where.
    fn scan(
        &self,
        range: AddressRange,
        flags: u64,
        answers: &mut [[u64; 3]],
    ) -> Result<(usize, Address), Error> {
        let told = match answers.len() {
            0 => 0,
            _ => answers.as_mut_ptr().expose_provenance() as u64,
        };
        let mut question = [
            size_of::<[u64; 12]>() as u64,
            flags | REFUSE_UNWATCHED,
            range.start.0 as u64,
            range.end.0 as u64,
            0,
            told,
            answers.len() as u64,
            0,
            0,
            IS_WRITTEN,
            0,
            if told == 0 { 0 } else { IS_WRITTEN },
        ];
        // SAFETY: the structure of this operation; the answers are ours, as many as it says.
        let known = unsafe { control(&self.pagemap, PAGEMAP_SCAN, &mut question) }?;
        Ok((known, Address(question[4] as usize)))
    }
}

/// Takes protections away, ahead of the program, and gives them back, after it.
struct BetweenPauses {
    faults: Arc<OwnedFd>,
    pages: Arc<PageFlags>,
    turn: Arc<Turn>,
    frontier: Arc<AllocationFrontier>,
}

impl BetweenPauses {
    /// The life of the thread.
    fn work(&self, over: &Receiver<PauseEnd>) {
        block_signals();
        give_way();
        while let Ok(over) = over.recv() {
            self.take_away(&over);
            self.protect_behind(&over);
        }
    }

    fn take_away(&self, over: &PauseEnd) {
        for step in steps(&over.done) {
            let mut step = [step.start.0 as u64, step.bytes() as u64, 0];
            // SAFETY: the structure of this operation. The memory stays what it is; where the VM has given it back, this fails and does nothing.
            let take = || unsafe { control(&*self.faults, WRITE_PROTECT, &mut step) };
            // In the next pause its pages would count as written.
            if self.turn.in_turn(over.turn, take).is_none() {
                return;
            }
        }
    }

    /// Protects what the program has filled, until the next pause.
    fn protect_behind(&self, over: &PauseEnd) {
        let (Some(first), Some(last)) = (over.next.first(), over.next.last()) else {
            return;
        };
        let register = || register(&self.faults, first.start, last.end);
        if !matches!(self.turn.in_turn(over.turn, register), Some(Ok(()))) {
            return;
        }
        for step in steps(&over.next) {
            let passed = Address(step.start.0.saturating_sub(LAG));
            let is_passed = self.frontier.wait_below(passed, || self.turn.is(over.turn));
            let protect = || self.pages.protect(step);
            // Memory that the VM has given back meanwhile cannot be protected.
            if !is_passed || !matches!(self.turn.in_turn(over.turn, protect), Some(Ok(()))) {
                return;
            }
        }
    }
}

/// All pages of a range.
fn whole_pages(range: &AddressRange) -> AddressRange {
    let page = page_size();
    AddressRange {
        start: Address(range.start.0 & !(page - 1)),
        end: Address(range.end.0.next_multiple_of(page)),
    }
}

/// Memory that is to be watched must be registered. What the VM has taken anew since the last time is not any more; all else stays what it is.
fn register(faults: &OwnedFd, start: Address, end: Address) -> Result<(), Error> {
    let mut range = [
        start.0 as u64,
        end.above(start) as u64,
        MODE_WRITE_PROTECT,
        0,
    ];
    // SAFETY: the structure of this operation; memory that is watched can be used as before.
    unsafe { control(faults, REGISTER, &mut range) }.map(drop)
}

/// Asks the system; its answer is a number.
///
/// # Safety
/// `structure` must be what the operation expects, and what the operation does must be allowed.
unsafe fn control<const N: usize>(
    file: &impl AsRawFd,
    operation: libc::Ioctl,
    structure: &mut [u64; N],
) -> Result<usize, Error> {
    // SAFETY: passed on.
    let answer = unsafe { libc::ioctl(file.as_raw_fd(), operation, structure.as_mut_ptr()) };
    usize::try_from(answer).map_err(|_| refused())
}

fn refused() -> Error {
    Error::NoWriteWatch {
        errno: last_errno(),
    }
}

#[cfg(test)]
mod tests {
    use super::{WalkPool, WriteWatch};
    use crate::collection_report::AddressRange;
    use crate::reservation::{Reservation, page_size};

    /// More than a thread takes at a time.
    const PAGES: usize = 20_000;

    /// The system may be too old, or forbid it.
    fn watched() -> Option<(Reservation, WriteWatch)> {
        let watch = WriteWatch::new().ok()?;
        let memory = Reservation::anywhere(PAGES * page_size()).expect("address space");
        Some((memory, watch))
    }

    fn pages(memory: &Reservation, first: usize, end: usize) -> AddressRange {
        AddressRange {
            start: memory.address().plus(first * page_size()),
            end: memory.address().plus(end * page_size()),
        }
    }

    fn write(memory: &Reservation, page: usize) {
        assert!(page < PAGES);
        // SAFETY: a page of our own memory.
        unsafe { memory.start().add(page * page_size() + 8).write_volatile(1) };
    }

    fn is_written(written: &[AddressRange], memory: &Reservation, page: usize) -> bool {
        let at = memory.address().plus(page * page_size());
        written.iter().any(|range| range.contains(at))
    }

    #[test]
    fn written_pages_are_told_and_no_others() {
        let Some((memory, mut watch)) = watched() else {
            return;
        };
        // Touched or not: a page that was never written is one that is not written.
        (0..PAGES / 2).for_each(|page| write(&memory, page));
        let ranges = [pages(&memory, 0, 3000), pages(&memory, 3500, PAGES)];
        let pool = WalkPool::new();
        for round in 0..20 {
            watch.begin(&ranges, &pool).expect("watched");
            let wanted: Vec<usize> = (0..3000)
                .step_by(2)
                .chain([3500 + round, PAGES - 1])
                .collect();
            wanted.iter().for_each(|page| write(&memory, *page));
            let written = watch.written().expect("told");
            for page in (0..3000).chain(3500..PAGES) {
                let told = is_written(&written, &memory, page);
                assert_eq!(told, wanted.contains(&page), "page {page}, round {round}");
            }
            assert_eq!(watch.watched(), ranges);
            watch.end(ranges.to_vec());
            assert!(!watch.is_on());
        }
    }

    #[test]
    fn what_is_protected_ahead_of_a_pause_counts_as_written_only_in_it() {
        let Some((memory, mut watch)) = watched() else {
            return;
        };
        let all = [pages(&memory, 0, PAGES)];
        let pool = WalkPool::new();
        (0..PAGES).for_each(|page| write(&memory, page));
        for round in 0..3 {
            watch.begin(&all, &pool).expect("watched");
            watch.end(all.to_vec());
            // The program fills all of it: the thread follows, but for what lies near the frontier.
            watch.frontier().note(memory.address());
            let far = PAGES - 1;
            let told = || watch.written_in(&all).expect("told");
            while is_written(&told(), &memory, far) {
                std::thread::yield_now();
            }
            // Written after the thread, or ahead of it: before the pause in any case.
            [far, far - 500, 10]
                .iter()
                .for_each(|page| write(&memory, *page));
            watch.begin(&all, &pool).expect("watched");
            write(&memory, 3000 + round);
            let written = watch.written().expect("told");
            assert_eq!(written, [pages(&memory, 3000 + round, 3001 + round)]);
            watch.end(all.to_vec());
        }
    }

    #[test]
    fn memory_that_was_mapped_anew_is_watched_again() {
        let Some((memory, mut watch)) = watched() else {
            return;
        };
        let all = [pages(&memory, 0, PAGES)];
        let pool = WalkPool::new();
        watch.begin(&all, &pool).expect("watched");
        // SAFETY: our own memory, given back and taken again as a heap that shrinks and grows does it.
        let again = unsafe {
            libc::mmap(
                memory.start().add(100 * page_size()).cast(),
                200 * page_size(),
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED,
                -1,
                0,
            )
        };
        assert_ne!(again, libc::MAP_FAILED);
        assert!(watch.written().is_err(), "nobody knows what was written");
        watch.begin(&all, &pool).expect("watched");
        write(&memory, 150);
        let written = watch.written().expect("told");
        assert_eq!(written, [pages(&memory, 150, 151)]);
    }
}
