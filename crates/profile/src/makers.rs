//! Who made objects: threads of one name, in the same contexts.

use std::sync::Arc;

use ducktrack_count_model::{ContextName, CountModel, ThreadIndex, ThreadRow};
use rustc_hash::FxHashMap;

/// Threads whose objects are one row.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Maker {
    /// `None`: not known.
    pub(crate) thread: Option<Arc<str>>,
    pub(crate) contexts: Arc<[ContextName]>,
}

/// All makers of a model, in the order of their threads.
pub(crate) struct Makers {
    all: Vec<Maker>,
    of_threads: Vec<usize>,
}

impl Makers {
    /// Told apart by the names of threads, and by what `contexts_of` says.
    pub(crate) fn of(
        model: &CountModel,
        contexts_of: impl Fn(&ThreadRow) -> Vec<ContextName>,
    ) -> Self {
        let mut known: FxHashMap<Maker, usize> = FxHashMap::default();
        let mut all = Vec::new();
        let mut index = |maker: Maker| {
            *known.entry(maker).or_insert_with_key(|maker| {
                all.push(maker.clone());
                all.len() - 1
            })
        };
        let of_thread = |thread: &ThreadRow| {
            index(Maker {
                thread: Some(Arc::from(thread.name.as_str())),
                contexts: contexts_of(thread).into(),
            })
        };
        let of_threads = model.threads.iter().map(of_thread).collect();
        all.push(Maker::default());
        Self { all, of_threads }
    }

    /// The number of a thread's maker.
    pub(crate) fn of_thread(&self, thread: ThreadIndex) -> usize {
        let known = self.of_threads.get(thread.get()).copied();
        known.unwrap_or_else(|| self.not_known())
    }

    /// The number of the maker that is not known.
    pub(crate) fn not_known(&self) -> usize {
        self.all.len() - 1
    }

    pub(crate) fn get(&self, number: usize) -> Maker {
        self.all.get(number).cloned().unwrap_or_default()
    }
}
