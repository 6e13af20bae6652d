//! Files on real file systems: their contents, and when these are there.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;

const MEGABYTE: usize = 1 << 20;

/// A place with direct writes (a disk) and one without (memory).
fn places() -> Vec<TempDir> {
    let memory = tempfile::tempdir_in("/dev/shm").ok();
    memory
        .into_iter()
        .chain(tempfile::tempdir())
        .collect::<Vec<_>>()
}

/// A file and its expected content.
struct Pair {
    _place: TempDir,
    file: DirectFile,
    expected: Vec<u8>,
}

impl Pair {
    fn new(place: TempDir, reserve: Reserve) -> Self {
        let path = place.path().join("events");
        Self {
            file: DirectFile::create_with(path, reserve).unwrap(),
            _place: place,
            expected: Vec::new(),
        }
    }

    fn all() -> impl Iterator<Item = Self> {
        places()
            .into_iter()
            .map(|place| Self::new(place, room::reserve))
    }

    fn append(&mut self, length: usize) {
        let from = self.expected.len();
        self.expected
            .extend((from..from + length).map(|n| (n.wrapping_mul(0x9E37_79B1) >> 13) as u8));
        self.file.append(&self.expected[from..]).unwrap();
    }

    fn keep_name(&mut self) -> bool {
        self.file.keep_name(self.expected.len() as u64).unwrap()
    }

    /// What another process reads.
    fn found(&self) -> Vec<u8> {
        fs::read(self.file.path()).unwrap()
    }

    fn check(&self) {
        let found = self.found();
        assert_eq!(found.len(), self.expected.len());
        assert!(found == self.expected, "other bytes");
        assert_eq!(self.file.unwritten(), None);
    }

    /// Disk space that the file occupies.
    fn bytes_on_disk(&self) -> u64 {
        fs::metadata(self.file.path()).unwrap().blocks() * 512
    }
}

#[derive(Clone, Debug)]
enum Step {
    Append(usize),
    Settle,
    Delete,
    ReadBack(f64),
    /// A direct write that takes this many milliseconds is slow from now on.
    CallSlow(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_usize..20_000).prop_map(Step::Append),
        2 => (0_usize..2_500_000).prop_map(Step::Append),
        1 => (0_usize..400).prop_map(|blocks| Step::Append(blocks * 4096)),
        3 => Just(Step::Settle),
        1 => Just(Step::Delete),
        1 => (0.0..1.0).prop_map(Step::ReadBack),
        1 => prop_oneof![Just(0), Just(100)].prop_map(Step::CallSlow),
    ];
    proptest::collection::vec(step, 0..40)
}

fn run(pair: &mut Pair, step: &Step) {
    match *step {
        Step::Append(length) => pair.append(length),
        Step::Settle => {
            pair.file.settle().unwrap();
            pair.check();
            assert!(!pair.keep_name());
        }
        Step::Delete => {
            fs::remove_file(pair.file.path()).unwrap();
            assert!(pair.keep_name());
            pair.check();
        }
        Step::ReadBack(share) => {
            let from = (pair.expected.len() as f64 * share) as usize;
            let mut bytes = vec![0; pair.expected.len() - from];
            pair.file.read_exact_at(&mut bytes, from as u64).unwrap();
            assert!(bytes == pair.expected[from..]);
        }
        Step::CallSlow(millis) => {
            if let Some(gathering) = &mut pair.file.gathering {
                gathering.call_slow(Duration::from_millis(millis));
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn a_file_is_what_was_appended(steps in steps()) {
        for mut pair in Pair::all() {
            for step in &steps {
                run(&mut pair, step);
            }
            pair.file.finish().unwrap();
            pair.check();
        }
    }
}

#[test]
fn what_is_settled_outlives_the_process() {
    for mut pair in Pair::all() {
        for length in [1, 4095, 1, 3 * MEGABYTE, 70, 5000] {
            pair.append(length);
            pair.file.settle().unwrap();
            pair.check();
        }
    }
}

#[test]
fn a_slow_disk_is_passed_by_and_tried_again() {
    for mut pair in Pair::all() {
        if let Some(gathering) = &mut pair.file.gathering {
            gathering.call_slow(Duration::ZERO);
        }
        for _ in 0..40 {
            pair.append(MEGABYTE + 3);
        }
        pair.file.finish().unwrap();
        pair.check();
    }
}

#[test]
fn whole_chunks_are_written_by_themselves() {
    for mut pair in Pair::all() {
        pair.append(3 * MEGABYTE + 5);
        let found = pair.found();
        assert!(found.len() >= 3 * MEGABYTE);
        assert!(pair.expected.starts_with(&found));
        let waits = pair.file.unwritten().map_or(0, |waits| waits.bytes);
        assert_eq!(found.len() as u64 + waits, pair.expected.len() as u64);
    }
}

#[test]
fn room_that_was_not_used_goes_back() {
    for mut pair in Pair::all() {
        pair.append(MEGABYTE + 100);
        pair.file.settle().unwrap();
        if pair.file.gathering.is_some() {
            assert!(pair.bytes_on_disk() >= 4 * MEGABYTE as u64);
        }
        pair.file.finish().unwrap();
        pair.check();
        let most = (MEGABYTE + 2 * 4096) as u64;
        assert!(pair.bytes_on_disk() <= most, "{}", pair.bytes_on_disk());
        // Bytes appended after that are not lost.
        pair.append(10);
        pair.check();
    }
}

#[test]
fn a_file_that_is_dropped_is_whole() {
    for mut pair in Pair::all() {
        pair.append(5000);
        let path = pair.file.path().to_owned();
        drop(pair.file);
        assert!(fs::read(path).unwrap() == pair.expected);
    }
}

fn six_megabytes(file: &File, offset: u64, length: u64) -> io::Result<()> {
    if offset + length > 6 * MEGABYTE as u64 {
        return Err(ErrorKind::StorageFull.into());
    }
    room::reserve(file, offset, length)
}

#[test]
fn what_was_accepted_before_the_disk_was_full_is_there() {
    for place in places() {
        let mut pair = Pair::new(place, six_megabytes);
        while pair.expected.len() < 4 * MEGABYTE - 30_000 {
            pair.append(17_000);
        }
        // No space can be reserved for these: they and all earlier bytes are written at once.
        for _ in 0..10 {
            pair.append(50_000);
            pair.check();
        }
        pair.file.finish().unwrap();
        pair.check();
        assert!(pair.bytes_on_disk() <= pair.expected.len() as u64 + 8192);
    }
}

#[test]
fn without_room_everything_is_written_at_once() {
    for place in places() {
        let mut pair = Pair::new(place, |_, _, _| Err(ErrorKind::Unsupported.into()));
        for length in [16, 100, MEGABYTE, 7] {
            pair.append(length);
            pair.check();
        }
    }
}

#[test]
fn a_file_system_that_refuses_direct_writes_gets_others() {
    for refused_after in [10, 5_000, MEGABYTE + 5_000] {
        for mut pair in Pair::all() {
            pair.append(refused_after);
            pair.file.settle().unwrap();
            pair.append(100);
            let readable = File::open(pair.file.path()).unwrap();
            if let Some(gathering) = &mut pair.file.gathering {
                gathering.refuse(readable);
            }
            pair.append(2 * MEGABYTE);
            pair.check();
            pair.append(10);
            pair.check();
            pair.file.finish().unwrap();
            pair.check();
        }
    }
}

#[test]
fn what_is_taken_back_is_gone() {
    for mut pair in Pair::all() {
        pair.append(MEGABYTE + 9_000);
        pair.expected.truncate(MEGABYTE + 8_500);
        pair.file.truncate(MEGABYTE as u64 + 8_500).unwrap();
        pair.check();
        pair.append(5_000);
        pair.check();
        // Truncating never makes a file longer.
        assert!(pair.file.truncate(3 * MEGABYTE as u64).is_err());
        pair.check();
    }
}

#[test]
fn a_file_that_is_discarded_stays_away() {
    for mut pair in Pair::all() {
        pair.append(5000);
        pair.file.discard();
        let path = pair.file.path().to_owned();
        drop(pair.file);
        assert!(!path.exists());
    }
}
