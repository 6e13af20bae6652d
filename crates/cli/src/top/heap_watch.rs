//! Follows the live heap in a thread of its own: a long trace takes its time to be read, and the screen does not wait for it.

use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use ducktrack_count_model::LiveRow;

use super::heap_follower::{HeapFollower, LiveAfter};

/// Between two looks at the files.
const PAUSE: Duration = Duration::from_millis(400);

/// See the module. The thread ends when this is dropped.
pub(crate) struct HeapWatch {
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    seen: Mutex<Seen>,
    changed: Condvar,
}

/// The figures of the last look.
#[derive(Clone, Default)]
pub(crate) struct Seen {
    looks: u64,
    pub(crate) rows: Arc<Vec<LiveRow>>,
    /// The collection after which that is; `None` where the heap is not known.
    pub(crate) collection: Option<u32>,
    pub(crate) live: LiveAfter,
    /// Why there will be no more looks.
    pub(crate) error: Option<String>,
}

impl HeapWatch {
    pub(crate) fn start(directory: &Path) -> Result<Self> {
        let follower = HeapFollower::new(directory)?;
        let shared = Arc::new(Shared::default());
        let of_thread = Arc::downgrade(&shared);
        thread::Builder::new()
            .name("live heap".to_owned())
            .spawn(move || follow(follower, &of_thread))?;
        Ok(Self { shared })
    }

    pub(crate) fn seen(&self) -> Seen {
        self.shared.seen().clone()
    }

    /// The figures of a look that begins from now on.
    pub(crate) fn wait(&self) -> Seen {
        let mut seen = self.shared.seen();
        // One look may be under way.
        let wanted = seen.looks + 2;
        while seen.looks < wanted && seen.error.is_none() {
            let changed = &self.shared.changed;
            seen = changed.wait(seen).unwrap_or_else(PoisonError::into_inner);
        }
        seen.clone()
    }
}

impl Shared {
    fn seen(&self) -> MutexGuard<'_, Seen> {
        // Each look replaces all of it.
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn follow(mut follower: HeapFollower, shared: &Weak<Shared>) {
    loop {
        let looked = follower.look();
        let Some(shared) = shared.upgrade() else {
            return;
        };
        let mut seen = shared.seen();
        let has_failed = looked.is_err();
        seen.looks += 1;
        match looked {
            Ok(()) => {
                seen.rows = Arc::new(follower.sites().rows().to_vec());
                seen.collection = follower.collection();
                seen.live = follower.live();
            }
            Err(error) => seen.error = Some(format!("{error:#}")),
        }
        shared.changed.notify_all();
        drop(seen);
        drop(shared);
        if has_failed {
            return;
        }
        thread::sleep(PAUSE);
    }
}
