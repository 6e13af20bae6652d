//! After the run: which traces were written, the command that reads them, and which patterns fit nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ducktrack_printable::printable;

/// File clocks may be coarser than the system's.
const SLACK: Duration = Duration::from_secs(2);

use crate::records::load_records;

/// Says on standard error how to read what was written since the start, and which patterns of an application fit none of its classes.
pub(crate) fn announce(pattern: &str, started: SystemTime, has_application: bool) {
    let found = traces(Path::new(pattern), started);
    if found.is_empty() {
        eprintln!(
            "ducktrack: no trace at {pattern}: no JVM was started, or the agent's messages above say why"
        );
    }
    for trace in found {
        eprintln!(
            "ducktrack: read it with: ducktrack report {}",
            trace.display()
        );
        if has_application {
            name_patterns_without_class(&trace);
        }
    }
}

/// A trace that cannot be read says so when it is asked for.
fn name_patterns_without_class(trace: &Path) {
    let Ok(records) = load_records(trace) else {
        return;
    };
    for pattern in records.finish().patterns_without_class() {
        eprintln!(
            "ducktrack: no class that allocates or calls other code fits app={}",
            printable(&pattern)
        );
    }
}

/// Trace directories that fit the pattern (the agent puts a number after a name that is taken) and are new.
fn traces(pattern: &Path, started: SystemTime) -> Vec<PathBuf> {
    let folder = match pattern.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let Some(name) = pattern.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let parts: Vec<&str> = name.split("%p").flat_map(|part| part.split("%t")).collect();
    let fits = |candidate: &str| in_order(&parts, candidate);
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut found: Vec<PathBuf> = entries
        .flatten()
        .filter(|entry| entry.file_name().to_str().is_some_and(fits))
        .map(|entry| {
            if folder == Path::new(".") {
                entry.file_name().into()
            } else {
                entry.path()
            }
        })
        .filter(|trace| is_new(trace, started))
        .collect();
    found.sort();
    found
}

/// True when the text starts with the first part and holds the others in order.
fn in_order(parts: &[&str], text: &str) -> bool {
    let mut rest = text;
    parts.iter().enumerate().all(|(at, part)| {
        let place = if at == 0 {
            rest.starts_with(part).then_some(0)
        } else {
            rest.find(part)
        };
        place
            .and_then(|place| rest.get(place + part.len()..))
            .map(|after| rest = after)
            .is_some()
    })
}

fn is_new(trace: &Path, started: SystemTime) -> bool {
    let Ok(entries) = fs::read_dir(trace) else {
        return false;
    };
    entries.flatten().any(|entry| {
        entry
            .path()
            .extension()
            .is_some_and(|extension| extension == "trace")
            && entry
                .metadata()
                .and_then(|data| data.modified())
                .is_ok_and(|at| at + SLACK >= started)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_fit_their_pattern() {
        assert!(in_order(&["ducktrack-", ""], "ducktrack-4711"));
        assert!(in_order(&["ducktrack-", ""], "ducktrack-4711.2"));
        assert!(in_order(&["run-", "-", ""], "run-12-20261121"));
        assert!(!in_order(&["ducktrack-", ""], "other-4711"));
        assert!(!in_order(&["run-", "-x"], "run-12"));
    }
}
