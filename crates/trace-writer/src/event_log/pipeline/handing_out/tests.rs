//! When the tally has what the log was given.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ducktrack_trace_format::{Event, EventFlags, EventWords};

use super::*;
use crate::event_log::tests::{Facts, Host, end, piece_of};
use crate::event_log::{Buffer, CompressStrategy, EventLog, EventOptions, FlushOutcome};

/// Executed events by thread, site, caller and class.
type Counts = BTreeMap<(u32, u32, Option<u32>, Option<u64>), u64>;

#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Counts>>);

impl Shared {
    fn counts(&self) -> Counts {
        self.0.lock().unwrap().clone()
    }
}

impl Tally for Shared {
    fn add(&mut self, thread: ThreadId, event: &Event) {
        let Event::Allocation(made) = event else {
            return;
        };
        let common = EqualEvents {
            site: made.site,
            caller: made.caller,
            klass: made.klass,
        };
        let one = EventSum {
            executed: 1,
            ..EventSum::default()
        };
        self.add_sum(thread, &common, &one);
    }

    fn add_sum(&mut self, thread: ThreadId, common: &EqualEvents, sum: &EventSum) {
        let key = (
            thread.0,
            common.site.0,
            common.caller.map(|caller| caller.0),
            common.klass,
        );
        *self.0.lock().unwrap().entry(key).or_default() += sum.executed;
    }
}

/// A piece with `objects` events of each kind: at a site, with a caller, with a class, with both.
fn piece(thread: u32, objects: u32, flags: EventFlags) -> Buffer {
    let mut buffer = piece_of(0, 1);
    buffer.header.thread = ThreadId(thread);
    buffer.header.flags = flags;
    let first = EventWords::new().top(0x1000_0000);
    let words = (0..objects).fold(first, |words, _| {
        words
            .site(SiteId(20), 2)
            .caller(7)
            .site(SiteId(21), 2)
            .typed(0x40)
            .site(SiteId(22), 2)
            .caller(8)
            .typed(0x48)
            .site(SiteId(23), 2)
    });
    buffer.words = words.into_bytes().into();
    buffer
}

fn add(expected: &mut Counts, thread: u32, objects: u64) {
    for (site, caller, klass) in [
        (20, None, None),
        (21, Some(7), None),
        (22, None, Some(0x40)),
        (23, Some(8), Some(0x48)),
    ] {
        *expected.entry((thread, site, caller, klass)).or_default() += objects;
    }
}

fn log(moves: bool, match_later: bool) -> (EventLog, Shared, tempfile::TempDir) {
    let place = tempfile::tempdir().unwrap();
    let options = EventOptions {
        compress: CompressStrategy::Off,
        moves,
        match_later,
        ..EventOptions::default()
    };
    let (tally, host) = (Shared::default(), Arc::new(Host::default()));
    let log = EventLog::start(
        place.path(),
        options,
        Arc::new(Facts),
        Box::new(tally.clone()),
        host,
    );
    (log.unwrap(), tally, place)
}

/// More threads than have sums at the same time, none of which ends: while the log runs, and at its end.
#[test]
fn every_event_reaches_the_tally_soon_and_once() {
    for (moves, match_later) in [(true, true), (true, false), (false, false)] {
        let (log, tally, _place) = log(moves, match_later);
        let mut expected = Counts::new();
        for round in 1..4 {
            for thread in [1, 2, 3, 4, 5, 6, 7, 8, 9, 3, 1] {
                let given = piece(thread, round * thread, EventFlags::NONE);
                assert_eq!(log.buffer(given), FlushOutcome::Taken);
                add(&mut expected, thread, u64::from(round * thread));
            }
        }
        let start = Instant::now();
        while tally.counts() != expected {
            assert!(
                start.elapsed() < Duration::from_secs(20),
                "{:?}",
                tally.counts()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(
            log.buffer(piece(2, 5, EventFlags::NONE)),
            FlushOutcome::Taken
        );
        add(&mut expected, 2, 5);
        let stats = log.finish(end());
        assert_eq!(tally.counts(), expected, "{moves} {match_later}");
        assert_eq!(stats.events, expected.values().sum::<u64>());
    }
}
