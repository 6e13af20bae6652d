//! Settings for the agent's own threads.

/// Blocks all signals on this thread, because signals to the process are meant for the program's threads.
pub fn block_signals() {
    let mut all = std::mem::MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: the first call initializes the set; the second blocks it for this thread only.
    unsafe {
        libc::sigfillset(all.as_mut_ptr());
        libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
    }
}

/// Lets this thread wait for a free core instead of preempting another thread when it is woken. The end of a pause wakes threads with work
/// to do; without this they kept the program waiting for 3 to 5 ms when all cores were busy.
pub fn give_way() {
    let any = libc::sched_param { sched_priority: 0 };
    // SAFETY: affects this thread only. If the call is refused, nothing changes.
    unsafe { libc::sched_setscheduler(0, libc::SCHED_BATCH, &raw const any) };
}
