//! The records of a neutral stream that a trace of `mode=full` becomes.

use ducktrack_analyses::TraceBridge;
use ducktrack_count_model::CountModelBuilder;
use ducktrack_merlin::record_to_text;
use ducktrack_test_support::naive_vm::define_main;
use ducktrack_trace_format::{
    AddressRange, AllocationKind, BlockKind, CalledMethod, Collection, CollectionCounts,
    CollectionKind, DeadEncoder, EventBlockHeader, EventFlags, EventWords, HeapClassId, MethodId,
    MoveRun, MovesLevel, Record, ReferenceLayout, Site, SiteId, StaticField, ThreadId,
    encode_stamps,
};

const SITE: SiteId = SiteId(16);
/// Operations of `witness_event.rs`.
const UPDATE_OF_SLOT_3: u16 = 0x4003;
const STATIC_UPDATE: u16 = 0x0201;
const ENTER_7: u16 = 0x8007;
const EXIT: u16 = 0x0203;

fn bridge() -> TraceBridge {
    let mut builder = CountModelBuilder::new();
    define_main(&mut builder);
    builder.fold(Record::Site(Site {
        id: SITE,
        method: MethodId(0),
        bci: 0,
        line: None,
        kind: AllocationKind::New,
        ty: Some("La/Small;".into()),
    }));
    builder.fold(Record::SiteSize {
        site: SITE,
        bytes: 16,
    });
    builder.fold(Record::ReferenceLayout(ReferenceLayout {
        base: 0,
        shift: 3,
    }));
    builder.fold(Record::CalledMethod(CalledMethod {
        number: 7,
        method: MethodId(0),
    }));
    for number in [4, 5] {
        builder.fold(Record::StaticField(StaticField {
            number,
            class: "a/Main".into(),
            name: "first".into(),
            descriptor: "La/Small;".into(),
        }));
    }
    let (model, names) = builder.finish_trace();
    TraceBridge::new(model, names)
}

fn queue(
    bridge: &mut TraceBridge,
    (thread, epoch): (u32, u32),
    begun: u64,
    flags: EventFlags,
    words: &EventWords,
) {
    let header = EventBlockHeader {
        thread: ThreadId(thread),
        epoch,
        begun,
        handed_over: begun,
        flags,
        last_top: u64::from(thread) << 16,
    };
    let mut content = Vec::new();
    header.encode(&mut content);
    content.extend_from_slice(words.as_bytes());
    bridge.queue(&content).expect("a head");
}

/// The collection of everything below 1 MB.
fn collect(bridge: &mut TraceBridge, number: u32, runs: &[MoveRun]) -> Vec<String> {
    let moved = runs.iter().map(|run| run.objects).sum();
    let collection = Collection {
        number,
        kind: CollectionKind::Young,
        start_unix_micros: 10_000 * u64::from(number),
        level: MovesLevel::Exact,
        collected: vec![AddressRange {
            start: 0,
            end: 1 << 20,
        }],
        counts: CollectionCounts {
            moved,
            ..CollectionCounts::default()
        },
        ..Collection::default()
    };
    let mut lines = Vec::new();
    let taken = bridge.collection(&collection, runs, true, &mut |records| {
        lines.extend(records.iter().map(record_to_text));
    });
    taken.expect("a possible collection");
    let is_definition = |line: &String| {
        ["fact", "type", "method", "site", "name"]
            .iter()
            .any(|word| line.split_whitespace().next() == Some(word))
    };
    lines.retain(|line| !is_definition(line));
    lines
}

fn run(from: u64, to: u64) -> MoveRun {
    MoveRun {
        from,
        to,
        bytes: 16,
        objects: 1,
        found: None,
    }
}

/// Thread 1 stores an object of thread 2 into its own; its buffer comes first, and nothing tells the time better than that.
#[test]
fn an_object_is_born_ahead_of_what_names_it() {
    let mut bridge = bridge();
    let words = EventWords::new()
        .site(SITE, 2)
        .extended(UPDATE_OF_SLOT_3, &[0x1_0000 / 8, 0x2_0010 / 8]);
    queue(&mut bridge, (1, 0), 1000, EventFlags::NONE, &words);
    let words = EventWords::new().site(SITE, 2).site(SITE, 2).site(SITE, 2);
    queue(&mut bridge, (2, 0), 1000, EventFlags::NONE, &words);
    let lines = collect(&mut bridge, 1, &[]);
    assert_eq!(
        lines[..9],
        [
            "thread 1",
            "tick 0 micros=0",
            "new 1 type=1 site=1 bytes=16",
            "thread 2",
            "new 2 type=1 site=1 bytes=16",
            "new 3 type=1 site=1 bytes=16",
            "thread 1",
            "set 1.3 = 3 was -",
            "thread 2",
        ]
    );
    assert_eq!(bridge.losses().unknown_references, 0);
}

#[test]
fn threads_take_turns_by_their_clocks() {
    let mut bridge = bridge();
    let one = EventWords::new().site(SITE, 2).clock(50).site(SITE, 2);
    queue(&mut bridge, (1, 0), 1000, EventFlags::NONE, &one);
    let other = EventWords::new().site(SITE, 2).clock(90).site(SITE, 2);
    queue(&mut bridge, (2, 0), 1010, EventFlags::NONE, &other);
    let lines = collect(&mut bridge, 1, &[]);
    assert_eq!(
        lines[..12],
        [
            "thread 1",
            "tick 0 micros=0",
            "new 1 type=1 site=1 bytes=16",
            "thread 2",
            "tick 0 micros=10",
            "new 2 type=1 site=1 bytes=16",
            "thread 1",
            "tick 0 micros=50",
            "new 3 type=1 site=1 bytes=16",
            "thread 2",
            "tick 0 micros=100",
            "new 4 type=1 site=1 bytes=16",
        ]
    );
}

/// The thread looks at two objects, stands still over two collections, and then says what it saw.
#[test]
fn an_address_is_of_the_last_cut_that_the_thread_has_seen() {
    let mut bridge = bridge();
    let words = EventWords::new().site(SITE, 2).site(SITE, 2);
    queue(&mut bridge, (1, 0), 1000, EventFlags::NONE, &words);
    collect(
        &mut bridge,
        1,
        &[run(0x1_0000, 0x8_0000), run(0x1_0010, 0x8_0010)],
    );
    collect(
        &mut bridge,
        2,
        &[run(0x8_0000, 0x9_0000), run(0x8_0010, 0x20_0000)],
    );
    let (first, second) = (0x1_0000 / 8, 0x1_0010 / 8);
    let words = EventWords::new()
        .extended(UPDATE_OF_SLOT_3, &[first, second])
        .cut(2)
        .extended(UPDATE_OF_SLOT_3, &[0x9_0000 / 8, 0x20_0000 / 8, 0])
        // What nobody knows.
        .extended(UPDATE_OF_SLOT_3, &[first, second]);
    queue(&mut bridge, (1, 2), 21_000, EventFlags::AFTER_CUT, &words);
    let lines = collect(&mut bridge, 3, &[]);
    let updates: Vec<_> = lines
        .iter()
        .filter(|line| line.starts_with("set"))
        .collect();
    assert_eq!(updates, ["set 1.3 = 2 was -", "set 1.3 = - was 2"]);
    assert_eq!(bridge.losses().unknown_references, 2);
}

/// The VM has made an object at 0x30000, which the collection finds; the program has used it before.
#[test]
fn an_object_without_an_event_is_known_by_the_collection_that_finds_it() {
    let mut bridge = bridge();
    let words = EventWords::new()
        .extended(ENTER_7, &[0x3_0000 / 8])
        .extended(STATIC_UPDATE, &[4, 0, 0x3_0000 / 8])
        .extended(STATIC_UPDATE, &[5, 0x3_0000 / 8, 0])
        .extended(EXIT, &[7]);
    queue(&mut bridge, (1, 0), 1000, EventFlags::NONE, &words);
    let found = MoveRun {
        found: Some(HeapClassId(1)),
        ..run(0x3_0000, 0x20_0000)
    };
    let lines = collect(&mut bridge, 1, &[found]);
    assert_eq!(
        lines,
        [
            "thread 1",
            "tick 0 micros=0",
            "new 1 type=0 site=0 bytes=16",
            "enter 1 on 1",
            "set -.1 = 1 was -",
            "set -.1 = - was 1",
            "exit 1 on -",
            "tick 0 bytes=16 micros=9000",
            "collect 1 partial",
            "kept 1",
            "end",
        ]
    );
    assert_eq!(bridge.losses().unknown_references, 0);
}

/// The VM allocated 24 bytes between an allocation of library code and its event.
/// Behind them lies what the VM made; the collection finds the object ahead.
#[test]
fn a_collection_tells_on_which_side_of_a_gap_an_object_is() {
    for is_ahead in [false, true] {
        let (ahead, behind) = (0x1_0010, 0x1_0028);
        let mut bridge = bridge();
        let named = if is_ahead { ahead } else { behind };
        let words = EventWords::new()
            .site(SITE, 2)
            .typed(0x8000)
            .site(SITE, 5)
            .extended(UPDATE_OF_SLOT_3, &[named as u32 / 8, 0x1_0000 / 8]);
        queue(&mut bridge, (1, 0), 1000, EventFlags::NONE, &words);
        let mut stamps = DeadEncoder::default();
        stamps.push(named, (0, 0), std::iter::empty());
        for dead in stamps.take() {
            let content = encode_stamps(0, &[], &dead);
            let taken = bridge.extension(BlockKind::STAMPS, content);
            taken.expect("stamps");
        }
        let lines = collect(&mut bridge, 1, &[]);
        let expected = "set 2.3 = 1 was -".to_owned();
        assert!(lines.contains(&expected), "{is_ahead}: {lines:?}");
        assert_eq!(bridge.losses().unknown_references, 0);
    }
}

/// A payload of three words is missing at the end of the buffer; what is ahead of it counts.
#[test]
fn a_buffer_that_does_not_decode_is_counted() {
    let mut bridge = bridge();
    let words = EventWords::new().site(SITE, 2).word(0xF000_1003);
    queue(&mut bridge, (1, 0), 1000, EventFlags::NONE, &words);
    let lines = collect(&mut bridge, 1, &[]);
    assert!(lines.contains(&"new 1 type=1 site=1 bytes=16".to_owned()));
    assert!(lines.contains(&"dead 1".to_owned()));
    assert_eq!(bridge.losses().damaged_buffers, 1);
}
