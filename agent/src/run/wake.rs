//! What wakes the agent's own thread before its time: a call from anywhere (also from a pause), or a client at the run's socket.

use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// An event of the system. Where the system has none to give, the thread only looks around in its usual rhythm.
pub(crate) struct Wake {
    event: Option<OwnedFd>,
    snapshot: AtomicBool,
}

/// What has woken the thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Woken {
    /// A snapshot is wanted.
    pub(crate) snapshot: bool,
    /// A client is at the socket.
    pub(crate) visitor: bool,
}

impl Wake {
    pub(crate) fn new() -> Self {
        // SAFETY: the call takes two numbers and gives a descriptor or -1.
        let event = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC | libc::EFD_NONBLOCK) };
        Self {
            // SAFETY: the descriptor was made a moment ago, and this value owns it.
            event: (event >= 0).then(|| unsafe { OwnedFd::from_raw_fd(event) }),
            snapshot: AtomicBool::new(false),
        }
    }

    /// A snapshot as soon as the thread gets to it.
    pub(crate) fn request_snapshot(&self) {
        self.snapshot.store(true, Ordering::Release);
        self.wake();
    }

    pub(crate) fn wake(&self) {
        if let Some(event) = &self.event {
            let one = 1u64.to_ne_bytes();
            // SAFETY: eight bytes are read from an array of eight. A full event (2^64 - 2 calls) has woken the thread already.
            unsafe { libc::write(event.as_raw_fd(), one.as_ptr().cast(), one.len()) };
        }
    }

    /// Waits for a call, for a visitor, or so long.
    pub(crate) fn wait(&self, socket: Option<BorrowedFd<'_>>, at_most: Duration) -> Woken {
        let entry = |fd: Option<i32>| libc::pollfd {
            // Negative ones are passed over.
            fd: fd.unwrap_or(-1),
            events: libc::POLLIN,
            revents: 0,
        };
        let mut entries = [
            entry(self.event.as_ref().map(AsRawFd::as_raw_fd)),
            entry(socket.map(|socket| socket.as_raw_fd())),
        ];
        let millis = libc::c_int::try_from(at_most.as_millis()).unwrap_or(libc::c_int::MAX);
        // SAFETY: the array has two entries that live through the call.
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
            // SAFETY: eight bytes are written into an array of eight; without a call the descriptor says so at once.
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
