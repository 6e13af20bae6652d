use proptest::prelude::*;

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

/// A thread's actions in the model: a buffer with a top, and the words that the agent's probe would write.
#[derive(Clone, Debug)]
enum Step {
    Fixed { gap: u64 },
    Measured { units: u64 },
    Eliminated { measured: bool, units: u64 },
    Outside { units: u64, known: bool },
    NewBuffer { at: u64 },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => prop_oneof![Just(0_u64), 0..5_000_u64].prop_map(|gap| Step::Fixed { gap }),
        3 => prop_oneof![2..100_u64, 2..10_000_u64].prop_map(|units| Step::Measured { units }),
        2 => (any::<bool>(), 1..9_000_u64).prop_map(|(measured, units)| Step::Eliminated { measured, units }),
        1 => (1..1_000_u64, any::<bool>()).prop_map(|(units, known)| Step::Outside { units, known }),
        1 => (1 << 20..1_u64 << 44).prop_map(|at| Step::NewBuffer { at: at * 8 }),
    ];
    prop::collection::vec(step, 0..200)
}

/// The naive heap: the thread's top and allocations, with the words for them.
struct Thread {
    top: u64,
    absolute: bool,
    words: EventWords,
    expected: Vec<Event>,
}

impl Thread {
    fn step(mut self, step: &Step) -> Self {
        match *step {
            Step::Fixed { gap } => {
                self.top += gap * 8 + SIZE;
                let units = gap as u32 + SIZE as u32 / 8;
                if self.absolute || units > crate::MAX_UNITS {
                    self.words = self.words.at(FIXED, self.top);
                } else {
                    self.words = self.words.site(FIXED, units);
                    if gap > 0 {
                        self.expected.push(Event::Gap { bytes: gap * 8 });
                    }
                }
                self.absolute = false;
                self.expect(FIXED, SIZE, Place::End(self.top));
            }
            Step::Measured { units } => {
                self.top += units * 8;
                self.words = if self.absolute || units > u64::from(crate::MAX_UNITS) {
                    self.words.array(MEASURED, units * 8, self.top)
                } else {
                    self.words.site(MEASURED, units as u32)
                };
                self.absolute = false;
                self.expect(MEASURED, units * 8, Place::End(self.top));
            }
            Step::Eliminated {
                measured: false, ..
            } => {
                self.words = self.words.site(FIXED, 0);
                self.expect(FIXED, SIZE, Place::Eliminated);
            }
            Step::Eliminated {
                measured: true,
                units,
            } => {
                self.words = match u32::try_from(units) {
                    Ok(few) if few <= crate::MAX_UNITS => self.words.nothing(MEASURED, few),
                    _ => self.words.eliminated(MEASURED, units * 8),
                };
                self.expect(MEASURED, units * 8, Place::Eliminated);
            }
            Step::Outside { units, known } => {
                let address = known.then_some(0x7000_0000);
                self.words = self
                    .words
                    .outside(MEASURED, units * 8, address.unwrap_or(0));
                self.expect(MEASURED, units * 8, Place::Outside(address));
            }
            Step::NewBuffer { at } => {
                self.top = at;
                self.absolute = true;
            }
        }
        self
    }

    fn expect(&mut self, site: SiteId, bytes: u64, place: Place) {
        self.expected.push(allocation(site, bytes, place));
    }
}

/// Turns plain words and noted events back into events.
#[derive(Default)]
struct Sink {
    events: Vec<Event>,
    taken: usize,
    noted: usize,
    passed: usize,
    records: u64,
}

impl Sink {
    /// The bytes of an object of this many units; `None` if the size does not match the site's.
    fn bytes(site: SiteId, units: u32) -> Option<Option<u64>> {
        let bytes = u64::from(units) * UNIT;
        let known = match site {
            FIXED => Some(SIZE),
            _ => Some(bytes).filter(|bytes| *bytes > 0 && Facts.is_measured(site)),
        };
        (units == 0 || known == Some(bytes)).then_some(known)
    }

    /// Takes the event at the start of the words, if it is plain or noted and its size matches; returns its words and
    /// units.
    fn take(&mut self, words: &[Word], top: u64) -> Option<(usize, u32)> {
        let word = u32::from_le_bytes(*words.first()?);
        let plain = NotedEvent {
            site: SiteId(word >> 12),
            units: word & MAX_UNITS,
            caller: None,
            klass: None,
            end: top + u64::from(word & MAX_UNITS) * UNIT,
            words: 1,
        };
        let event = match word >> 12 {
            number if is_site(number) => plain,
            _ => NotedEvent::first_of(words, top)?,
        };
        let bytes = Self::bytes(event.site, event.units)?;
        let place = match event.units {
            0 => Place::Eliminated,
            _ => Place::End(event.end),
        };
        self.noted += usize::from(event.words > 1);
        self.events.push(Event::Allocation(Allocation {
            site: event.site,
            caller: event.caller,
            klass: event.klass,
            bytes,
            place,
        }));
        Some((event.words, event.units))
    }
}

impl EventSink for Sink {
    fn plain(&mut self, top: u64, words: &[Word]) -> PlainRun {
        let mut run = PlainRun::default();
        while let Some(rest) = words.get(run.words..)
            && let Some((words, units)) = self.take(rest, top + run.units * UNIT)
        {
            run.words += words;
            run.units += u64::from(units);
        }
        self.taken += run.words;
        run
    }

    fn records(&mut self, words: &[Word]) -> usize {
        let run = RecordRun::first_of(words);
        self.records += run.records;
        self.taken += run.words;
        run.words
    }

    fn event(&mut self, event: Event) {
        self.events.push(event);
    }

    fn passed(&mut self, words: &[Word]) {
        self.passed += words.len();
    }
}

/// What a sink receives.
fn given_to_sink(words: &EventWords, flags: EventFlags) -> (Sink, bool) {
    let block = EventBlock {
        header: header(0x1000, flags),
        words: words.as_bytes(),
    };
    let mut sink = Sink::default();
    let result = EventDecoder::new(&Facts).decode_into(&block, &mut sink);
    assert_eq!(
        (sink.taken + sink.passed) * 4,
        words.as_bytes().len(),
        "every word once"
    );
    (sink, result.is_ok())
}

#[test]
fn a_sink_is_given_callers_and_classes_with_their_words() {
    let words = (0..10).fold(EventWords::new(), |words, _| {
        let words = words.caller(7).site(FIXED, 3).caller(8).site(MEASURED, 0);
        let words = words.caller(7).typed(0x7000).site(MEASURED, 4);
        words.typed(0x8000).site(FIXED, 3).site(FIXED, 3)
    });
    let (given, _) = given_to_sink(&words, EventFlags::NONE);
    assert_eq!(given.events, events_of(&words, 0x1000));
    assert_eq!((given.noted, given.passed), (4 * 10, 0));
}

#[test]
fn a_sink_is_given_words_of_records() {
    let words = (0..10).fold(EventWords::new().clock(3), |words, _| {
        let words = words
            .site(FIXED, 3)
            .extended(0x8000, &[1])
            .extended(0x1000, &[]);
        let words = words.extended(0x4002, &[1, 2, 3]).extended(0x0204, &[7, 1]);
        // Bytes of the VM are no record, and nothing is known of 0x0205.
        let words = words.clock(4).extended(0x0001, &[16, 0]);
        words.extended(0x0205, &[1]).moved(16).site(FIXED, 5)
    });
    let cut = words.clone().extended(0x4000, &[1, 2]);
    let cut = &cut.as_bytes()[..cut.as_bytes().len() - 4];
    let cut = cut.as_chunks::<4>().0.iter();
    let cut = cut.fold(EventWords::new(), |words, word| {
        words.word(u32::from_le_bytes(*word))
    });
    let is_record = |event: &Event| {
        matches!(
            event,
            Event::Update(_)
                | Event::Enter(_)
                | Event::Exit { .. }
                | Event::Thrown(_)
                | Event::Clock { .. }
        )
    };
    for (words, ends) in [(&words, true), (&cut, false)] {
        let (given, is_ok) = given_to_sink(words, EventFlags::NONE);
        let (records, others): (Vec<_>, Vec<_>) = decode(words, 0x1000, EventFlags::NONE)
            .0
            .into_iter()
            .partition(is_record);
        assert_eq!(
            (given.events, given.records),
            (others, records.len() as u64)
        );
        assert_eq!((records.len(), is_ok), (1 + 5 * 10, ends));
    }
}

proptest! {
    #[test]
    fn a_sink_is_given_all_events(
        ops in prop::collection::vec((0_u32..20, 0_u32..6), 0..200), cut: bool,
    ) {
        let words = ops.iter().fold(EventWords::new(), |words, (op, low)| match op {
            0..7 => words.site(SiteId(16 + op % 3), *low),
            7..9 => words.caller(70_000 + low % 2).site(FIXED, 3),
            9 => words.caller(70_000).site(MEASURED, *low),
            10 => words.caller(70_000 + low % 2),
            11 => words.at(FIXED, 0x9000 * u64::from(*low)),
            12 => words.typed(u64::from(*low)),
            13 => words.gap(*low),
            14 => words.moved(u64::from(*low) * 8),
            15 => words.levels(OUTER, 64, 0x9000, &[2, 3]),
            16 => words.array(MEASURED, 40_000, 0x1_9000),
            17 => words.cut(EPOCH - low % 2),
            _ => words.word(op << 12 | low),
        });
        let flags = if cut { EventFlags::AFTER_CUT } else { EventFlags::NONE };
        let (events, result) = decode(&words, 0x1000, flags);
        let (given, is_ok) = given_to_sink(&words, flags);
        prop_assert_eq!((given.events, is_ok), (events, result.is_ok()));
    }

    #[test]
    fn what_a_thread_did_is_what_is_decoded(steps in steps(), start in 1_u64..1 << 40) {
        let start = start * 8;
        let thread = Thread { top: start, absolute: false, words: EventWords::new(), expected: vec![] };
        let thread = steps.iter().fold(thread, Thread::step);
        let (events, result) = decode(&thread.words, start, EventFlags::NONE);
        prop_assert_eq!(events, thread.expected);
        let piece = result.unwrap();
        prop_assert_eq!(piece.eliminated_behind_gaps, 0);
        if !thread.absolute {
            prop_assert_eq!(piece.last_top, thread.top);
        }
    }

    #[test]
    fn any_bytes_end_in_events_or_an_error(
        content in prop::collection::vec(any::<u8>(), 0..400), ops in prop::collection::vec((0_u32..18, any::<u32>()), 0..60),
    ) {
        if let Ok(block) = EventBlock::decode(&content) {
            let _ = EventDecoder::new(&Facts).decode(&block, |_| {});
        }
        // Words with likely operations, so that every escape occurs with every payload.
        let words = ops.iter().fold(EventWords::new(), |words, (op, low)| {
            words.word(op << 12 | (low & 3)).word(low & 0x3F)
        });
        let _ = decode(&words, 0x1000, EventFlags(content.len() as u8));
    }

    #[test]
    fn headers_round_trip(thread: u32, epoch: u32, begun in 0..u64::MAX / 2, lasted in 0..u64::MAX / 2, flags in (0_u8..16), last_top: u64) {
        let header = EventBlockHeader {
            thread: ThreadId(thread),
            epoch,
            begun,
            handed_over: begun + lasted,
            flags: EventFlags(flags),
            last_top,
        };
        let mut content = Vec::new();
        header.encode(&mut content);
        content.extend_from_slice(&[1, 2, 3, 4]);
        let block = EventBlock::decode(&content).unwrap();
        prop_assert_eq!(block.header, header);
        prop_assert_eq!(block.words, [1, 2, 3, 4]);
    }
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
