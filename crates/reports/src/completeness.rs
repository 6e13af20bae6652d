//! How much of what the VM allocated by its own count the sites explain.
//!
//! The VM keeps, per thread, the number of bytes that it has allocated (V). The sites give the bytes that were
//! *executed* (E); C2 removes some of these objects, so that only M <= E bytes reach the heap. Then
//!
//! ```text
//! explained   = M                      when M was recorded for the sites
//!             <= min(E, V) per thread  otherwise: an upper bound, and the report says so
//! rest        = V - explained          allocated by the VM itself or at places that are not counted
//! eliminated  = E - M                  exact with M;  otherwise at least the sum of E - V over threads with E > V
//! ```

use ducktrack_count_model::{CountModel, ThreadKind};

/// Bytes explained, in total and per thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completeness {
    /// E: bytes executed at all sites.
    pub executed_bytes: i64,
    /// M: bytes that reached the heap, when recorded at every site that ran.
    pub materialized_bytes: Option<i64>,
    /// V: the VM's own count since counting was ready.
    pub vm_bytes: Option<i64>,
    /// What the VM allocated before counting was ready; no site knows of it.
    pub before_ready_bytes: Option<u64>,
    /// Objects counted in the block that threads share before they have their own: updates may be lost there.
    pub shared_objects: i64,
    /// Objects whose size is not known; their bytes are in no sum.
    pub bytes_unknown: i64,
    /// The VM could not make all that code asked for: an `OutOfMemoryError` for the heap. Objects it had made by then have no site.
    pub ran_out: bool,
    /// Per thread, largest first.
    pub threads: Vec<ThreadCompleteness>,
}

/// One thread's part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadCompleteness {
    /// Name.
    pub name: String,
    /// `live`, `folded` or `shared`.
    pub kind: &'static str,
    /// Bytes executed.
    pub executed_bytes: i64,
    /// The VM's own count for the thread.
    pub vm_bytes: Option<i64>,
}

/// Which of the two counts is compared with the VM's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// Bytes executed: the explained share is an upper bound.
    Executed,
    /// Bytes that reached the heap: the explained share is exact.
    Materialized,
}

impl Basis {
    /// The word in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Executed => "executed",
            Self::Materialized => "materialized",
        }
    }
}

impl Completeness {
    /// What `explained_bytes` rests on.
    pub fn basis(&self) -> Basis {
        match self.materialized_bytes {
            Some(_) => Basis::Materialized,
            None => Basis::Executed,
        }
    }

    /// Bytes of the VM's count that sites explain; `None` when the VM's count is not known.
    pub fn explained_bytes(&self) -> Option<i64> {
        let vm = self.vm_bytes?;
        let explained = match self.materialized_bytes {
            Some(materialized) => materialized,
            None => self.executed_bytes.min(self.bound_by_threads()),
        };
        Some(explained.clamp(0, vm.max(0)))
    }

    /// Bytes of the VM's count that no site explains.
    pub fn rest_bytes(&self) -> Option<i64> {
        Some(self.vm_bytes?.saturating_sub(self.explained_bytes()?))
    }

    /// What the bytes are that no site explains.
    pub fn rest_is(&self) -> String {
        if self.rest_bytes() == Some(0) {
            return "nothing is left over".to_owned();
        }
        let mut parts = vec!["made by the VM itself", "at places that are not counted"];
        if self.bytes_unknown != 0 {
            parts.push("of objects whose size is not known");
        }
        if self.ran_out {
            parts.push(
                "of an allocation that ended in the OutOfMemoryError (inner arrays that the VM had made by then)",
            );
        }
        let last = parts.pop().unwrap_or_default();
        format!("{}, or {last}", parts.join(", "))
    }

    /// Bytes that were executed and did not reach the heap: exact with [`Basis::Materialized`], else at least this many.
    pub fn eliminated_bytes(&self) -> Option<i64> {
        let on_heap = match self.materialized_bytes {
            Some(materialized) => materialized,
            None => self.explained_bytes()?,
        };
        Some(self.executed_bytes.saturating_sub(on_heap).max(0))
    }

    /// The bound by threads is sharper: what one thread has too much does not fill another's gap.
    fn bound_by_threads(&self) -> i64 {
        let of_threads: i64 = self
            .threads
            .iter()
            .map(|thread| thread.executed_bytes)
            .sum();
        let bound: i64 = self
            .threads
            .iter()
            .map(ThreadCompleteness::explained_bytes)
            .sum();
        bound.saturating_add(self.executed_bytes.saturating_sub(of_threads))
    }

    /// The balance of a model; threads are named by `thread_name`.
    pub fn of(model: &CountModel, thread_name: impl Fn(&str) -> String) -> Self {
        let balance = &model.completeness;
        let mut threads: Vec<_> = model
            .threads
            .iter()
            .filter(|row| !row.total.is_zero() || row.vm_allocated_bytes.unwrap_or(0) > 0)
            .map(|row| ThreadCompleteness {
                name: thread_name(&row.name),
                kind: row.kind.name(),
                executed_bytes: row.total.bytes,
                vm_bytes: match row.kind {
                    ThreadKind::Shared => None,
                    _ => row.vm_allocated_bytes.map(to_signed),
                },
            })
            .collect();
        threads.sort_by(|a, b| {
            b.executed_bytes
                .cmp(&a.executed_bytes)
                .then_with(|| a.name.cmp(&b.name))
        });
        Self {
            executed_bytes: balance.executed.bytes,
            materialized_bytes: balance
                .materialized
                .filter(|_| balance.materialized_everywhere)
                .map(|tally| tally.bytes),
            vm_bytes: balance.vm_bytes.map(to_signed),
            before_ready_bytes: balance.before_ready_bytes,
            shared_objects: balance.shared.count,
            bytes_unknown: balance.bytes_unknown,
            ran_out: !model.out_of_memory.is_empty(),
            threads,
        }
    }
}

fn to_signed(bytes: u64) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

impl ThreadCompleteness {
    /// At most this many of this thread's executed bytes are in the VM's count; all of them, when there is no count.
    pub fn explained_bytes(&self) -> i64 {
        self.vm_bytes
            .map_or(self.executed_bytes, |vm| vm.min(self.executed_bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn thread(executed: i64, vm: Option<i64>) -> ThreadCompleteness {
        ThreadCompleteness {
            name: String::new(),
            kind: "live",
            executed_bytes: executed,
            vm_bytes: vm,
        }
    }

    #[test]
    fn what_one_thread_has_too_much_does_not_fill_anothers_gap() {
        let completeness = Completeness {
            executed_bytes: 200,
            vm_bytes: Some(180),
            threads: vec![thread(150, Some(100)), thread(50, Some(80))],
            ..Completeness::default()
        };
        assert_eq!(completeness.explained_bytes(), Some(150));
        assert_eq!(completeness.rest_bytes(), Some(30));
        assert_eq!(completeness.eliminated_bytes(), Some(50));
    }

    #[test]
    fn materialized_bytes_make_it_exact() {
        let completeness = Completeness {
            executed_bytes: 200,
            materialized_bytes: Some(90),
            vm_bytes: Some(100),
            ..Completeness::default()
        };
        assert_eq!(completeness.explained_bytes(), Some(90));
        assert_eq!(completeness.rest_bytes(), Some(10));
        assert_eq!(completeness.eliminated_bytes(), Some(110));
        assert_eq!(completeness.basis(), Basis::Materialized);
    }

    #[test]
    fn without_the_vms_count_nothing_is_claimed() {
        let completeness = Completeness {
            executed_bytes: 200,
            ..Completeness::default()
        };
        assert_eq!(completeness.explained_bytes(), None);
        assert_eq!(completeness.rest_bytes(), None);
        assert_eq!(completeness.eliminated_bytes(), None);
    }

    #[test]
    fn a_thread_without_a_count_leaves_the_total_bound() {
        let completeness = Completeness {
            executed_bytes: 50,
            vm_bytes: Some(60),
            threads: vec![thread(50, None)],
            ..Completeness::default()
        };
        assert_eq!(completeness.explained_bytes(), Some(50));
    }

    #[test]
    fn what_an_allocation_left_that_failed_is_named() {
        let mut completeness = Completeness {
            executed_bytes: 100,
            vm_bytes: Some(1_000),
            ..Completeness::default()
        };
        assert!(!completeness.rest_is().contains("OutOfMemoryError"));
        completeness.ran_out = true;
        assert!(completeness.rest_is().contains("OutOfMemoryError"));
        completeness.vm_bytes = Some(50);
        assert_eq!(completeness.rest_is(), "nothing is left over");
    }
}
