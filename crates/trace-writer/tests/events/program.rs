//! A random program on the naive machine, whose events go to a log as they arise.

use std::sync::atomic::Ordering;

use ducktrack_test_support::Random;
use ducktrack_test_support::naive_vm::{INTERNAL, Kind, NaiveVm, Piece, Step, THREADS, hand_over};
use ducktrack_trace_writer::{EventLog, FlushOutcome};

use crate::contradiction::Cycles;
use crate::test_host::{Host, Sums};

/// Places of sites in the machine's table.
const OF_ONE_SIZE: [usize; 3] = [0, 1, 3];
const MEASURED: [usize; 2] = [2, 4];

/// The program and its machine.
pub(crate) struct Program {
    pub(crate) vm: NaiveVm,
    random: Random,
    unique: u32,
    must_wait: bool,
    /// How many collections the log asked for.
    pub(crate) emergencies: u64,
    /// How many of 8 live objects stay at a collection.
    pub(crate) chance: u32,
    /// If its collections go on beside the program.
    pub(crate) cycles: Option<Cycles>,
}

impl Program {
    pub(crate) fn new(seed: u64) -> Self {
        Self {
            vm: NaiveVm::new(),
            random: Random::new(seed),
            unique: 0,
            must_wait: false,
            emergencies: 0,
            chance: 1,
            cycles: None,
        }
    }

    /// A random action of a random thread.
    pub(crate) fn step(&mut self, log: &EventLog) {
        let thread = self.below(THREADS.into()) as u32;
        let step = self.action(thread);
        self.vm.step(&step);
        if self.vm.unwritten(thread) > 400 {
            self.vm.step(&Step::Flush { thread });
        }
        self.hand_over(log);
    }

    fn action(&mut self, thread: u32) -> Step {
        let place = |list: &[usize], at: u64| list[at as usize % list.len()];
        let at = self.below(6);
        match self.below(40) {
            0 => Step::Outside {
                thread,
                site: place(&MEASURED, at),
                length: self.below(30_000) as u32,
                old: at.is_multiple_of(2),
                told: true,
            },
            1 => self.of_its_own_size(thread, at.is_multiple_of(2)),
            2 => Step::Levels {
                thread,
                outer: 1 + self.below(5) as u32,
                inner: self.below(9) as u32,
            },
            3..=6 => Step::Eliminate {
                thread,
                site: place(&[0, 1, 2, 3], at),
            },
            7..=8 => Step::Internal {
                thread,
                units: 2 + self.below(20) as u32,
            },
            9..=14 => Step::Allocate {
                thread,
                site: place(&MEASURED, at),
                length: self.below(1_900) as u32,
            },
            _ => Step::Allocate {
                thread,
                site: place(&OF_ONE_SIZE, at),
                length: 0,
            },
        }
    }

    /// Outside of buffers, and its address is not told: no other object has its size, so that there is one answer to which one it is.
    fn of_its_own_size(&mut self, thread: u32, old: bool) -> Step {
        self.unique += 1;
        Step::Outside {
            thread,
            site: MEASURED[0],
            length: 40_000 + self.unique * 8,
            old,
            told: false,
        }
    }

    /// A step of a program that waits if it must.
    pub(crate) fn patient_step(&mut self, log: &EventLog, host: &Host) {
        self.step(log);
        if self.must_wait || host.wanted.load(Ordering::SeqCst) > 0 {
            self.safepoint(log, host);
        }
    }

    fn hand_over(&mut self, log: &EventLog) {
        for piece in std::mem::take(&mut self.vm.pieces) {
            let outcome = match (&self.cycles, &piece) {
                (Some(cycles), Piece::Collection(collection, _)) => {
                    cycles.hand_over(log, collection, &self.vm)
                }
                _ => hand_over(log, &piece, &self.vm.survivors),
            };
            self.must_wait |= outcome == FlushOutcome::Full;
        }
    }

    /// Waits if a buffer found the queue full, and collects if the log requests it.
    fn safepoint(&mut self, log: &EventLog, host: &Host) {
        std::thread::scope(|scope| {
            let must_wait = std::mem::take(&mut self.must_wait);
            let waiting = must_wait.then(|| scope.spawn(|| log.wait_for_room()));
            loop {
                if host.wanted.swap(0, Ordering::SeqCst) > 0 {
                    self.collect_as(Kind::Young, log);
                    self.emergencies += 1;
                }
                if waiting.as_ref().is_none_or(|thread| thread.is_finished()) {
                    break;
                }
                std::thread::yield_now();
            }
        });
    }

    /// A random kind of collection; it may stop a thread between an allocation and its event.
    pub(crate) fn collect(&mut self, log: &EventLog) {
        let kind = match self.below(8) {
            0 => Kind::Full,
            1 => Kind::Cleanup,
            _ => Kind::Young,
        };
        let thread = self.below(2 * u64::from(THREADS)) as u32;
        self.collected(kind, Some(thread).filter(|thread| *thread < THREADS), log);
    }

    pub(crate) fn collect_as(&mut self, kind: Kind, log: &EventLog) {
        self.collected(kind, None, log);
    }

    fn collected(&mut self, kind: Kind, straggler: Option<u32>, log: &EventLog) {
        self.vm.step(&Step::Collect {
            kind,
            chance: self.chance,
            straggler,
            sync: false,
        });
        self.hand_over(log);
    }

    /// What a tally of all events has.
    pub(crate) fn sums(&self) -> Sums {
        let of_sites = self.vm.objects.iter().filter(|one| one.class != INTERNAL);
        Sums {
            on_heap: of_sites.count() as u64,
            eliminated: self.vm.eliminated.iter().sum(),
            gap_bytes: self.vm.gap_bytes,
        }
    }

    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.random.below(limit)
    }
}
