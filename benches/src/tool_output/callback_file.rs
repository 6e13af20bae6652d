//! The file of `CountingCallback.java`: objects, bytes, type and an optional frame per line, separated by tabs.

use std::path::Path;

use anyhow::{Context, Result};

use super::{ToolEntry, type_name};

pub(crate) fn read_callback_file(path: &Path) -> Result<Vec<ToolEntry>> {
    let text = std::fs::read_to_string(path).with_context(|| format!("{}", path.display()))?;
    text.lines()
        .map(|line| parse(line).with_context(|| format!("{}: {line}", path.display())))
        .collect()
}

fn parse(line: &str) -> Option<ToolEntry> {
    let mut fields = line.split('\t');
    let objects = fields.next()?.parse().ok()?;
    let bytes = fields.next()?.parse().ok()?;
    let type_name = type_name(fields.next()?);
    let frame = fields.next().unwrap_or("");
    // In "Class.method:17", the bytecode index is not part of the frame's name.
    let frames = frame
        .rsplit_once(':')
        .map(|(name, _)| name.to_owned())
        .into_iter()
        .collect();
    Some(ToolEntry {
        frames,
        type_name,
        objects: Some(objects),
        bytes: Some(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_frame_or_none() {
        let entry = parse("3\t72\tMain$Point\tMain.run:4").unwrap();
        assert_eq!(
            (entry.frames, entry.type_name.as_str()),
            (vec!["Main.run".to_owned()], "Main$Point")
        );
        assert_eq!((entry.objects, entry.bytes), (Some(3.0), Some(72.0)));
        assert!(parse("3\t72\tbyte[]\t").unwrap().frames.is_empty());
        assert_eq!(parse("x\t72\tbyte[]"), None);
    }
}
