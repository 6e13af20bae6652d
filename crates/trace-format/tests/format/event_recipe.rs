//! The content of the golden event file: all kinds of event blocks, all kinds of events, and the records of trace
//! mode.

use ducktrack_trace_format::{
    AddressRange, BlockKind, CallSiteId, Collection, CollectionCounts, CollectionKind, Compression,
    End, EventBlockHeader, EventFile, EventFlags, EventWords, Explained, ExtensionHeader,
    FileHeader, HeapClass, HeapClassId, HeapClassSize, HeapField, MoveEncoder, MovesLevel, Record,
    SiteId, Space, SpaceKind, SyncEncoder, SyncObject, ThreadCut, ThreadId, encode_block,
    encode_explained, push_record,
};

/// Kinds and contents.
pub(crate) fn event_blocks() -> Vec<(BlockKind, Vec<u8>)> {
    vec![
        (BlockKind::EVENT_FILE, event_file()),
        (BlockKind::SYNC, sync_part(false)),
        (BlockKind::SYNC, sync_part(true)),
        (BlockKind::EVENTS, events()),
        (BlockKind::EXPLAINED, explained()),
        (BlockKind::COLLECTION, collection()),
        (BlockKind::MOVES, moves()),
        (BlockKind::DEFINITIONS, heap_classes()),
        (BlockKind::EVENTS, clocks_and_extended_words()),
        (BlockKind::WITNESS, witness()),
        (BlockKind::EVENTS, bare_words()),
        (BlockKind::END, end()),
    ]
}

/// The whole file.
pub(crate) fn event_trace(compression: Compression) -> Vec<u8> {
    let mut file = FileHeader::current().encode().to_vec();
    for (sequence, (kind, content)) in (0..).zip(event_blocks()) {
        encode_block(kind, sequence, &content, compression, &mut file).unwrap();
    }
    file
}

fn event_file() -> Vec<u8> {
    let mut content = Vec::new();
    EventFile {
        index: 300,
        epoch: 9,
        has_sync_point: true,
        without_moves: false,
        unmatched: false,
        pid: 4_711,
        start_unix_millis: 1_763_700_000_000,
        lost_blocks: 2,
        lost_bytes: 40_000,
    }
    .encode(&mut content);
    content
}

fn sync_part(last: bool) -> Vec<u8> {
    let mut encoder = SyncEncoder::new(9);
    for number in 0..40_u32 {
        encoder.push(&SyncObject {
            address: 0x8000_0000 + u64::from(number) * 64,
            bytes: 24 + u64::from(number % 3) * 16,
            class: HeapClassId(number % 3),
            site: SiteId(if number % 7 == 0 { 0 } else { 300 + number % 2 }),
            thread: ThreadId(number % 2),
            caller: CallSiteId(if number % 5 == 0 { 40 } else { 0 }),
            birth: 9 - number % 4,
        });
    }
    encoder.finish(last)
}

fn events() -> Vec<u8> {
    let mut content = Vec::new();
    EventBlockHeader {
        thread: ThreadId(1),
        epoch: 9,
        begun: 1_763_700_000_000_000,
        handed_over: 1_763_700_000_020_000,
        flags: EventFlags::CUT.with(EventFlags::AFTER_CUT),
        last_top: 0x9000_0000,
    }
    .encode(&mut content);
    let words = EventWords::new()
        .site(SiteId(16), 3)
        .cut(9)
        .straddle(SiteId(16), 0)
        .at(SiteId(16), 0x9000_0040)
        .site(SiteId(16), 3)
        .site(SiteId(16), 5)
        .site(SiteId(16), 0)
        .gap(2)
        .site(SiteId(17), 4_095)
        .typed(0x7F00_1234_5678)
        .caller(70_000)
        .array(SiteId(17), 40_000, 0x9010_0000)
        .moved(880)
        .outside(SiteId(17), 800, 0xA000_0000)
        .outside(SiteId(16), 0, 0)
        .nothing(SiteId(17), 9)
        .eliminated(SiteId(17), 80_000)
        .levels(SiteId(30), 104, 0x9010_0068, &[2, 3])
        .dropped(12)
        .top(0x9020_0000)
        .pad();
    content.extend_from_slice(words.as_bytes());
    content
}

fn bare_words() -> Vec<u8> {
    let mut content = Vec::new();
    EventBlockHeader {
        thread: ThreadId(2),
        epoch: 10,
        begun: 1_763_700_000_050_000,
        handed_over: 1_763_700_000_060_000,
        flags: EventFlags::NONE,
        last_top: 0x9000_0000,
    }
    .encode(&mut content);
    let words = EventWords::new()
        .bare(0x0F00, 0x4321)
        .site(SiteId(16), 3)
        .bare(0x0E00, 0x4321)
        .bare(0x0E00, 0xF_FFFF);
    content.extend_from_slice(words.as_bytes());
    content
}

fn clocks_and_extended_words() -> Vec<u8> {
    let mut content = Vec::new();
    EventBlockHeader {
        thread: ThreadId(2),
        epoch: 10,
        begun: 1_763_700_000_030_000,
        handed_over: 1_763_700_000_040_000,
        flags: EventFlags::NONE,
        last_top: 0x9000_0000,
    }
    .encode(&mut content);
    let words = EventWords::new()
        .clock(100)
        .site(SiteId(16), 3)
        .extended(0x0200, &[1, 2, 3])
        .clock(250)
        .caller(70_000)
        .site(SiteId(16), 3);
    content.extend_from_slice(words.as_bytes());
    content
}

fn witness() -> Vec<u8> {
    let mut content = Vec::new();
    ExtensionHeader {
        thread: Some(ThreadId(2)),
        epoch: 10,
        begun: 1_763_700_000_030_000,
        handed_over: 1_763_700_000_040_000,
    }
    .encode(&mut content);
    let words = EventWords::new().extended(0x0201, &[7]).clock(9);
    content.extend_from_slice(words.as_bytes());
    content
}

fn explained() -> Vec<u8> {
    let object = |address| Explained {
        address,
        site: SiteId(301),
        thread: ThreadId(2),
        caller: CallSiteId(41),
        birth: 8,
    };
    let mut content = Vec::new();
    encode_explained(&[object(0x8000_0000), object(0x8000_0040)], &mut content);
    content
}

fn collection() -> Vec<u8> {
    let space = |kind, index| Space {
        kind,
        index,
        bottom: 0x9000_0000,
        top: 0x9020_0000,
    };
    let kinds = [
        SpaceKind::Eden,
        SpaceKind::Survivor,
        SpaceKind::To,
        SpaceKind::Old,
        SpaceKind::HumongousStart,
        SpaceKind::HumongousContinues,
        SpaceKind::Archive,
        SpaceKind::Free,
        SpaceKind::Other,
    ];
    let collection = Collection {
        number: 10,
        vm_total: 12,
        kind: CollectionKind::Mixed,
        cause: "G1 Evacuation Pause".into(),
        start_unix_micros: 1_763_700_000_020_000,
        end_unix_micros: 1_763_700_000_025_000,
        walk_nanos: 1_500_000,
        level: MovesLevel::Exact,
        before: (0..)
            .zip(kinds)
            .map(|(index, kind)| space(kind, index))
            .collect(),
        after: vec![space(SpaceKind::Survivor, 1)],
        collected: vec![AddressRange {
            start: 0x9000_0000,
            end: 0x9020_0000,
        }],
        cuts: vec![ThreadCut {
            thread: ThreadId(1),
            top: 0x9020_0010,
            last: 0x9020_0000,
        }],
        counts: CollectionCounts {
            moved: 1,
            stayed: 2,
            survived_bytes: 3,
            dead: 4,
            found: 5,
            found_bytes: 6,
            explained: 7,
            ambiguous: 8,
            live: 9,
            live_bytes: 10,
        },
        fault: Some("none, this is a test".into()),
        collector_nanos: 0,
    };
    let mut content = Vec::new();
    collection.encode(&mut content).unwrap();
    content
}

/// All ways to state a destination, and runs of one, two and more objects.
fn moves() -> Vec<u8> {
    let mut encoder = MoveEncoder::new();
    let mut from = 0x9000_0000;
    let plabs: Vec<u64> = (1..7).map(|number| number << 32).collect();
    for (round, plab) in plabs.iter().chain(&plabs).enumerate() {
        let filled = if round < plabs.len() { 0 } else { 24 };
        encoder.push(from, plab + filled, 24, None);
        from += 64;
    }
    encoder.push(from, from, 32, None);
    for (number, objects) in [(1, 2), (2, 5)] {
        for object in 0..objects {
            let at = from + number * 0x1000 + object * 16;
            encoder.push(at, at - 0x800, 16, None);
        }
    }
    let found = from + 0x4000;
    encoder.push(found, 0x7_0000_0000, 48, Some(HeapClassId(70_000)));
    encoder.finish()
}

fn heap_classes() -> Vec<u8> {
    let sizes = [
        HeapClassSize::Instance(24),
        HeapClassSize::Array {
            element: 4,
            base: 16,
        },
        HeapClassSize::PerObject,
    ];
    let mut content = Vec::new();
    for (id, size) in (0..).zip(sizes) {
        let class = HeapClass {
            id: HeapClassId(id),
            name: "[Ljava/lang/String;".into(),
            size,
            klass: 0x7F00_1234_5678,
            fields: vec![HeapField {
                name: "größe".into(),
                descriptor: "I".into(),
                offset: (id == 0).then_some(12),
            }],
        };
        push_record(&Record::HeapClass(class), &mut content).unwrap();
    }
    push_record(&Record::Note("later".into()), &mut content).unwrap();
    content
}

fn end() -> Vec<u8> {
    let mut content = Vec::new();
    let end = End {
        unix_millis: 1_763_700_001_000,
        cause: "rotated".into(),
        losses: vec![],
    };
    push_record(&Record::End(end), &mut content).unwrap();
    content
}
