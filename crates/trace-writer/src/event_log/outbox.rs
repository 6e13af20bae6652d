//! Messages on their way to the pipeline, in two steps: their order is set under
//! the caller's locks, and the pipeline is woken when the caller holds none.
//!
//! Waking a thread may cost the waker its core for milliseconds. In a pause, that
//! would be a longer pause; under the lock of a buffer, the pause would wait for it.

use crossbeam_channel::Sender;
use parking_lot::Mutex;

pub(super) struct Outbox<T> {
    waiting: Mutex<Vec<T>>,
    /// Held while messages go into the channel, so that they keep their order.
    turn: Mutex<()>,
    sender: Sender<T>,
}

impl<T> Outbox<T> {
    pub(super) fn new(sender: Sender<T>) -> Self {
        Self {
            waiting: Mutex::default(),
            turn: Mutex::default(),
            sender,
        }
    }

    /// Sets the place of a message. Neither blocks for long nor wakes a thread.
    pub(super) fn put(&self, message: T) {
        self.waiting.lock().push(message);
    }

    /// Delivers what waits; what the channel refuses, because the pipeline has ended, goes to
    /// `refused`. If another thread delivers at the moment, it takes what waits here as well.
    pub(super) fn deliver(&self, refused: impl Fn(T)) {
        while !self.waiting.lock().is_empty() {
            let Some(_turn) = self.turn.try_lock() else {
                return;
            };
            let messages = std::mem::take(&mut *self.waiting.lock());
            for message in messages {
                if let Err(error) = self.sender.send(message) {
                    refused(error.into_inner());
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use crossbeam_channel::unbounded;

    use super::*;

    #[test]
    fn messages_of_a_thread_keep_their_order_whoever_delivers_them() {
        let (sender, receiver) = unbounded();
        let outbox = Outbox::new(sender);
        thread::scope(|scope| {
            for thread in 0..4_u8 {
                let outbox = &outbox;
                scope.spawn(move || {
                    for number in 0..1000_u16 {
                        outbox.put((thread, number));
                        outbox.deliver(|_| panic!("the channel is open"));
                    }
                });
            }
        });
        let mut next = [0_u16; 4];
        for (thread, number) in receiver.try_iter() {
            let next = &mut next[usize::from(thread)];
            assert_eq!(number, *next);
            *next += 1;
        }
        assert_eq!(next, [1000; 4]);
    }

    #[test]
    fn what_nobody_receives_is_refused() {
        let (sender, receiver) = unbounded();
        let outbox = Outbox::new(sender);
        drop(receiver);
        outbox.put(1);
        let refused = Mutex::new(0);
        outbox.deliver(|_| *refused.lock() += 1);
        assert_eq!(*refused.lock(), 1);
    }
}
