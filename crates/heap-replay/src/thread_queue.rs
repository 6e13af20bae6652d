//! The events of one thread in an epoch, decoded piece by piece as they are asked for.

use std::collections::VecDeque;

use ducktrack_trace_format::{
    Event, EventBlock, EventDecoder, EventFlags, EventSink, FormatError, PlainRun, SiteFacts,
    ThreadId, Word, words_as_written,
};

/// Pieces of a thread, and where in them it stands.
#[derive(Debug)]
pub struct ThreadQueue {
    /// Whose events.
    pub thread: ThreadId,
    contents: VecDeque<Vec<u8>>,
    piece: Piece,
    /// Next step of the piece, and its first event.
    step: usize,
    event: usize,
    /// The epoch of addresses in the words that come next, unless they name another.
    seen: u32,
    has_begun: bool,
}

/// A decoded piece.
#[derive(Debug, Default)]
struct Piece {
    events: Vec<Event>,
    steps: Vec<Step>,
    /// Microseconds since 1970.
    begun: u64,
    /// See [`ThreadQueue::time`].
    time: u64,
    is_late: bool,
    epoch: u32,
    is_after_cut: bool,
    /// The epoch of the addresses after it, if it states one.
    seen: Option<u32>,
}

/// Events of one group of words.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    /// How many events.
    pub events: usize,
    /// Words of the thread's stream; 0: the number at the end of the piece.
    pub words: u64,
}

impl ThreadQueue {
    /// The queue of a thread.
    pub fn new(thread: ThreadId) -> Self {
        Self {
            thread,
            contents: VecDeque::new(),
            piece: Piece::default(),
            step: 0,
            event: 0,
            seen: 0,
            has_begun: false,
        }
    }

    /// Adds the content of a block.
    pub fn push(&mut self, content: Vec<u8>) {
        self.contents.push_back(content);
    }

    /// Makes sure that there is a next step; false at the end. An event that does not decode ends its piece, and is counted.
    pub fn advance<F: SiteFacts>(&mut self, facts: &F, damaged: &mut u64) -> bool {
        while self.step >= self.piece.steps.len() {
            let Some(content) = self.contents.pop_front() else {
                return false;
            };
            self.step = 0;
            self.event = 0;
            self.seen = self.piece.seen.take().unwrap_or(self.seen);
            let decoded = self.piece.decode(&content, facts);
            *damaged += u64::from(decoded.is_err());
            if !std::mem::replace(&mut self.has_begun, true) {
                // A thread that was there before the cut has looked at objects before it.
                let before = u32::from(self.piece.is_after_cut);
                self.seen = self.piece.epoch.saturating_sub(before);
            }
        }
        true
    }

    /// Not before this came what comes next, in microseconds since 1970; `None`: nothing comes.
    pub fn next_time(&self) -> Option<u64> {
        if self.step < self.piece.steps.len() {
            return Some(self.piece.time);
        }
        let next = self.contents.front()?;
        let block = EventBlock::decode(next).ok();
        Some(block.map_or(0, |block| block.header.begun))
    }

    /// The epoch of addresses that name none of their own.
    pub fn seen(&self) -> u32 {
        self.seen
    }

    /// The words of the piece are of positions before a pause, after which the thread has gone on.
    pub fn is_late(&self) -> bool {
        self.piece.is_late
    }

    /// Whether the piece begins here.
    pub fn is_at_start(&self) -> bool {
        self.step == 0
    }

    /// The events of the next step.
    pub fn events(&self) -> &[Event] {
        let step = self.piece.steps.get(self.step);
        let events = step.map_or(0, |step| step.events);
        let events = self.piece.events.get(self.event..self.event + events);
        events.unwrap_or_default()
    }

    /// Steps on, and returns the word that was passed.
    pub fn pass(&mut self) -> Step {
        let step = self.piece.steps.get(self.step).copied();
        let step = step.unwrap_or(Step {
            events: 0,
            words: 0,
        });
        for event in self.piece.events.iter().skip(self.event).take(step.events) {
            if let Event::Clock { micros } = event {
                let time = self.piece.begun.saturating_add((*micros).into());
                self.piece.time = self.piece.time.max(time);
            }
        }
        self.step += 1;
        self.event += step.events;
        step
    }

    /// Every event that is still to come.
    pub fn for_each_left<F: SiteFacts>(&self, facts: &F, mut take: impl FnMut(&Event)) {
        let left = self.piece.events.get(self.event..).unwrap_or_default();
        left.iter().for_each(&mut take);
        for content in &self.contents {
            if let Ok(block) = EventBlock::decode(content) {
                // Events before the place that does not decode count.
                let _ = EventDecoder::new(facts).decode(&block, |event| take(&event));
            }
        }
    }
}

impl Piece {
    fn decode<F: SiteFacts>(&mut self, content: &[u8], facts: &F) -> Result<(), FormatError> {
        self.events.clear();
        self.steps.clear();
        self.seen = None;
        let block = EventBlock::decode(content)?;
        self.begun = block.header.begun;
        self.time = self.begun;
        self.epoch = block.header.epoch;
        self.is_late = block.header.flags.has(EventFlags::LATE);
        self.is_after_cut = block.header.flags.has(EventFlags::AFTER_CUT);
        let mut steps = Steps {
            piece: self,
            counted: 0,
        };
        let decoded = EventDecoder::new(facts).decode_into(&block, &mut steps);
        steps.end();
        self.seen = decoded?.seen;
        Ok(())
    }
}

/// Cuts what is decoded into steps.
struct Steps<'a> {
    piece: &'a mut Piece,
    counted: usize,
}

impl Steps<'_> {
    fn add(&mut self, words: u64) {
        let events = self.piece.events.len() - self.counted;
        self.counted = self.piece.events.len();
        self.piece.steps.push(Step { events, words });
    }

    fn end(&mut self) {
        if self.piece.events.len() > self.counted {
            self.add(0);
        }
    }
}

impl EventSink for Steps<'_> {
    /// Each event comes by itself, with its words.
    fn plain(&mut self, _: u64, _: &[Word]) -> PlainRun {
        PlainRun::default()
    }

    fn event(&mut self, event: Event) {
        self.piece.events.push(event);
    }

    fn passed(&mut self, words: &[Word]) {
        self.add(words_as_written(words));
    }
}
