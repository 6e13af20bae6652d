//! The JVM's count of its own memory, from `VM.native_memory summary scale=B` (`-XX:NativeMemoryTracking=summary`).
//!
//! ```text
//! -                 Java Heap (reserved=209715200, committed=209715200)
//!                             (mmap: reserved=209715200, committed=209715200)
//! -                     Other (reserved=20981760, committed=20981760)
//!                             (malloc=20981760 #3)
//! ```

/// A category of the JVM's count.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NativeCategory {
    /// Its name: `Java Heap`, `Other`.
    pub name: String,
    /// Bytes that it has; of mappings, also those that were never written.
    pub committed: u64,
    /// Of these: in mappings of its own.
    pub mapped: u64,
}

/// The categories; empty: the JVM does not count.
pub fn native_memory(summary: &str) -> Vec<NativeCategory> {
    let mut all: Vec<NativeCategory> = Vec::new();
    for line in summary.lines() {
        let text = line.trim_start();
        if let Some(category) = text.strip_prefix('-').and_then(head) {
            all.push(category);
        } else if let (Some(last), true) = (all.last_mut(), text.starts_with("(mmap:")) {
            last.mapped = committed(text).unwrap_or(0);
        }
    }
    all
}

fn head(text: &str) -> Option<NativeCategory> {
    let (name, rest) = text.split_once('(')?;
    Some(NativeCategory {
        name: name.trim().to_owned(),
        committed: committed(rest)?,
        mapped: 0,
    })
}

fn committed(text: &str) -> Option<u64> {
    let (_, rest) = text.split_once("committed=")?;
    let end = rest.find(|letter: char| !letter.is_ascii_digit());
    rest.get(..end.unwrap_or(rest.len()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_have_their_mappings_apart() {
        let text = "Native Memory Tracking:\n\nTotal: reserved=1, committed=2\n
-                        GC (reserved=46253931, committed=46253931)
                            (malloc=4888427 #1487) (peak=4907679 #1765) 
                            (mmap: reserved=41365504, committed=41365504) 
-                     Other (reserved=20981760, committed=20981760)
                            (malloc=20981760 #3) (at peak) ";
        let all = native_memory(text);
        assert_eq!(all.len(), 2);
        assert_eq!((all[0].committed, all[0].mapped), (46_253_931, 41_365_504));
        assert_eq!((all[1].name.as_str(), all[1].mapped), ("Other", 0));
        assert_eq!(native_memory("Native memory tracking is not enabled"), []);
    }
}
