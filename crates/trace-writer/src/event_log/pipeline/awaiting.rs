//! Waiting for a collection that goes on while the program runs (ZGC).
//!
//! Its place among events is a pause long ago; what came since can be judged only after it.
//! Meanwhile messages are taken off the queue, so that the program's threads need not wait, up to
//! [`MOST_BYTES`] of buffers; beyond that they do. Those that have a copy in `events.live` keep it.

use std::collections::VecDeque;

use crossbeam_channel::{Receiver, select};
use ducktrack_trace_format::BlockKind;

use super::Pipeline;
use crate::event_log::flush_queue::{AwaitedCollection, Message};

/// Bytes of buffers that wait here.
const MOST_BYTES: u64 = 256 << 20;

/// Messages that came while a collection was awaited, in order.
#[derive(Default)]
pub(super) struct Later {
    messages: VecDeque<Message>,
    bytes: u64,
}

impl Pipeline {
    /// Waits for a collection that began here. The agent fills every place, at the latest at its end.
    pub(super) fn awaited(
        &mut self,
        place: &Receiver<AwaitedCollection>,
        messages: &Receiver<Message>,
    ) {
        self.hand_out();
        let awaited = loop {
            if self.later.bytes >= MOST_BYTES {
                break place.recv().ok();
            }
            select! {
                recv(place) -> awaited => break awaited.ok(),
                recv(messages) -> message => match message {
                    Ok(message) => self.put_off(message),
                    Err(_) => break place.recv().ok(),
                },
            }
        };
        if let Some(awaited) = awaited {
            self.classes(&awaited.classes);
            let uses = awaited.uses.into_iter();
            self.ahead
                .extend(uses.map(|content| (BlockKind::USES, content)));
            self.is_awaited = true;
            self.collection(*awaited.collection, awaited.survivors, awaited.copy);
            self.is_awaited = false;
        }
    }

    /// The next message that is there.
    pub(super) fn try_next(&mut self, messages: &Receiver<Message>) -> Option<Message> {
        let Some(message) = self.later.messages.pop_front() else {
            return messages.try_recv().ok();
        };
        if let Message::Buffer(buffer) = &message {
            self.later.bytes -= buffer.bytes();
            self.parts.queue.buffer_waits(buffer.bytes());
        }
        Some(message)
    }

    fn put_off(&mut self, message: Message) {
        if let Message::Buffer(buffer) = &message {
            self.later.bytes += buffer.bytes();
            self.parts.queue.buffer_done(buffer.bytes());
        }
        self.later.messages.push_back(message);
    }
}
