//! How many classes may be exchanged where the VM's metaspace has a bound (`-XX:MaxMetaspaceSize`).
//!
//! The VM makes the new version of a class before it frees the old one, and a version that a thread
//! still runs stays. Where the bound comes near, classes of the program are not loaded any more. So the
//! agent takes a part of what is free when it arrives, class by class as the VM says how much that took:
//!
//! ```text
//! committed when the agent arrives |<-- probes: a third -->|<-- their removal: a third -->|<-- left to the program: a third -->| bound
//! ```
//!
//! Classes that do not fit are not exchanged; classes of the JDK are the first to be left out. The VM's
//! figures are those of its `MemoryPoolMXBean`s. Their Java classes are loaded only where there is a bound.

use ducktrack_jvmti::sys::{jmethodID, jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};

use crate::core::vm_facts::NO_METASPACE_BOUND;

/// Why a class is left as it is.
pub(crate) const METASPACE: &str = "metaspace-bound";
/// Classes whose probes are removed at once where there is a bound.
pub(crate) const AT_ONCE: usize = 64;

/// The pools that hold classes.
const POOLS: [&str; 2] = ["Metaspace", "Compressed Class Space"];
/// Parts of the free space: probes, their removal, the program.
const PARTS: i64 = 3;
/// Bytes that the first classes are assumed to take: ten times the median of the classes of a JDK.
const ASSUMED: i64 = 40_000;

/// The room of one arrival.
pub(crate) struct MetaspaceRoom {
    pools: Vec<Pool>,
    committed: jmethodID,
    usage: jmethodID,
}

/// One pool with a bound.
struct Pool {
    bean: jobject,
    /// Committed bytes when the agent arrived.
    before: i64,
    bound: i64,
}

impl MetaspaceRoom {
    /// Asks the VM. The room is for the current thread, within the current frame of local references.
    ///
    /// # Errors
    /// If the VM does not tell: an image of the JDK without `java.management`.
    pub(crate) fn look(jni: Jni) -> Result<Self, Error> {
        let factory = jni.find_class("java/lang/management/ManagementFactory")?;
        let list = jni.find_class("java/util/List")?;
        let bean = jni.find_class("java/lang/management/MemoryPoolMXBean")?;
        let figures = jni.find_class("java/lang/management/MemoryUsage")?;
        let pools = jni.static_method_id(factory, "getMemoryPoolMXBeans", "()Ljava/util/List;")?;
        let get = jni.method_id(list, "get", "(I)Ljava/lang/Object;")?;
        let size = jni.method_id(list, "size", "()I")?;
        let name = jni.method_id(bean, "getName", "()Ljava/lang/String;")?;
        let bound = jni.method_id(figures, "getMax", "()J")?;
        let all = jni.call_static_object(factory, pools, &[])?;
        let mut room = Self {
            pools: Vec::new(),
            committed: jni.method_id(figures, "getCommitted", "()J")?,
            usage: jni.method_id(bean, "getUsage", "()Ljava/lang/management/MemoryUsage;")?,
        };
        for index in 0..jni.call_int(all, size, &[])? {
            let bean = jni.call_object(all, get, &[jvalue { i: index }])?;
            let name = jni.string(jni.call_object(bean, name, &[])?)?;
            let usage = jni.call_object(bean, room.usage, &[])?;
            let bound = jni.call_long(usage, bound, &[])?;
            if POOLS.contains(&name.as_str()) && (0..NO_METASPACE_BOUND).contains(&bound) {
                let before = jni.call_long(usage, room.committed, &[])?;
                room.pools.push(Pool {
                    bean,
                    before,
                    bound,
                });
            }
        }
        Ok(room)
    }

    /// How many classes may be exchanged next, after these were.
    pub(crate) fn classes_that_fit(&self, jni: Jni, exchanged: usize) -> usize {
        let fit = self.pools.iter().map(|pool| {
            let taken = self.committed(jni, pool).map(|now| now - pool.before);
            taken.map_or(0, |taken| pool.classes_that_fit(taken, exchanged))
        });
        fit.min().unwrap_or(usize::MAX)
    }

    fn committed(&self, jni: Jni, pool: &Pool) -> Result<i64, Error> {
        let usage = jni.call_object(pool.bean, self.usage, &[])?;
        let committed = jni.call_long(usage, self.committed, &[]);
        jni.delete_local_ref(usage);
        committed
    }

    /// One sentence, before the first class.
    pub(crate) fn sentence(&self) -> Option<String> {
        let pool = self.pools.iter().min_by_key(|pool| pool.part())?;
        let megabytes = |bytes: i64| bytes / (1 << 20);
        Some(format!(
            "Metaspace is limited to {} MB, and the program uses {} MB of it. The agent uses at most {} MB more, and does not count in classes that do not fit.",
            megabytes(pool.bound),
            megabytes(pool.before),
            megabytes(pool.part())
        ))
    }
}

impl Pool {
    fn part(&self) -> i64 {
        (self.bound - self.before).max(0) / PARTS
    }

    /// How many more classes fit, where `exchanged` classes took `taken` bytes. The next ones may take twice as much as the last.
    fn classes_that_fit(&self, taken: i64, exchanged: usize) -> usize {
        let of_one = match i64::try_from(exchanged) {
            Ok(exchanged @ 1..) => (taken.max(0) / exchanged * 2).max(ASSUMED / 20),
            _ => ASSUMED,
        };
        let left = (self.part() - taken).max(0);
        usize::try_from(left / of_one).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POOL: Pool = Pool {
        bean: std::ptr::null_mut(),
        before: 14 << 20,
        bound: 32 << 20,
    };

    #[test]
    fn the_first_batch_is_small_and_the_last_class_is_within_a_third() {
        assert_eq!(POOL.classes_that_fit(0, 0), (6 << 20) / 40_000);
        assert_eq!(
            POOL.classes_that_fit(3 << 20, 300),
            (3 << 20) / (2 * ((3 << 20) / 300))
        );
        assert_eq!(POOL.classes_that_fit(6 << 20, 300), 0);
        // Memory that was free before: the next ones may not find any.
        assert_eq!(POOL.classes_that_fit(0, 100), (6 << 20) / 2_000);
    }

    #[test]
    fn where_nothing_is_free_nothing_is_taken() {
        let full = Pool {
            before: 32 << 20,
            ..POOL
        };
        assert_eq!(full.classes_that_fit(0, 0), 0);
    }
}
