//! Updates of references and calls of a trace of `mode=full`, as records of the neutral stream.
//!
//! They name objects by address, as the thread saw it. The object at an address follows from the
//! collections since, and from the objects that the next collection finds without an event. Records that
//! cannot be written are left out and counted. The object's death is known from its stamps all the same.

use ducktrack_merlin::{ObjectId, Record, RootKind, SlotId};
use ducktrack_trace_format::{Event, MethodEvent, StaticUpdate, Update};

use crate::deaths::bridge::output::BridgeOutput;
use crate::deaths::bridge::{ToldLevel, TraceBridge};
use ducktrack_count_model::TypeColumn;

impl TraceBridge {
    /// Addresses in the event that belong to the current epoch.
    pub(crate) fn addresses_of_now(
        &self,
        event: &Event,
        seen: u32,
    ) -> impl Iterator<Item = u64> + use<> {
        let (addresses, said) = match event {
            Event::Update(update) => ([update.source, update.old, update.new], update.seen),
            Event::StaticUpdate(update) => ([0, update.old, update.new], update.seen),
            Event::Enter(call) | Event::Thrown(call) => ([0, 0, call.object], call.seen),
            _ => ([0; 3], None),
        };
        let are_now = said.unwrap_or(seen) == self.epoch;
        let addresses = addresses.into_iter();
        addresses.filter(move |address| are_now && *address != 0)
    }

    pub(crate) fn witness_event(&mut self, event: &Event, seen: u32, out: &mut BridgeOutput<'_>) {
        match event {
            Event::Update(update) => self.update(update, seen, out),
            Event::StaticUpdate(update) => self.static_update(update, seen, out),
            Event::Enter(call) => {
                let (method, receiver) = self.call(call, seen, out);
                self.say(Record::Entry { method, receiver }, out);
            }
            Event::Exit { method } => {
                let method = self.names.called_method(*method, out);
                let receiver = None;
                self.say(Record::Exit { method, receiver }, out);
            }
            Event::Thrown(call) => {
                let (method, exception) = self.call(call, seen, out);
                let record = Record::ExceptionalExit {
                    method,
                    receiver: None,
                    exception,
                };
                self.say(record, out);
            }
            _ => {}
        }
    }

    fn update(&mut self, update: &Update, seen: u32, out: &mut BridgeOutput<'_>) {
        self.tell_level(ToldLevel::Full, out);
        let seen = update.seen.unwrap_or(seen);
        let source = self.object_at(update.source, seen, out);
        let old = self.object_at(update.old, seen, out);
        let new = self.object_at(update.new, seen, out);
        let slot = SlotId(update.slot);
        match (source, old) {
            (Some(_), _) => self.say(
                Record::Update {
                    source,
                    slot,
                    old,
                    new,
                },
                out,
            ),
            // Where the reference was is not known, but what it held was reachable.
            (None, Some(object)) => {
                let kind = RootKind::Runtime;
                self.say(Record::Root { kind, object }, out);
            }
            (None, None) => {}
        }
    }

    fn static_update(&mut self, update: &StaticUpdate, seen: u32, out: &mut BridgeOutput<'_>) {
        self.tell_level(ToldLevel::Full, out);
        let seen = update.seen.unwrap_or(seen);
        let record = Record::Update {
            source: None,
            slot: self.names.static_slot(update.field),
            old: self.object_at(update.old, seen, out),
            new: self.object_at(update.new, seen, out),
        };
        self.say(record, out);
    }

    fn call(
        &mut self,
        call: &MethodEvent,
        seen: u32,
        out: &mut BridgeOutput<'_>,
    ) -> (ducktrack_merlin::MethodId, Option<ObjectId>) {
        let method = self.names.called_method(call.method, out);
        let object = self.object_at(call.object, call.seen.unwrap_or(seen), out);
        (method, object)
    }

    /// The object that was at the address in this epoch; `None`: null, or not known.
    pub(crate) fn object_at(
        &mut self,
        address: u64,
        seen: u32,
        out: &mut BridgeOutput<'_>,
    ) -> Option<ObjectId> {
        if address == 0 {
            return None;
        }
        let now = self.history.now(address, seen);
        let known = now
            .and_then(|now| self.live.get(now))
            .map(|live| live.object);
        if known.is_some() {
            return known;
        }
        let found = now.and_then(|now| Some((now, self.without_event(now)?)));
        let Some((now, facts)) = found else {
            self.losses.unknown_references += 1;
            if let Some(now) = now {
                *self.early.entry(now).or_default() += 1;
            }
            return None;
        };
        Some(self.found_at(now, facts, self.epoch, out))
    }

    /// Type and size of an object that the next collection finds at the address,
    /// alive or dead, though no event made it. Of a dead one they are not known.
    fn without_event(&mut self, address: u64) -> Option<(TypeColumn, u64)> {
        let found = self.found.remove(&address);
        found.or_else(|| {
            let is_dead = self.stamps.names_dead(address, self.epoch);
            is_dead.then_some((TypeColumn::NONE, 0))
        })
    }

    /// An event of the stream.
    pub(crate) fn say(&mut self, record: Record, out: &mut BridgeOutput<'_>) {
        self.time += 1;
        out.push(record);
    }
}
