//! Records to bytes, within one block. `STREAM.md` has the table.
//!
//! Object ids are written as the distance from the latest allocation: programs use young objects. Clocks are written as what
//! they went on since the last reading in the block.

use crate::stream::record::{Allocation, Definition, ObjectId, Reading, Record, SlotId, Time};
use crate::stream::tag;
use crate::stream::varint::{put, zigzag};

/// The base of a block's records.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct BlockState {
    /// Events and ticks so far.
    pub(crate) time: Time,
    /// The object allocated last; 0: none.
    pub(crate) latest: u64,
    /// Clocks at the last reading of the block.
    pub(crate) clocks: [u64; 3],
}

impl BlockState {
    /// The state at the start of the next block.
    pub(crate) fn next_block(self) -> Self {
        Self {
            clocks: [0; 3],
            ..self
        }
    }
}

/// Why a record cannot be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unwritable {
    /// A clock went back.
    ClockWentBack,
    /// A stamp lies in the future.
    FutureStamp,
    /// The time does not fit 64 bits.
    Time,
}

/// Appends the record.
pub(crate) fn encode(
    out: &mut Vec<u8>,
    state: &mut BlockState,
    record: &Record,
) -> Result<(), Unwritable> {
    // Every check comes before the first change: a record that is left out leaves no trace.
    let moments = match record {
        Record::Tick { advance, .. } => *advance,
        _ => u64::from(record.is_event()),
    };
    let after = state.time.checked_add(moments).ok_or(Unwritable::Time)?;
    match record {
        Record::Allocation(allocation) => put_allocation(out, state, allocation),
        Record::Update {
            source,
            slot,
            old,
            new,
        } => {
            put_store(out, state, tag::UPDATE, *source, *slot);
            put_object(out, state, *old);
            put_object(out, state, *new);
        }
        Record::Store { source, slot, new } => {
            put_store(out, state, tag::STORE, *source, *slot);
            put_object(out, state, *new);
        }
        Record::Use(object) => put_named(out, state, tag::USE, *object),
        Record::Root { kind, object } => {
            out.push(tag::ROOT);
            put(out, kind.number());
            put_object(out, state, Some(*object));
        }
        Record::Entry { method, receiver } => {
            out.push(tag::ENTRY);
            put(out, method.0.into());
            put_object(out, state, *receiver);
        }
        Record::Exit { method, receiver } => {
            out.push(tag::EXIT);
            put(out, method.0.into());
            put_object(out, state, *receiver);
        }
        Record::ExceptionalExit {
            method,
            receiver,
            exception,
        } => {
            out.push(tag::EXCEPTIONAL_EXIT);
            put(out, method.0.into());
            put_object(out, state, *receiver);
            put_object(out, state, *exception);
        }
        Record::Thread(thread) => {
            out.push(tag::THREAD);
            put(out, thread.0.into());
        }
        Record::Tick { advance, reading } => put_tick(out, state, *advance, reading)?,
        Record::Collection { number, complete } => {
            out.push(tag::COLLECTION);
            put(out, u64::from(*complete));
            put(out, *number);
        }
        Record::Dead(object) => put_named(out, state, tag::DEAD, *object),
        Record::Kept(object) => put_named(out, state, tag::KEPT, *object),
        Record::Stamp { object, used, lost } => {
            let (used, lost) = (back(state, *used)?, back(state, *lost)?);
            put_named(out, state, tag::STAMP, *object);
            put(out, used);
            put(out, lost);
        }
        Record::Reference { slot, target } => {
            out.push(tag::REFERENCE);
            put(out, slot.0.into());
            put_object(out, state, Some(*target));
        }
        Record::CollectionEnd => out.push(tag::COLLECTION_END),
        Record::Definition(definition) => put_definition(out, definition),
    }
    state.time = after;
    Ok(())
}

fn put_allocation(out: &mut Vec<u8>, state: &mut BlockState, allocation: &Allocation) {
    out.push(tag::ALLOCATION);
    let id = allocation.object.get();
    // Ids are below 2^62: the difference fits. The next id in order is 0.
    put(out, zigzag(id as i64 - state.latest as i64 - 1));
    put(out, allocation.ty.0.into());
    put(out, allocation.site.0.into());
    put(out, allocation.bytes);
    // 0: no array. The longest length is taken as one less; no runtime has it.
    put(
        out,
        allocation
            .length
            .map_or(0, |length| length.saturating_add(1)),
    );
    state.latest = id;
}

fn put_store(
    out: &mut Vec<u8>,
    state: &BlockState,
    tag: u8,
    source: Option<ObjectId>,
    slot: SlotId,
) {
    out.push(tag);
    put_object(out, state, source);
    put(out, slot.0.into());
}

fn put_named(out: &mut Vec<u8>, state: &BlockState, tag: u8, object: ObjectId) {
    out.push(tag);
    put_object(out, state, Some(object));
}

/// 0: no object; else one more than the zigzag of the distance back from the latest allocation.
fn put_object(out: &mut Vec<u8>, state: &BlockState, object: Option<ObjectId>) {
    match object {
        None => put(out, 0),
        // Within 2^63 - 1, so that one more fits.
        Some(object) => put(out, zigzag(state.latest as i64 - object.get() as i64) + 1),
    }
}

/// 0: never; else one more than the moments from the stamp until now.
fn back(state: &BlockState, stamp: Option<Time>) -> Result<u64, Unwritable> {
    let Some(stamp) = stamp else { return Ok(0) };
    let moments = state.time.checked_sub(stamp);
    moments
        .and_then(|moments| moments.checked_add(1))
        .ok_or(Unwritable::FutureStamp)
}

fn put_tick(
    out: &mut Vec<u8>,
    state: &mut BlockState,
    advance: u64,
    reading: &Reading,
) -> Result<(), Unwritable> {
    let mut clocks = state.clocks;
    let mut mask = 0;
    let mut steps = Vec::with_capacity(3);
    let readings = [reading.bytes, reading.calls, reading.micros];
    for (bit, (value, last)) in readings.iter().zip(&mut clocks).enumerate() {
        if let Some(value) = value {
            steps.push(value.checked_sub(*last).ok_or(Unwritable::ClockWentBack)?);
            *last = *value;
            mask |= 1 << bit;
        }
    }
    state.clocks = clocks;
    out.push(tag::TICK);
    put(out, mask);
    put(out, advance);
    for step in steps {
        put(out, step);
    }
    Ok(())
}

fn put_definition(out: &mut Vec<u8>, definition: &Definition) {
    let mut content = Vec::new();
    let tag = match definition {
        Definition::Fact { key, value } => {
            put_text(&mut content, key);
            put_text(&mut content, value);
            tag::FACT
        }
        Definition::Type { ty, name } => {
            put(&mut content, ty.0.into());
            put_text(&mut content, name);
            tag::TYPE
        }
        Definition::Method {
            method,
            class,
            name,
            file,
        } => {
            put(&mut content, method.0.into());
            for text in [class, name, file] {
                put_text(&mut content, text);
            }
            tag::METHOD
        }
        Definition::Site {
            site,
            method,
            line,
            caller,
        } => {
            for number in [site.0, method.0, *line, caller.0] {
                put(&mut content, number.into());
            }
            tag::SITE
        }
        Definition::Thread { thread, name } => {
            put(&mut content, thread.0.into());
            put_text(&mut content, name);
            tag::THREAD_NAME
        }
    };
    out.push(tag);
    put(out, content.len() as u64);
    out.extend_from_slice(&content);
}

/// Longer names are cut, at a character: a block must hold them.
const LONGEST_NAME: usize = 4096;

fn put_text(out: &mut Vec<u8>, text: &str) {
    let mut end = text.len().min(LONGEST_NAME);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text.get(..end).unwrap_or_default();
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}
