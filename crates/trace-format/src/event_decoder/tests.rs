mod random_threads;

use random_threads::Sink;

use super::*;
use crate::{
    ArrayLayout, EventBlockHeader, EventWords, NotedEvent, PlainRun, RecordRun, ThreadId, Word,
};

const FIXED: SiteId = SiteId(16);
const MEASURED: SiteId = SiteId(17);
const UNSIZED: SiteId = SiteId(18);
const CALLED_FIXED: SiteId = SiteId(crate::FIRST_CALLED_SITE + 5);
const OUTER: SiteId = SiteId(30);
const INNER: SiteId = SiteId(31);
const SIZE: u64 = 24;
const EPOCH: u32 = 5;

struct Facts;

impl SiteFacts for Facts {
    fn fixed_bytes(&self, site: SiteId) -> Option<u32> {
        [FIXED, CALLED_FIXED].contains(&site).then_some(SIZE as u32)
    }

    fn called(&self, site: SiteId) -> Option<(SiteId, CallSiteId)> {
        (site == CALLED_FIXED).then_some((FIXED, CallSiteId(70_000)))
    }

    fn is_measured(&self, site: SiteId) -> bool {
        [MEASURED, OUTER, INNER].contains(&site)
    }

    fn array_layout(&self, site: SiteId) -> Option<ArrayLayout> {
        let element = match site {
            OUTER => 4,
            INNER => 8,
            _ => return None,
        };
        Some(ArrayLayout {
            base: 16,
            element,
            alignment: 8,
        })
    }
}

fn header(last_top: u64, flags: EventFlags) -> EventBlockHeader {
    EventBlockHeader {
        thread: ThreadId(3),
        epoch: EPOCH,
        begun: 10,
        handed_over: 20,
        flags,
        last_top,
    }
}

fn decode(
    words: &EventWords,
    last_top: u64,
    flags: EventFlags,
) -> (Vec<Event>, Result<DecodedPiece, FormatError>) {
    let block = EventBlock {
        header: header(last_top, flags),
        words: words.as_bytes(),
    };
    let mut events = Vec::new();
    let result = EventDecoder::new(&Facts).decode(&block, |event| events.push(event));
    (events, result)
}

fn allocation(site: SiteId, bytes: impl Into<Option<u64>>, place: Place) -> Event {
    Event::Allocation(Allocation {
        site,
        caller: None,
        klass: None,
        bytes: bytes.into(),
        place,
    })
}

fn events_of(words: &EventWords, last_top: u64) -> Vec<Event> {
    let (events, result) = decode(words, last_top, EventFlags::NONE);
    result.unwrap();
    events
}

#[test]
fn a_called_site_says_its_caller() {
    let called = EventWords::new()
        .site(CALLED_FIXED, 3)
        .site(CALLED_FIXED, 0)
        .site(CALLED_FIXED, 5)
        .at(CALLED_FIXED, 0x9000)
        .typed(0x40)
        .site(CALLED_FIXED, 3);
    let apart = |words: EventWords| words.caller(70_000);
    let words = apart(EventWords::new()).site(FIXED, 3);
    let words = apart(apart(words).site(FIXED, 0)).site(FIXED, 5);
    let words = apart(apart(words).at(FIXED, 0x9000));
    let words = words.typed(0x40).site(FIXED, 3);
    let expected = events_of(&words, 0x1000);
    assert_eq!(expected.len(), 6, "one of them is a gap");
    assert_eq!(events_of(&called, 0x1000), expected);
    // A preceding caller overrides that of the called site.
    let other = EventWords::new().caller(9).site(CALLED_FIXED, 3);
    let expected = EventWords::new().caller(9).site(FIXED, 3);
    assert_eq!(events_of(&other, 0x1000), events_of(&expected, 0x1000));
}

#[test]
fn what_is_not_known_is_skipped_by_its_length() {
    let plain = EventWords::new().site(FIXED, 3).caller(9).site(FIXED, 0);
    let between = EventWords::new()
        .clock(12)
        .site(FIXED, 3)
        .extended(0x0ABC, &[1, FIXED.0 << 12, u32::MAX])
        .clock(crate::MAX_CLOCK)
        .caller(9)
        .site(FIXED, 0)
        .extended(0, &[]);
    let expected = decode(&plain, 0x1000, EventFlags::NONE);
    let (mut events, read) = decode(&between, 0x1000, EventFlags::NONE);
    let clock = |micros: u32| Event::Clock { micros };
    assert_eq!(events.remove(0), clock(12));
    assert_eq!(events.remove(1), clock(crate::MAX_CLOCK));
    assert_eq!((events, read), expected);
    let mut sink = Sink::default();
    let block = EventBlock {
        header: header(0x1000, EventFlags::NONE),
        words: between.as_bytes(),
    };
    let read = EventDecoder::new(&Facts).decode_into(&block, &mut sink);
    let is_clock = |event: &Event| matches!(event, Event::Clock { .. });
    sink.events.retain(|event| !is_clock(event));
    assert_eq!((sink.events, read), expected);
    let cut = EventWords::new().site(FIXED, 3).extended(1, &[1, 2]);
    let cut = EventBlock {
        header: header(0x1000, EventFlags::NONE),
        words: &cut.as_bytes()[..12],
    };
    let read = EventDecoder::new(&Facts).decode(&cut, |_| {});
    assert!(read.is_err());
}

#[test]
fn each_sort_of_event() {
    let words = EventWords::new()
        .site(FIXED, 3)
        .site(FIXED, 5)
        .site(FIXED, 0)
        .site(MEASURED, 7)
        .site(UNSIZED, 4)
        .pad()
        .at(FIXED, 0x9000)
        .outside(MEASURED, 800, 0x7_0000)
        .outside(FIXED, 0, 0)
        .array(MEASURED, 40_000, 0x1_9000)
        .gap(2)
        .site(FIXED, 3)
        .nothing(MEASURED, 9)
        .eliminated(MEASURED, 80_000)
        .dropped(12)
        .straddle(FIXED, 0);
    let expected = vec![
        allocation(FIXED, 24, Place::End(0x1018)),
        Event::Gap { bytes: 16 },
        allocation(FIXED, 24, Place::End(0x1040)),
        allocation(FIXED, 24, Place::Eliminated),
        allocation(MEASURED, 56, Place::End(0x1078)),
        allocation(UNSIZED, None, Place::End(0x1098)),
        allocation(FIXED, 24, Place::End(0x9000)),
        allocation(MEASURED, 800, Place::Outside(Some(0x7_0000))),
        allocation(FIXED, 24, Place::Outside(None)),
        allocation(MEASURED, 40_000, Place::End(0x1_9000)),
        Event::Gap { bytes: 16 },
        allocation(FIXED, 24, Place::End(0x1_9028)),
        allocation(MEASURED, 72, Place::Eliminated),
        allocation(MEASURED, 80_000, Place::Eliminated),
        Event::Dropped { count: 12 },
        allocation(FIXED, 24, Place::Straddler { allocated: 0 }),
    ];
    assert_eq!(events_of(&words, 0x1000), expected);
}

#[test]
fn a_straddler_says_what_the_thread_had_allocated() {
    let words = EventWords::new()
        .cut(4)
        .moved(40)
        .straddle(FIXED, 0)
        .moved(16)
        .straddle(FIXED, 0);
    let straddler = |allocated| allocation(FIXED, 24, Place::Straddler { allocated });
    let gap = Event::Gap { bytes: 16 };
    // The bytes allocated suffice for the first straddler, but not for the second.
    let expected = vec![gap, straddler(40), gap, straddler(16)];
    assert_eq!(events_of(&words, 0x1000), expected);
}

#[test]
fn type_and_caller_are_about_the_next_allocation_only() {
    let words = EventWords::new()
        .typed(0xABCD_0000_1234)
        .caller(7)
        .gap(1)
        .site(MEASURED, 2)
        .site(FIXED, 3);
    let typed = Event::Allocation(Allocation {
        site: MEASURED,
        caller: Some(CallSiteId(7)),
        klass: Some(0xABCD_0000_1234),
        bytes: Some(16),
        place: Place::End(0x1018),
    });
    let events = events_of(&words, 0x1000);
    assert_eq!(
        events[1..],
        [typed, allocation(FIXED, 24, Place::End(0x1030))]
    );
}

#[test]
fn what_is_ahead_of_the_cut_is_from_before_the_collection() {
    let words = EventWords::new()
        .site(FIXED, 3)
        .at(FIXED, 0x9000)
        .levels(OUTER, 104, 0x9068, &[2, 3])
        .outside(FIXED, 0, 0xF000)
        .cut(EPOCH - 1)
        .site(FIXED, 3)
        .cut(EPOCH)
        .at(FIXED, 0x7000)
        .outside(FIXED, 0, 0xF000);
    let (events, result) = decode(&words, 0x1000, EventFlags::AFTER_CUT);
    result.unwrap();
    let past = |site, bytes, end| allocation(site, bytes, Place::Straggler(end));
    let expected = [
        past(FIXED, 24, 0x1018),
        past(FIXED, 24, 0x9000),
        past(OUTER, 24, 0x9018),
        past(INNER, 40, 0x9040),
        past(INNER, 40, 0x9068),
        allocation(FIXED, 24, Place::Outside(None)),
        past(FIXED, 24, 0x9080),
        allocation(FIXED, 24, Place::End(0x7000)),
        allocation(FIXED, 24, Place::Outside(Some(0xF000))),
    ];
    assert_eq!(events, expected);
    let (uncut, _) = decode(&words, 0x1000, EventFlags::NONE);
    assert_eq!(uncut[1], allocation(FIXED, 24, Place::End(0x9000)));
    let (late, _) = decode(&words, 0x1000, EventFlags::LATE);
    assert_eq!(late[7], past(FIXED, 24, 0x7000));
}

#[test]
fn an_unknown_last_top_gives_no_address() {
    let words = EventWords::new().site(FIXED, 3).gap(1).at(FIXED, 0x9000);
    let events = events_of(&words, 1);
    assert_eq!(events[0], allocation(FIXED, 24, Place::Unplaced));
    assert_eq!(events[2], allocation(FIXED, 24, Place::End(0x9000)));
}

#[test]
fn units_below_the_size_of_the_site_are_a_gap_and_an_eliminated_object() {
    let words = EventWords::new().site(FIXED, 2).site(FIXED, 3);
    let (events, result) = decode(&words, 0x1000, EventFlags::NONE);
    assert_eq!(result.unwrap().eliminated_behind_gaps, 1);
    let expected = [
        Event::Gap { bytes: 16 },
        allocation(FIXED, 24, Place::Eliminated),
        allocation(FIXED, 24, Place::End(0x1028)),
    ];
    assert_eq!(events, expected);
}

#[test]
fn what_was_allocated_beside_the_next_object_is_a_gap() {
    let words = EventWords::new()
        .moved(64)
        .at(FIXED, 0x9000)
        .moved(16)
        .nothing(MEASURED, 4)
        .moved(24)
        .at(FIXED, 0xA000)
        .moved(8);
    let expected = [
        Event::Gap { bytes: 40 },
        allocation(FIXED, 24, Place::End(0x9000)),
        Event::Gap { bytes: 16 },
        allocation(MEASURED, 32, Place::Eliminated),
        allocation(FIXED, 24, Place::End(0xA000)),
        Event::Gap { bytes: 8 },
    ];
    assert_eq!(events_of(&words, 0x1000), expected);
}

#[test]
fn a_stated_top_is_the_top_from_there_on() {
    let words = EventWords::new().top(0x9000).site(FIXED, 3);
    let expected = allocation(FIXED, 24, Place::End(0x9018));
    assert_eq!(events_of(&words, 1), [expected]);
}

/// `new long[2][3]` with references of 4 bytes: 24 + 2 * 40 bytes, the outer array first.
#[test]
fn arrays_of_arrays_are_adjacent() {
    let words = EventWords::new().levels(OUTER, 104, 0x1068, &[2, 3]);
    let expected = vec![
        allocation(OUTER, 24, Place::End(0x1018)),
        allocation(INNER, 40, Place::End(0x1040)),
        allocation(INNER, 40, Place::End(0x1068)),
    ];
    assert_eq!(events_of(&words, 0x1000), expected);
    let scattered = EventWords::new().levels(OUTER, 64, 0x1068, &[2, 3]);
    let events = events_of(&scattered, 0x1000);
    assert_eq!(events[2], allocation(INNER, 40, Place::Unplaced));
    let eliminated = EventWords::new()
        .levels(OUTER, 0, 0, &[2, 3])
        .site(FIXED, 3);
    let events = events_of(&eliminated, 0x1000);
    assert_eq!(events[0], allocation(OUTER, 24, Place::Eliminated));
    assert_eq!(events[3], allocation(FIXED, 24, Place::End(0x1018)));
    let empty = EventWords::new().levels(OUTER, 16, 0x1010, &[0, 3]);
    let expected = vec![allocation(OUTER, 16, Place::End(0x1010))];
    assert_eq!(events_of(&empty, 0x1000), expected);
}

#[test]
fn more_arrays_than_a_heap_holds_are_refused_at_once() {
    let words = EventWords::new().levels(OUTER, 8, 8, &[u32::MAX, u32::MAX, u32::MAX, u32::MAX]);
    assert!(decode(&words, 0, EventFlags::NONE).1.is_err());
    let words = EventWords::new().levels(OUTER, 8, 8, &[1 << 30, 1]);
    assert!(decode(&words, 0, EventFlags::NONE).1.is_err());
    let words = EventWords::new().levels(OUTER, 8, 8, &[1; 400]);
    assert!(decode(&words, 0, EventFlags::NONE).1.is_err());
}

#[test]
fn cut_and_unknown_events_are_errors_after_what_was_read() {
    let mut bytes = EventWords::new()
        .site(FIXED, 3)
        .at(FIXED, 0x9000)
        .into_bytes();
    for length in 5..bytes.len() {
        let block = EventBlock {
            header: header(0x1000, EventFlags::NONE),
            words: &bytes[..length],
        };
        let mut events = 0;
        assert!(
            EventDecoder::new(&Facts)
                .decode(&block, |_| events += 1)
                .is_err()
        );
        assert_eq!(events, 1);
    }
    bytes.truncate(4);
    bytes.extend_from_slice(&(14_u32 << 12).to_le_bytes());
    let words = bytes.chunks(4).fold(EventWords::new(), |words, word| {
        words.word(u32::from_le_bytes(word.try_into().unwrap()))
    });
    let (events, result) = decode(&words, 0x1000, EventFlags::NONE);
    assert_eq!((events.len(), result.is_err()), (1, true));
}

/// The VM moved the top by 16 bytes for an object of its own, so the buffer had no room for the program's object of 24
/// bytes.
#[test]
fn an_object_that_would_overlap_the_last_one_is_outside_of_the_buffer() {
    let words = EventWords::new()
        .site(FIXED, 3)
        .moved(16 + SIZE)
        .at(FIXED, 0x1000 + SIZE + 16)
        .site(FIXED, 3);
    let expected = [
        allocation(FIXED, SIZE, Place::End(0x1000 + SIZE)),
        Event::Gap { bytes: 16 },
        allocation(FIXED, SIZE, Place::Outside(None)),
        allocation(FIXED, SIZE, Place::End(0x1000 + SIZE + 16 + SIZE)),
    ];
    assert_eq!(events_of(&words, 0x1000), expected);
}

#[test]
fn an_object_that_touches_the_last_one_or_lies_elsewhere_is_in_the_buffer() {
    for top in [0x1000 + SIZE, 0x1000 + 2 * SIZE, 0x1000 - 8, 0x9000] {
        let words = EventWords::new().at(FIXED, top);
        let expected = [allocation(FIXED, SIZE, Place::End(top))];
        assert_eq!(events_of(&words, 0x1000), expected, "{top:x}");
    }
}

/// The VM got a new buffer for an object of 16 bytes; the program's object of 24 was eliminated.
#[test]
fn an_object_larger_than_all_that_was_allocated_was_eliminated() {
    let words = EventWords::new()
        .site(FIXED, 3)
        .moved(16)
        .at(FIXED, 0x9010)
        .site(FIXED, 3);
    let expected = [
        allocation(FIXED, SIZE, Place::End(0x1000 + SIZE)),
        Event::Gap { bytes: 16 },
        allocation(FIXED, SIZE, Place::Eliminated),
        allocation(FIXED, SIZE, Place::End(0x9010 + SIZE)),
    ];
    assert_eq!(events_of(&words, 0x1000), expected);
}

/// After a collection memory is reused: the old top does not matter.
#[test]
fn a_top_from_before_the_collection_is_ignored() {
    let words = EventWords::new().cut(EPOCH).at(FIXED, 0x1010);
    let (events, result) = decode(&words, 0x1000, EventFlags::AFTER_CUT);
    result.unwrap();
    assert_eq!(events, [allocation(FIXED, SIZE, Place::End(0x1010))]);
}

#[test]
fn arrays_of_arrays_at_the_top_need_neither_bytes_nor_top() {
    // An outer array of 24 bytes, two inner ones of 40.
    let total = 24 + 2 * 40;
    let short = EventWords::new()
        .levels_at_top(OUTER, &[2, 3])
        .site(FIXED, 3);
    let long = EventWords::new()
        .levels(OUTER, total, 0x1000 + total, &[2, 3])
        .site(FIXED, 3);
    let events = events_of(&short, 0x1000);
    assert_eq!(events, events_of(&long, 0x1000));
    assert_eq!(
        events[2],
        allocation(INNER, 40, Place::End(0x1000 + total)),
        "the second inner array"
    );
    // If the top is unknown, the arrays have no place.
    let unknown = events_of(&short, 0);
    assert_eq!(unknown[0], allocation(OUTER, 24, Place::Unplaced));
}
