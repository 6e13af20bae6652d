//! The stamps and references of a trace of `mode=deaths`, as records of the neutral stream.
//!
//! ```text
//! block STAMPS: address, positions, (slot, address)*   ── objects that are alive, by address ──>   Dead, Stamp, Reference*
//! ```
//!
//! A stamp is of the object if it is not older than the epoch of its birth; else it is of another one that was at its first
//! address. An object of which the trace has no stamps, though it died, has no `Stamp` record: its death is not known.

use ducktrack_merlin::{ObjectId, Record, SlotId, Time};
use ducktrack_trace_format::{DeadObject, FormatError, Position, ThreadId, decode_stamps};
use rustc_hash::FxHashMap;

use crate::deaths::bridge::output::BridgeOutput;
use crate::deaths::bridge::thread_positions::{Placed, ThreadPositions};
use ducktrack_live_heap::{AddressMap, Fate, FateMap, HasAddress};

/// An object that is alive, by its address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Living {
    pub(crate) object: ObjectId,
    pub(crate) bytes: u64,
    /// Collections before its birth.
    pub(crate) born: u32,
    /// The low bits of its address.
    pub(crate) low: u32,
    /// Its death was written in the current collection.
    pub(crate) is_written: bool,
}

/// Objects by address; chunks are small, because threads allocate side by side and are asked for what they have just made.
pub(crate) type LivingObjects = AddressMap<Living, 14>;

impl HasAddress for Living {
    #[inline]
    fn low(&self) -> u32 {
        self.low
    }

    #[inline]
    fn bytes(&self) -> u64 {
        self.bytes
    }
}

impl Living {
    pub(crate) fn new(object: ObjectId, bytes: u64, born: u32) -> Self {
        Self {
            object,
            bytes,
            born,
            low: 0,
            is_written: false,
        }
    }
}

/// The known positions, and records that wait for the next collection.
#[derive(Debug, Default)]
pub(crate) struct Stamps {
    are_known: bool,
    threads: FxHashMap<ThreadId, ThreadPositions>,
    /// The first moment of each epoch but the first.
    epochs: Vec<u64>,
    /// Contents of blocks before the next collection.
    contents: Vec<Vec<u8>>,
    /// The addresses in these, ascending; made when they are asked for.
    dead: Option<Vec<u64>>,
    /// Where threads go on after it.
    next: Vec<(ThreadId, u64)>,
}

impl Stamps {
    /// Takes a block of stamps; it waits for its collection.
    pub(crate) fn take(&mut self, content: Vec<u8>) -> Result<(), FormatError> {
        let (head, _) = decode_stamps(&content)?;
        self.next.extend(head.threads);
        self.contents.push(content);
        self.dead = None;
        self.are_known = true;
        Ok(())
    }

    /// Whether the trace has stamps.
    pub(crate) fn are_known(&self) -> bool {
        self.are_known
    }

    /// A thread's next words are read.
    pub(crate) fn begin(&mut self, thread: ThreadId, placed: Placed) {
        self.threads.entry(thread).or_default().begin(placed);
    }

    /// How many words of it were read, and how many events.
    pub(crate) fn pass(&mut self, thread: ThreadId, words: u64, events: u64) {
        if let Some(positions) = self.threads.get_mut(&thread) {
            positions.pass(words, events);
        }
    }

    /// Whether the collection at the end of this epoch finds an object at the address dead.
    pub(crate) fn names_dead(&mut self, address: u64, epoch: u32) -> bool {
        let contents = &self.contents;
        let dead = self.dead.get_or_insert_with(|| {
            let mut dead = Vec::new();
            for content in contents {
                if let Ok((head, objects)) = decode_stamps(content)
                    && head.epoch == epoch
                {
                    let objects = objects.map_while(Result::ok);
                    dead.extend(objects.map(|object| object.address));
                }
            }
            dead.sort_unstable();
            dead
        });
        dead.binary_search(&address).is_ok()
    }

    /// An epoch begins.
    pub(crate) fn begin_epoch(&mut self, placed: Placed) {
        self.epochs
            .resize((placed.epoch as usize).max(1), placed.time);
        for (thread, position) in self.next.drain(..) {
            let positions = self.threads.entry(thread).or_default();
            positions.go_on(position, placed);
        }
    }

    /// Writes what the collection at the end of this epoch found dead.
    pub(crate) fn write(
        &mut self,
        epoch: u32,
        live: &mut LivingObjects,
        fates: &FateMap,
        out: &mut BridgeOutput<'_>,
    ) {
        let mut cursor = fates.cursor();
        self.dead = None;
        for content in std::mem::take(&mut self.contents) {
            let Ok((head, dead)) = decode_stamps(&content) else {
                continue;
            };
            if head.epoch != epoch {
                continue;
            }
            for dead in dead.map_while(Result::ok) {
                let Some(living) = live.get(dead.address) else {
                    continue;
                };
                let is_first = !std::mem::replace(&mut living.is_written, true);
                let living = *living;
                if cursor.fate(dead.address) == Fate::Dead && is_first {
                    self.write_one(&dead, living, live, out);
                }
            }
        }
    }

    fn write_one(
        &self,
        dead: &DeadObject,
        living: Living,
        live: &mut LivingObjects,
        out: &mut BridgeOutput<'_>,
    ) {
        out.push(Record::Dead(living.object));
        out.push(Record::Stamp {
            object: living.object,
            used: self.time_of(dead.used, living.born),
            lost: self.time_of(dead.lost, living.born),
        });
        for (slot, target) in &dead.references {
            if let Some(target) = live.get(*target) {
                out.push(Record::Reference {
                    slot: SlotId(*slot),
                    target: target.object,
                });
            }
        }
    }

    /// `None`: the moment is not in the life of an object born in this epoch.
    fn time_of(&self, position: Option<Position>, born: u32) -> Option<Time> {
        let position = position?;
        let placed = match position.thread {
            Some(thread) => self.threads.get(&thread)?.at(position.words)?,
            None => self.end_of_epoch(position.words.checked_sub(1)?)?,
        };
        (placed.epoch >= born).then_some(placed.time)
    }

    /// Where a thread without a buffer was is known by the epoch only.
    fn end_of_epoch(&self, epoch: u64) -> Option<Placed> {
        let next = usize::try_from(epoch).ok()?;
        Some(Placed {
            // The current epoch ends now, or later than any moment.
            time: self.epochs.get(next).map_or(Time::MAX, |first| first - 1),
            epoch: u32::try_from(epoch).ok()?,
        })
    }
}
