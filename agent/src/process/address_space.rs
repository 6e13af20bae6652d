//! How much address space the process may still map, if that is limited (`ulimit -v`).
//!
//! Under such a limit, everything that the agent reserves is missing for the program's threads and libraries, used or not. So the agent
//! keeps a distance from the limit.

use std::mem::MaybeUninit;

use ducktrack_hotspot::page_size;

/// Bytes left to the program, for thread stacks of 1 MB each and for malloc, which maps 64 MB at a time.
const LEFT_TO_THE_PROGRAM: usize = 96 << 20;

/// Bytes that may still be mapped; `None` without a limit. Does not allocate.
pub(crate) fn room() -> Option<usize> {
    let mut limit = MaybeUninit::uninit();
    // SAFETY: the kernel fills the structure, which is ours.
    if unsafe { libc::getrlimit(libc::RLIMIT_AS, limit.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: the call succeeded, so the structure was filled.
    let limit: libc::rlimit = unsafe { limit.assume_init() };
    if limit.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    let limit = usize::try_from(limit.rlim_cur).unwrap_or(usize::MAX);
    Some(limit.saturating_sub(mapped()))
}

/// Whether the agent may map this many more bytes.
pub(crate) fn has_room_for(bytes: usize) -> bool {
    room().is_none_or(|room| room >= bytes.saturating_add(LEFT_TO_THE_PROGRAM))
}

/// Bytes that are mapped: the first number of `/proc/self/statm`, in pages. 0 if it cannot be read.
fn mapped() -> usize {
    let mut text = [0_u8; 32];
    // SAFETY: the path is NUL-terminated.
    let file = unsafe {
        libc::open(
            c"/proc/self/statm".as_ptr(),
            libc::O_RDONLY | libc::O_CLOEXEC,
        )
    };
    if file < 0 {
        return 0;
    }
    // SAFETY: the buffer has as many bytes as requested, and the file is open.
    let length = unsafe { libc::read(file, text.as_mut_ptr().cast(), text.len()) };
    // SAFETY: the file was opened above, and no other code has the descriptor.
    unsafe { libc::close(file) };
    let length = usize::try_from(length).unwrap_or(0);
    let digits = text
        .iter()
        .take(length)
        .take_while(|byte| byte.is_ascii_digit());
    let pages = digits.fold(0_usize, |sum, digit| {
        sum.saturating_mul(10) + usize::from(digit - b'0')
    });
    pages.saturating_mul(page_size())
}

#[cfg(test)]
mod tests {
    #[test]
    fn what_is_mapped_is_known() {
        let before = super::mapped();
        assert!(before > 1 << 20);
        let more = ducktrack_hotspot::Reservation::anywhere(64 << 20).expect("address space");
        assert!(
            super::mapped() >= before + (64 << 20) - (1 << 20),
            "{more:?}"
        );
    }
}
