//! The CPU time of the threads that collect in a pause. That of the whole process
//! has the JIT compiler's too, which works on while the program is stopped.

use std::time::Duration;

use rustc_hash::FxHashMap;

use crate::process::other_thread::{OtherThread, thread_ids, thread_name};

/// The VM's thread, which collects with Serial and leads the collection with the others.
const VM: &str = "VM Thread";
/// Threads of Parallel and G1: `GC Thread#0` and so on.
const WORKER: &str = "GC Thread#";

/// The name of a thread of the launcher `java` before it names itself.
const UNNAMED: &str = "java";

/// The collecting threads. There may be more of them from one pause to the next, and in a pause.
#[derive(Default)]
pub(super) struct CollectorThreads {
    /// All threads that have a name of their own. `None`: it does not collect.
    known: FxHashMap<libc::pid_t, Option<OtherThread>>,
}

impl CollectorThreads {
    /// Looks for threads that have started, and says how much CPU time those that collect
    /// have taken. Looking takes time, which does not belong into what is measured.
    pub(super) fn look(&mut self) -> Duration {
        let ids: Vec<libc::pid_t> = thread_ids().collect();
        self.known.retain(|id, _| ids.contains(id));
        let new = ids.iter().filter_map(|id| self.meet(*id));
        new.filter_map(OtherThread::cpu).sum()
    }

    /// One that has just started may have no name of its own yet: it is asked again the next time.
    fn meet(&mut self, id: libc::pid_t) -> Option<OtherThread> {
        if self.known.contains_key(&id) {
            return None;
        }
        let name = thread_name(id).filter(|name| name != UNNAMED)?;
        let thread = collects(&name).then(|| OtherThread::of(id));
        self.known.insert(id, thread);
        thread
    }

    /// CPU time of all that are known.
    pub(super) fn cpu(&self) -> Duration {
        let clocks = self.known.values().flatten();
        clocks.filter_map(|thread| thread.cpu()).sum()
    }
}

fn collects(name: &str) -> bool {
    name == VM || name.starts_with(WORKER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn only_threads_that_collect_count() {
        let mut threads = CollectorThreads::default();
        assert_eq!(threads.look(), Duration::ZERO);
        let (begin, wait) = channel::<()>();
        let (say, end) = channel::<()>();
        let worker = std::thread::Builder::new().name("GC Thread#1".to_owned());
        let worker = worker.spawn(move || {
            for () in wait {
                busy(Duration::from_millis(30));
                say.send(()).expect("the test waits");
            }
        });
        let turn = || {
            begin.send(()).expect("the worker waits");
            end.recv().expect("the worker answers");
        };
        turn();
        assert!(threads.look() >= Duration::from_millis(25));
        assert_eq!(threads.look(), Duration::ZERO);
        let before = threads.cpu();
        busy(Duration::from_millis(30));
        assert!(threads.cpu() - before < Duration::from_millis(20));
        turn();
        assert!(threads.cpu() - before >= Duration::from_millis(25));
        drop(begin);
        worker.expect("a thread").join().expect("no panic");
        threads.look();
        assert_eq!(threads.cpu(), Duration::ZERO);
    }

    /// Of this thread's CPU time.
    fn busy(time: Duration) {
        let start = crate::process::thread_clock::thread_cpu();
        while crate::process::thread_clock::thread_cpu() - start < time {}
    }
}
