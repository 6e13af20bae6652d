//! Finds the pages of the heap written since a given moment, using the kernel's memory management.
//!
//! A collector writes into an evacuated region only where an object survived: it puts the new address into the mark word. So a region
//! without a page written during the pause holds only dead objects, and need not be read.
//!
//! ```text
//! GarbageCollectionStart    protect the ranges: every page counts as not written (60 ns a page; 2 if already protected)
//! (the collection)          the kernel records the first write to each page; no thread stops (0.5 us)
//! GarbageCollectionFinish   query the written pages (1 ns a page)
//! (the program runs)        a thread removes the protection (100 ns a page); an earlier write to a page costs the same 0.5 us;
//!                           it then protects memory again once the program has filled it, so that the next pause has less to do
//! ```
//!
//! (Times are from one core of a virtual machine; another machine needed 8 ns to protect and 60 ns to remove the protection.)
//!
//! A page protected before the pause and written afterwards is protected again at the start of the pause, so whether a page counts as
//! written depends on the pause alone. Therefore no memory may be protected once a pause has begun: see [`Turn`].
//!
//! Requires Linux 6.7: asynchronous write protection of `userfaultfd`, which the kernel resolves itself, and `PAGEMAP_SCAN`
//! (`Documentation/admin-guide/mm/pagemap.rst`). If these are missing or forbidden, [`WriteWatch::new`] returns an error and everything is
//! read. The kernel's structures consist of 64-bit words:
//!
//! ```text
//! userfaultfd   API            version, features, (out) operations
//!               REGISTER       start, length, mode, (out) operations
//!               WRITEPROTECT   start, length, mode: 1 protect, 0 unprotect
//! pagemap       PAGEMAP_SCAN   its own size, flags, start, end, (out) end of the scan, address and length of the result array, page limit, three
//!                              category masks to match (inverted, all, any), categories to return; a result: start, end, categories
//! ```

use std::fs::File;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::address::Address;
use crate::error::{Error, last_errno};
use crate::heap::address_range::{AddressRange, MemoryRange};
use crate::pause::allocation_frontier::AllocationFrontier;
use crate::process::own_thread::{block_signals, give_way};
use crate::process::page_size::page_size;
use crate::process::walk_pool::WalkPool;

const API: libc::Ioctl = 0xC018_AA3F_u32 as libc::Ioctl;
const REGISTER: libc::Ioctl = 0xC020_AA00_u32 as libc::Ioctl;
const WRITE_PROTECT: libc::Ioctl = 0xC018_AA06_u32 as libc::Ioctl;
const PAGEMAP_SCAN: libc::Ioctl = 0xC060_6610_u32 as libc::Ioctl;

const API_VERSION: u64 = 0xAA;
/// Allows untouched pages to be protected; lets the kernel resolve a write by unprotecting the page.
const FEATURES: u64 = 1 << 13 | 1 << 15;
const USER_MODE_ONLY: libc::c_int = 1;
const MODE_WRITE_PROTECT: u64 = 2;
/// Flags of a scan: protect what matches; refuse memory that is not registered.
const PROTECT_MATCHING: u64 = 1;
const REFUSE_UNWATCHED: u64 = 2;
const IS_WRITTEN: u64 = 2;

/// Ranges of written pages per query.
const ANSWERS: usize = 512;
/// Bytes that one thread protects at a time.
const PIECE: usize = 32 << 20;
/// Bytes protected or unprotected in one step: short enough not to delay a pause that begins meanwhile.
const STEP: usize = 4 << 20;
/// Bytes between the program's allocation frontier and the memory that is protected: closer memory is still being written.
const LAG: usize = 32 << 20;

/// Watches given ranges from pause to pause.
#[derive(Debug)]
pub(crate) struct WriteWatch {
    faults: Arc<OwnedFd>,
    pages: Arc<PageFlags>,
    /// Protected ranges; ascending.
    ranges: Vec<AddressRange>,
    /// Ranges that may have been protected before a pause.
    ahead: Vec<AddressRange>,
    turn: Arc<Turn>,
    frontier: Arc<AllocationFrontier>,
    over: Sender<PauseEnd>,
}

/// Counts pauses and the times between them. The background thread works for one turn and stops when the next one begins.
#[derive(Debug, Default)]
struct Turn(Mutex<u64>);

impl Turn {
    /// Starts the next turn. Work of the previous turn has finished when this returns.
    fn next(&self) -> u64 {
        let mut turn = self.lock();
        *turn += 1;
        *turn
    }

    fn is(&self, turn: u64) -> bool {
        *self.lock() == turn
    }

    /// Runs `action` to its end before the next turn can begin. Returns `None` if `turn` is over.
    fn in_turn<T>(&self, turn: u64, action: impl FnOnce() -> T) -> Option<T> {
        let current = self.lock();
        (*current == turn).then(action)
    }

    fn lock(&self) -> MutexGuard<'_, u64> {
        // A lock that a panic poisoned still holds a valid number.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a pause, as a message to the background thread.
struct PauseEnd {
    turn: u64,
    /// Ranges to unprotect.
    done: Vec<AddressRange>,
    /// Ranges to protect once the program has filled them.
    next: Vec<AddressRange>,
}

/// Cuts ranges into steps, in the order in which G1 hands out free regions: from the end of the heap down.
fn steps(ranges: &[AddressRange]) -> impl Iterator<Item = AddressRange> {
    let ranges = ranges.iter().rev();
    ranges.flat_map(|range| range.parts(STEP).rev())
}

impl WriteWatch {
    /// Opens `userfaultfd` and starts the background thread.
    pub(crate) fn new() -> Result<Self, Error> {
        // SAFETY: the call takes no pointers; it creates a file descriptor or fails.
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
        // SAFETY: `api` is the structure that this operation expects, and the operation touches no other memory.
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

    /// Where allocating threads report their progress.
    pub(crate) fn frontier(&self) -> &Arc<AllocationFrontier> {
        &self.frontier
    }

    /// From now on no page of these ranges counts as written. The ranges
    /// must be ascending memory of the heap. The threads of the pool help.
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

    /// Whether anything is watched.
    pub(crate) fn is_on(&self) -> bool {
        !self.ranges.is_empty()
    }

    /// The watched ranges, in whole pages; ascending.
    pub(crate) fn watched(&self) -> &[AddressRange] {
        &self.ranges
    }

    /// The pages written since; ascending.
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

    /// Ends the watch of a pause. The background thread removes the protection later, and then protects `next`, ascending, as the program
    /// fills it, for the next pause.
    pub(crate) fn end(&mut self, next: Vec<AddressRange>) {
        let ahead = std::mem::replace(&mut self.ahead, next.clone());
        let mut done = std::mem::take(&mut self.ranges);
        if done.is_empty() {
            // This pause was not watched.
            done = ahead;
        }
        if done.is_empty() && next.is_empty() {
            return;
        }
        let turn = self.turn.next();
        // Must come before `send`, or the thread could read the frontier from before the pause.
        self.frontier.begin_anew();
        // If the thread is gone, each page loses its protection on its first write.
        let _ = self.over.send(PauseEnd { turn, done, next });
    }
}

impl Drop for WriteWatch {
    /// Makes the thread leave the memory alone from now on, since it may soon be used for something else.
    fn drop(&mut self) {
        self.turn.next();
    }
}

/// The kernel's page flags.
#[derive(Debug)]
struct PageFlags {
    pagemap: File,
}

impl PageFlags {
    /// From now on no page of a range counts as written.
    fn protect(&self, range: AddressRange) -> Result<(), Error> {
        self.scan(range, PROTECT_MATCHING, &mut []).map(drop)
    }

    /// Looks for written pages. Returns the number of ranges found, and where the scan ended.
    fn scan(
        &self,
        range: AddressRange,
        flags: u64,
        answers: &mut [[u64; 3]],
    ) -> Result<(usize, Address), Error> {
        let results = match answers.len() {
            0 => 0,
            _ => answers.as_mut_ptr().expose_provenance() as u64,
        };
        let mut question = [
            size_of::<[u64; 12]>() as u64,
            flags | REFUSE_UNWATCHED,
            range.start.0 as u64,
            range.end.0 as u64,
            0,
            results,
            answers.len() as u64,
            0,
            0,
            IS_WRITTEN,
            0,
            if results == 0 { 0 } else { IS_WRITTEN },
        ];
        // SAFETY: `question` is the structure that this operation expects, and `answers` is ours and has the length it states.
        let known = unsafe { control(&self.pagemap, PAGEMAP_SCAN, &mut question) }?;
        Ok((known, Address(question[4] as usize)))
    }
}

/// Removes protection before the program writes, and restores it after the program has filled memory.
struct BetweenPauses {
    faults: Arc<OwnedFd>,
    pages: Arc<PageFlags>,
    turn: Arc<Turn>,
    frontier: Arc<AllocationFrontier>,
}

impl BetweenPauses {
    /// The thread's main loop.
    fn work(&self, over: &Receiver<PauseEnd>) {
        block_signals();
        give_way();
        while let Ok(over) = over.recv() {
            self.take_away(&over);
            self.protect_after(&over);
        }
    }

    fn take_away(&self, over: &PauseEnd) {
        for step in steps(&over.done) {
            let mut step = [step.start.0 as u64, step.bytes() as u64, 0];
            // SAFETY: `step` is the structure that this operation expects. Memory contents do not change; if the VM has unmapped the
            // memory, the call fails without effect.
            let take = || unsafe { control(&*self.faults, WRITE_PROTECT, &mut step) };
            // A page unprotected during the next pause would count as written.
            if self.turn.in_turn(over.turn, take).is_none() {
                return;
            }
        }
    }

    /// Protects what the program has filled, until the next pause.
    fn protect_after(&self, over: &PauseEnd) {
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
            // Memory that the VM has unmapped meanwhile cannot be protected.
            if !is_passed || !matches!(self.turn.in_turn(over.turn, protect), Some(Ok(()))) {
                return;
            }
        }
    }
}

/// The range, extended to whole pages.
fn whole_pages(range: &AddressRange) -> AddressRange {
    let page = page_size();
    AddressRange {
        start: Address(range.start.0 & !(page - 1)),
        end: Address(range.end.0.next_multiple_of(page)),
    }
}

/// Registers memory, which is necessary before it can be protected. Registering again covers memory that the VM has mapped since, and
/// leaves the rest as it is.
fn register(faults: &OwnedFd, start: Address, end: Address) -> Result<(), Error> {
    let mut range = [
        start.0 as u64,
        end.above(start) as u64,
        MODE_WRITE_PROTECT,
        0,
    ];
    // SAFETY: `range` is the structure that this operation expects; registered memory can be used as before.
    unsafe { control(faults, REGISTER, &mut range) }.map(drop)
}

/// Issues an `ioctl`; returns its result.
///
/// # Safety
/// `structure` must be what the operation expects, and the effect of the operation must be sound.
unsafe fn control<const N: usize>(
    file: &impl AsRawFd,
    operation: libc::Ioctl,
    structure: &mut [u64; N],
) -> Result<usize, Error> {
    // SAFETY: the caller guarantees that `structure` fits the operation.
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
    use std::io::Write;

    use super::{WalkPool, WriteWatch};
    use crate::heap::address_range::AddressRange;
    use crate::process::page_size::page_size;
    use crate::process::reservation::Reservation;

    /// More than a thread protects at a time.
    const PAGES: usize = 20_000;

    /// `None` if the kernel is too old or forbids it, and `DUCKTRACK_WRITE_WATCH=required` does not ask for it.
    fn watched() -> Option<(Reservation, WriteWatch)> {
        let watch = WriteWatch::new().map_err(|error| announce(&error)).ok()?;
        let memory = Reservation::anywhere(PAGES * page_size()).expect("address space");
        Some((memory, watch))
    }

    /// A line that the runner of tests does not capture, for `scripts/test` counts it.
    fn announce(refusal: &crate::error::Error) {
        let required = std::env::var("DUCKTRACK_WRITE_WATCH").is_ok_and(|is| is == "required");
        assert!(!required, "{refusal}");
        let line = format!("\nskipped: write watch: {refusal}\n");
        let _ = std::io::stdout().write_all(line.as_bytes());
    }

    fn pages(memory: &Reservation, first: usize, end: usize) -> AddressRange {
        AddressRange {
            start: memory.address().plus(first * page_size()),
            end: memory.address().plus(end * page_size()),
        }
    }

    fn write(memory: &Reservation, page: usize) {
        assert!(page < PAGES);
        // SAFETY: the page lies in our own memory.
        unsafe { memory.start().add(page * page_size() + 8).write_volatile(1) };
    }

    fn is_written(written: &[AddressRange], memory: &Reservation, page: usize) -> bool {
        let at = memory.address().plus(page * page_size());
        written.iter().any(|range| range.contains(at))
    }

    #[test]
    fn only_written_pages_are_reported() {
        let Some((memory, mut watch)) = watched() else {
            return;
        };
        // Untouched pages also count as not written.
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
            let written = watch.written().expect("written pages");
            for page in (0..3000).chain(3500..PAGES) {
                let reported = is_written(&written, &memory, page);
                assert_eq!(
                    reported,
                    wanted.contains(&page),
                    "page {page}, round {round}"
                );
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
            // The program fills all of it. The thread follows, except near the frontier.
            watch.frontier().note(memory.address());
            let far = PAGES - 1;
            let reported = || watch.written_in(&all).expect("written pages");
            while is_written(&reported(), &memory, far) {
                std::thread::yield_now();
            }
            // Written after or before the thread protects them, but in any case before the pause.
            [far, far - 500, 10]
                .iter()
                .for_each(|page| write(&memory, *page));
            watch.begin(&all, &pool).expect("watched");
            write(&memory, 3000 + round);
            let written = watch.written().expect("written pages");
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
        // SAFETY: our own mapping, replaced as a heap that shrinks and grows does it.
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
        assert!(watch.written().is_err(), "written pages are unknown");
        watch.begin(&all, &pool).expect("watched");
        write(&memory, 150);
        let written = watch.written().expect("written pages");
        assert_eq!(written, [pages(&memory, 150, 151)]);
    }
}
