//! Two at a time: a run has compiler and collector threads of its own.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

const WORKERS: usize = 2;

/// Does all tasks, prints each failure as it comes, gives the results in order of the tasks.
pub(crate) fn run<T: Sync, R: Send>(
    tasks: &[T],
    work: impl Fn(&T) -> Result<R, String> + Sync,
) -> Vec<Result<R, String>> {
    let next = AtomicUsize::new(0);
    let results: Vec<Mutex<Option<Result<R, String>>>> =
        tasks.iter().map(|_| Mutex::new(None)).collect();
    std::thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let (Some(task), Some(result)) = (tasks.get(index), results.get(index)) else {
                        return;
                    };
                    let outcome = work(task);
                    if let Err(lines) = &outcome {
                        println!("FAIL {lines}");
                    }
                    *result.lock().expect("no worker panicked") = Some(outcome);
                }
            });
        }
    });
    let missing = || Err("a worker panicked".to_owned());
    results
        .into_iter()
        .map(|result| result.into_inner().ok().flatten().unwrap_or_else(missing))
        .collect()
}
