//! Wakes the agent's own thread early, by a call from anywhere (even inside a pause).

use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

/// An eventfd. If the system cannot provide one, or after the end of the run, the thread only checks at its usual interval.
pub(crate) struct Wake {
    event: Mutex<Option<Arc<OwnedFd>>>,
    snapshot: AtomicBool,
}

impl Wake {
    pub(crate) fn new() -> Self {
        // SAFETY: the call takes two numbers, and returns a descriptor or -1.
        let event = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        Self {
            // SAFETY: the descriptor was just created, and only this value owns it.
            event: Mutex::new(
                (event >= 0).then(|| Arc::new(unsafe { OwnedFd::from_raw_fd(event) })),
            ),
            snapshot: AtomicBool::new(false),
        }
    }

    fn event(&self) -> Option<Arc<OwnedFd>> {
        self.event.lock().clone()
    }

    /// Wakes the thread for the last time; the descriptor is given back.
    pub(crate) fn close(&self) {
        self.wake();
        *self.event.lock() = None;
    }

    /// Requests a snapshot as soon as possible.
    pub(crate) fn request_snapshot(&self) {
        self.snapshot.store(true, Ordering::Release);
        self.wake();
    }

    pub(crate) fn wake(&self) {
        if let Some(event) = self.event() {
            let one = 1u64.to_ne_bytes();
            // SAFETY: writes eight bytes from an array of eight. If the counter
            // is full (2^64 - 2 calls), the thread has been woken already.
            unsafe { libc::write(event.as_raw_fd(), one.as_ptr().cast(), one.len()) };
        }
    }

    /// Waits for a call or until the timeout. Returns whether a snapshot was requested.
    pub(crate) fn wait(&self, at_most: Duration) -> bool {
        let event = self.event();
        let mut entry = libc::pollfd {
            // `poll` ignores negative descriptors.
            fd: event.as_ref().map_or(-1, |event| event.as_raw_fd()),
            events: libc::POLLIN,
            revents: 0,
        };
        let millis = libc::c_int::try_from(at_most.as_millis()).unwrap_or(libc::c_int::MAX);
        // SAFETY: one entry, which lives through the call.
        unsafe { libc::poll(&raw mut entry, 1, millis) };
        if let Some(event) = event {
            take_calls(&event);
        }
        self.snapshot.swap(false, Ordering::AcqRel)
    }
}

fn take_calls(event: &OwnedFd) {
    let mut calls = [0u8; 8];
    // SAFETY: reads eight bytes into an array of eight; the non-blocking descriptor fails at once if there was no call.
    unsafe { libc::read(event.as_raw_fd(), calls.as_mut_ptr().cast(), calls.len()) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_heard_once_also_before_the_wait() {
        let wake = Wake::new();
        wake.request_snapshot();
        let hour = Duration::from_secs(3600);
        assert!(wake.wait(hour));
        assert!(!wake.wait(Duration::ZERO));
        wake.wake();
        assert!(!wake.wait(hour));
    }
}
