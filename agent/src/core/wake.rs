//! Wakes the agent's own thread early: a call from anywhere (even inside a pause), or a client at the run's socket.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// An eventfd. If the system cannot provide one, the thread only checks at its usual interval.
pub(crate) struct Wake {
    event: Option<OwnedFd>,
    snapshot: AtomicBool,
}

/// The reasons for waking the thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Woken {
    /// A snapshot was requested.
    pub(crate) snapshot: bool,
    /// A client is at the socket.
    pub(crate) visitor: bool,
}

impl Wake {
    pub(crate) fn new() -> Self {
        // SAFETY: the call takes two numbers, and returns a descriptor or -1.
        let event = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        Self {
            // SAFETY: the descriptor was just created, and only this value owns it.
            event: (event >= 0).then(|| unsafe { OwnedFd::from_raw_fd(event) }),
            snapshot: AtomicBool::new(false),
        }
    }

    /// Requests a snapshot as soon as possible.
    pub(crate) fn request_snapshot(&self) {
        self.snapshot.store(true, Ordering::Release);
        self.wake();
    }

    pub(crate) fn wake(&self) {
        if let Some(event) = &self.event {
            let one = 1u64.to_ne_bytes();
            // SAFETY: writes eight bytes from an array of eight. If the counter is full (2^64 - 2 calls), the thread has been woken already.
            unsafe { libc::write(event.as_raw_fd(), one.as_ptr().cast(), one.len()) };
        }
    }

    /// Waits for a call, for a client, or until the timeout.
    pub(crate) fn wait(&self, socket: Option<BorrowedFd<'_>>, at_most: Duration) -> Woken {
        let entry = |fd: Option<i32>| libc::pollfd {
            // `poll` ignores negative descriptors.
            fd: fd.unwrap_or(-1),
            events: libc::POLLIN,
            revents: 0,
        };
        let mut entries = [
            entry(self.event.as_ref().map(AsRawFd::as_raw_fd)),
            entry(socket.map(|socket| socket.as_raw_fd())),
        ];
        let millis = libc::c_int::try_from(at_most.as_millis()).unwrap_or(libc::c_int::MAX);
        // SAFETY: the array has two entries and lives through the call.
        unsafe { libc::poll(entries.as_mut_ptr(), 2, millis) };
        self.take_calls();
        Woken {
            snapshot: self.snapshot.swap(false, Ordering::AcqRel),
            visitor: entries[1].revents & libc::POLLIN != 0,
        }
    }

    fn take_calls(&self) {
        if let Some(event) = &self.event {
            let mut calls = [0u8; 8];
            // SAFETY: reads eight bytes into an array of eight; the non-blocking descriptor fails at once if there was no call.
            unsafe { libc::read(event.as_raw_fd(), calls.as_mut_ptr().cast(), calls.len()) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_heard_once_also_before_the_wait() {
        let wake = Wake::new();
        wake.request_snapshot();
        let hour = Duration::from_secs(3600);
        assert!(wake.wait(None, hour).snapshot);
        assert_eq!(wake.wait(None, Duration::ZERO), Woken::default());
        wake.wake();
        assert_eq!(wake.wait(None, hour), Woken::default());
    }
}
