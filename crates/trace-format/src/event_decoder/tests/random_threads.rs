//! Random threads, and a sink that takes words: decoded events are what the threads did.

use proptest::prelude::*;

use super::*;

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
pub(super) struct Sink {
    pub(super) events: Vec<Event>,
    pub(super) taken: usize,
    pub(super) noted: usize,
    pub(super) passed: usize,
    pub(super) records: u64,
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

/// The calls that a sink receives.
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
            .extended(0x1000, &[])
            .bare(0x0E00, 0x7_8123)
            .bare(0x0F00, 0x123);
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
        assert_eq!((records.len(), is_ok), (1 + 7 * 10, ends));
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
