//! The causes of `OutOfMemoryError`: the first of each kind is recorded.

use parking_lot::Mutex;

/// The VM has about six texts.
const MOST_KINDS: usize = 16;

/// The texts so far.
#[derive(Default)]
pub(crate) struct KindsOfExhaustion(Mutex<Vec<String>>);

impl KindsOfExhaustion {
    /// Whether it is the first of its kind.
    pub(super) fn is_new(&self, what: &str) -> bool {
        let mut known = self.0.lock();
        let is_new = known.len() < MOST_KINDS && !known.iter().any(|one| one == what);
        if is_new {
            known.push(what.to_owned());
        }
        is_new
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_new_once() {
        let kinds = KindsOfExhaustion::default();
        assert!(kinds.is_new("Java heap space") && kinds.is_new("Metaspace"));
        assert!(!kinds.is_new("Java heap space"));
    }
}
