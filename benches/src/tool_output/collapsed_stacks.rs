//! async-profiler's collapsed stacks: `frame;frame;...;type_[i] 1234`, the allocated type as the last frame.

use std::path::Path;

use anyhow::{Context, Result};

use super::{ToolEntry, type_name};

/// The meaning of the number at the end of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Samples; with an interval of one byte, these are objects.
    Samples,
    /// Bytes represented by the samples (option `total`).
    Bytes,
}

pub(crate) fn read_collapsed_stacks(path: &Path, unit: Unit) -> Result<Vec<ToolEntry>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    Ok(text.lines().filter_map(|line| parse(line, unit)).collect())
}

/// `None` for stacks that do not end in a type (native frames only).
fn parse(line: &str, unit: Unit) -> Option<ToolEntry> {
    let (stack, number) = line.rsplit_once(' ')?;
    let number: f64 = number.parse().ok()?;
    let (frames, last) = stack.rsplit_once(';').unwrap_or(("", stack));
    // "_[i]" marks an allocation in a TLAB, "_[k]" one outside.
    let type_text = last
        .strip_suffix("_[i]")
        .or_else(|| last.strip_suffix("_[k]"))?;
    let frames = frames
        .split(';')
        .filter(|frame| !frame.is_empty())
        .map(|frame| frame.replace('/', "."))
        .collect();
    let (objects, bytes) = match unit {
        Unit::Samples => (Some(number), None),
        Unit::Bytes => (None, Some(number)),
    };
    Some(ToolEntry {
        frames,
        type_name: type_name(type_text),
        objects,
        bytes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_frame_is_the_type() {
        let entry = parse(
            "Main.main;java/lang/Long.valueOf;java.lang.Long_[i] 300",
            Unit::Samples,
        )
        .unwrap();
        assert_eq!(entry.frames, ["Main.main", "java.lang.Long.valueOf"]);
        assert_eq!(
            (entry.type_name.as_str(), entry.objects, entry.bytes),
            ("java.lang.Long", Some(300.0), None)
        );
        let outside = parse("Main.main;byte[]_[k] 4096", Unit::Bytes).unwrap();
        assert_eq!(
            (outside.type_name.as_str(), outside.bytes),
            ("byte[]", Some(4096.0))
        );
        assert_eq!(parse("start_thread;[unknown] 3", Unit::Samples), None);
    }
}
