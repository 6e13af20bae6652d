//! How long collections stop the program: wall time, and CPU time of the
//! threads that collect, which other programs on the machine hardly change.

use std::time::{Duration, Instant};

use ducktrack_hotspot::{HeapSpaces, Space, SpaceKind};
use ducktrack_trace_format::Trial as TrialRecord;

use super::collector_threads::CollectorThreads;
use crate::process::clock::nanos;

/// Adds pauses up.
pub(super) struct PauseClock {
    spaces: HeapSpaces,
    threads: CollectorThreads,
    list: Vec<Space>,
    begun: Option<(Instant, Duration)>,
    pauses: u64,
    wall: Duration,
    cpu: Duration,
    /// The agent's own time in pauses, for the trial.
    own: Duration,
    /// Bytes in use after the last pause.
    used: usize,
    most_used: usize,
}

impl PauseClock {
    pub(super) fn new(spaces: HeapSpaces) -> Self {
        Self {
            spaces,
            threads: CollectorThreads::default(),
            list: Vec::new(),
            begun: None,
            pauses: 0,
            wall: Duration::ZERO,
            cpu: Duration::ZERO,
            own: Duration::ZERO,
            used: 0,
            most_used: 0,
        }
    }

    pub(super) fn begin(&mut self) {
        self.threads.look();
        self.begun = Some((Instant::now(), self.threads.cpu()));
    }

    pub(super) fn end(&mut self) {
        let Some((wall, cpu)) = self.begun.take() else {
            return;
        };
        self.pauses += 1;
        self.wall += wall.elapsed();
        let known = self.threads.cpu().saturating_sub(cpu);
        // Those that started in the pause have worked in it only.
        self.cpu += known + self.threads.look();
        self.used = self.used_now();
        self.most_used = self.most_used.max(self.used);
    }

    /// The agent has worked since then, in a pause.
    pub(super) fn add_own_work(&mut self, since: Instant) {
        self.own += since.elapsed();
    }

    /// While the world is stopped.
    fn used_now(&mut self) -> usize {
        if self.spaces.list(&mut self.list).is_err() {
            return 0;
        }
        let holds_objects = |space: &&Space| !matches!(space.kind, SpaceKind::To | SpaceKind::Free);
        let used = self.list.iter().filter(holds_objects);
        used.map(|space| space.top.above(space.bottom)).sum()
    }

    /// The share of the largest heap that was in use after the last pause.
    pub(super) fn used_share(&self) -> f64 {
        self.used as f64 / self.spaces.reserved().1.max(1) as f64
    }

    pub(super) fn say(&self, record: &mut TrialRecord) {
        record.pauses = self.pauses;
        record.pause_nanos = nanos(self.wall);
        record.pause_cpu_nanos = nanos(self.cpu);
        record.stopped_nanos += nanos(self.own);
        record.look_cpu_nanos += nanos(self.own);
        record.most_used_bytes = self.most_used as u64;
    }
}
