//! Asks JVMTI which objects are alive: a sample of objects is tagged with their ids.

use std::collections::{HashMap, HashSet};

use ducktrack_jvmti::Env;
use ducktrack_jvmti::sys::jlong;

/// The tagged objects.
#[derive(Debug)]
pub(crate) struct TaggedObjects {
    /// The number of collections at the time of tagging, by id.
    tagged: Option<HashMap<u64, u64>>,
}

/// The result of a comparison.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TagOutcome {
    /// Alive on both sides.
    pub(crate) alive: u64,
    /// Dead on both sides.
    pub(crate) dead: u64,
    /// Alive for JVMTI, dead for the model.
    pub(crate) wrong: u64,
    /// Freed by JVMTI but still in the model: dead objects in a region that has not been collected.
    pub(crate) lingering: u64,
}

impl TaggedObjects {
    pub(crate) const fn new() -> Self {
        Self { tagged: None }
    }

    pub(crate) fn add(&mut self, id: u64, epoch: u64) {
        self.tagged.get_or_insert_default().insert(id, epoch);
    }

    /// The ids of the objects that are alive for JVMTI.
    pub(crate) fn alive(&self, env: Env) -> HashSet<u64> {
        let ids = self.tagged.iter().flat_map(|tagged| tagged.keys());
        let tags: Vec<jlong> = ids.map(|id| id.cast_signed()).collect();
        let objects = env.objects_with_tags(&tags).expect("objects");
        let tag = |object| env.tag(object).expect("tag").cast_unsigned();
        objects.iter().map(|&object| tag(object)).collect()
    }

    /// Compares the objects that a collection has processed since they were tagged.
    pub(crate) fn compare(
        &self,
        model: &HashSet<u64>,
        alive: &HashSet<u64>,
        epoch: u64,
    ) -> TagOutcome {
        let mut outcome = TagOutcome::default();
        for (id, _) in self
            .tagged
            .iter()
            .flatten()
            .filter(|&(_, &tagged_at)| tagged_at < epoch)
        {
            let count = match (model.contains(id), alive.contains(id)) {
                (true, true) => &mut outcome.alive,
                (false, false) => &mut outcome.dead,
                (false, true) => &mut outcome.wrong,
                (true, false) => &mut outcome.lingering,
            };
            *count += 1;
        }
        outcome
    }
}
