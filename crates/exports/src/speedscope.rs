//! speedscope: JSON with frames and samples. Each measure is a profile of its own, and each thread's bytes are one.

use ducktrack_profile::{Frame, ProfileRow, Unit};
use ducktrack_reports::frame_name;
use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::error::ExportError;
use crate::export::{Export, Measure};

const SCHEMA: &str = "https://www.speedscope.app/file-format-schema.json";

/// The text of a `.speedscope.json`.
///
/// # Errors
/// When a value has no JSON form; none has.
pub fn speedscope(export: &Export<'_>) -> Result<String, ExportError> {
    let mut frames = IndexMap::new();
    let stacks: Vec<(usize, &ProfileRow, Vec<usize>)> = export
        .rows()
        .map(|(at, row)| (at, row, stack(&mut frames, export, row)))
        .collect();
    let profile = |name: &str, measure: Measure, thread: Option<&str>| {
        let wanted = |row: &ProfileRow| thread.is_none_or(|name| export.thread_of(row) == name);
        let rows = stacks.iter().filter_map(|(at, row, stack)| {
            let weight = export.value(measure, *at, row);
            (weight > 0 && wanted(row)).then_some((stack, weight))
        });
        let (samples, weights): (Vec<_>, Vec<i64>) = rows.unzip();
        json!({
            "type": "sampled",
            "name": name,
            "unit": if measure.unit() == Unit::Bytes { "bytes" } else { "none" },
            "startValue": 0,
            "endValue": weights.iter().sum::<i64>(),
            "samples": samples,
            "weights": weights,
        })
    };
    let measures = export.measures();
    let mut profiles: Vec<Value> = measures
        .iter()
        .map(|measure| profile(measure.title(), *measure, None))
        .collect();
    let mut threads: Vec<&str> = stacks
        .iter()
        .map(|(_, row, _)| export.thread_of(row))
        .collect();
    threads.sort_unstable();
    threads.dedup();
    profiles.extend(threads.iter().map(|thread| {
        let bytes = Measure::Made(Unit::Bytes);
        profile(&format!("{thread}: {}", bytes.title()), bytes, Some(thread))
    }));
    let frames = frames.into_iter().map(|(name, line)| match line {
        Some(line) => json!({"name": name, "line": line}),
        None => json!({"name": name}),
    });
    let document = json!({
        "$schema": SCHEMA,
        "shared": {"frames": frames.collect::<Vec<Value>>()},
        "profiles": profiles,
        "name": export.name,
        "activeProfileIndex": 1,
        "exporter": concat!("ducktrack ", env!("CARGO_PKG_VERSION")),
    });
    Ok(serde_json::to_string(&document)?)
}

/// Frames, each once, by name with their lines.
type Frames = IndexMap<String, Option<u16>>;

/// Positions of the frames of a stack, the first of the thread first, the type last.
fn stack(known: &mut Frames, export: &Export<'_>, row: &ProfileRow) -> Vec<usize> {
    let callers = export.profile.frames_of(row.stack).map(|frame| {
        let frame = export.profile.frame(frame);
        let line = match frame {
            Frame::Method { line, .. } => *line,
            Frame::NoStack | Frame::Deeper => None,
        };
        (frame_name(frame), line)
    });
    let frames = std::iter::once((export.type_of(row), None)).chain(callers);
    let mut stack: Vec<usize> = frames
        .map(|(name, line)| {
            let entry = known.entry(name);
            let position = entry.index();
            entry.or_insert(line);
            position
        })
        .collect();
    stack.reverse();
    stack
}
