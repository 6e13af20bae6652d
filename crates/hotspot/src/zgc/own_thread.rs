//! A thread of the agent for work that drivers need not wait for, in order.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::error::Error;

/// Takes work in order, on a thread of its own.
pub(crate) struct OwnThread<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

struct State<T> {
    work: VecDeque<T>,
    /// Work that was taken and is not done.
    is_busy: bool,
    /// What is left of that work holds nobody up.
    is_let_go: bool,
    has_ended: bool,
}

/// Marks work as done, even if it panicked.
struct Busy<'a, T>(&'a OwnThread<T>);

impl<T> Drop for Busy<'_, T> {
    fn drop(&mut self) {
        self.0.state().is_busy = false;
        self.0.changed.notify_all();
    }
}

impl<T: Send + 'static> OwnThread<T> {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                work: VecDeque::new(),
                is_busy: false,
                is_let_go: false,
                has_ended: false,
            }),
            changed: Condvar::new(),
        })
    }

    /// Starts the thread, which does all work with `do_one`.
    ///
    /// # Errors
    /// There can be no thread.
    pub(crate) fn start(
        self: &Arc<Self>,
        name: &str,
        do_one: impl Fn(T) + Send + 'static,
    ) -> Result<(), Error> {
        let this = Arc::clone(self);
        let work = move || {
            while let Some(one) = this.next() {
                let _busy = Busy(&this);
                // A driver may wait for the next one. What failed is not told, which the next one shows.
                if let Err(payload) = catch_unwind(AssertUnwindSafe(|| do_one(one))) {
                    // The payload's destructor might panic as well.
                    std::mem::forget(payload);
                }
            }
        };
        let thread = std::thread::Builder::new()
            .name(name.to_owned())
            .spawn(work);
        thread.map(drop).map_err(|_| Error::Ambiguous {
            what: "a thread of the agent",
        })
    }

    pub(crate) fn give(&self, one: T) {
        self.state().work.push_back(one);
        self.changed.notify_all();
    }

    /// Waits until all work is done. Not on the thread itself.
    pub(crate) fn wait(&self) {
        self.wait_while(|state| state.is_busy || !state.work.is_empty());
    }

    /// Waits until all work is done or let go.
    pub(crate) fn wait_for_need(&self) {
        self.wait_while(|state| state.is_busy && !state.is_let_go || !state.work.is_empty());
    }

    fn wait_while(&self, is_at_work: impl Fn(&State<T>) -> bool) {
        let waited = self
            .changed
            .wait_while(self.state(), |state| is_at_work(state));
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// On the thread itself: what is left of this work need not be waited for.
    pub(crate) fn let_go(&self) {
        self.state().is_let_go = true;
        self.changed.notify_all();
    }

    /// Lets the thread end, once all work is done.
    pub(crate) fn end(&self) {
        self.state().has_ended = true;
        self.changed.notify_all();
    }

    fn next(&self) -> Option<T> {
        let is_idle = |state: &mut State<T>| state.work.is_empty() && !state.has_ended;
        let waited = self.changed.wait_while(self.state(), is_idle);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        let next = state.work.pop_front();
        state.is_busy = next.is_some();
        state.is_let_go = false;
        next
    }
}

impl<T> OwnThread<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_let_go_is_not_waited_for() {
        let (go_on, may_go_on) = std::sync::mpsc::channel::<()>();
        let thread = OwnThread::new();
        let own = Arc::clone(&thread);
        let do_one = move |(): ()| {
            own.let_go();
            let _ = may_go_on.recv();
        };
        thread.start("test", do_one).expect("a thread");
        thread.give(());
        thread.wait_for_need();
        assert!(thread.state().is_busy);
        drop(go_on);
        thread.wait();
        thread.end();
    }

    #[test]
    fn work_is_done_in_order_and_waited_for() {
        let (done, thread) = (Arc::new(Mutex::new(Vec::new())), OwnThread::new());
        let results = Arc::clone(&done);
        let do_one = move |one: u32| {
            std::thread::sleep(std::time::Duration::from_millis(2));
            results.lock().expect("results").push(one);
        };
        thread.wait();
        (0..3).for_each(|one| thread.give(one));
        thread.start("test", do_one).expect("a thread");
        thread.wait();
        assert_eq!(*done.lock().expect("results"), [0, 1, 2]);
        thread.give(3);
        thread.wait_for_need();
        thread.end();
        thread.wait();
        assert_eq!(done.lock().expect("results").len(), 4);
    }
}
