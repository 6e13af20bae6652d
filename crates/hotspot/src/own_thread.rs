//! How a thread of ours behaves among those of the program.

/// Signals of the process are for the threads of the program.
pub fn block_signals() {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: fills the set, then blocks it for this thread.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
}

/// From now on this thread does not take the core from one that wakes it, but waits until there is one for it. The end of a pause wakes those that have work by then:
/// they kept the world waiting for their first 3 to 5 ms, where all cores were busy.
pub fn give_way() {
    let any = libc::sched_param { sched_priority: 0 };
    // SAFETY: of this thread only. Refused, it is as it was.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const any) };
}
