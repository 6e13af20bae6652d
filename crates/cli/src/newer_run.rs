//! A recording beside the one that is asked for: a JVM whose directory holds
//! a recording already takes the next free name, `out.1`, `out.2`, ...

use std::path::{Path, PathBuf};

use crate::target::TRACE;

/// Says on standard error that a newer recording stands beside the one in `directory`.
pub(crate) fn mention(directory: &Path) {
    if let Some(newer) = newest(directory) {
        eprintln!(
            "note: a newer recording stands beside this one: {} ({} held one already when it began)",
            newer.display(),
            directory.display()
        );
    }
}

fn newest(directory: &Path) -> Option<PathBuf> {
    let numbered = |number: u32| {
        let mut name = directory.as_os_str().to_owned();
        name.push(format!(".{number}"));
        PathBuf::from(name)
    };
    (1..)
        .map(numbered)
        .take_while(|beside| beside.join(TRACE).exists())
        .last()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn the_last_of_the_row_is_the_newest() {
        let place = tempfile::tempdir().expect("temporary folder");
        let out = place.path().join("out");
        assert_eq!(newest(&out), None);
        for name in ["out.1", "out.2", "out.4"] {
            let folder = place.path().join(name);
            fs::create_dir(&folder).expect("a folder");
            fs::write(folder.join(TRACE), "").expect("a trace");
        }
        assert_eq!(newest(&out), Some(place.path().join("out.2")));
    }
}
