//! pprof: gzipped protocol buffers.
//!
//! | in pprof | here |
//! |---|---|
//! | sample types | `alloc_objects/count`, `alloc_space/bytes`, and `inuse_objects/count`, `inuse_space/bytes` where a trace knows what is alive, and `off_heap_blocks/count`, `off_heap_space/bytes` of memory outside of the heap that is not released |
//! | topmost location | the type of the objects, or the kind of memory |
//! | labels | `type`, `thread`, `site` |

use std::io::Write;

use ducktrack_profile::{Frame, Unit};
use ducktrack_reports::frame_name;
use flate2::Compression;
use flate2::write::GzEncoder;
use indexmap::IndexSet;
use prost::Message;

use crate::error::ExportError;
use crate::export::{Export, Measure};
use crate::pprof_messages::{Function, Label, Line, Location, Profile, Sample, ValueType};

/// The bytes of a `.pb.gz`.
///
/// # Errors
/// When the bytes cannot be compressed.
pub fn pprof(export: &Export<'_>) -> Result<Vec<u8>, ExportError> {
    let mut tables = Tables::default();
    tables.text("");
    let measures = export.measures();
    let sample_type = measures
        .iter()
        .map(|measure| tables.value_type(*measure))
        .collect();
    let keys = ["type", "thread", "site"].map(|key| tables.text(key));
    let sample = export
        .rows()
        .map(|(at, row)| {
            let ty = export.type_of(row);
            let frames = export.profile.frames_of(row.stack);
            let made = tables.location(&ty, 0);
            let callers = frames.map(|frame| tables.frame(export.profile.frame(frame)));
            let location_id = std::iter::once(made).chain(callers).collect();
            let texts = [&ty, export.thread_of(row), &export.site(row)];
            let texts = texts.map(|text| tables.text(text));
            let label = keys.into_iter().zip(texts);
            Sample {
                location_id,
                value: measures
                    .iter()
                    .map(|measure| export.value(*measure, at, row))
                    .collect(),
                label: label.map(|(key, str)| Label { key, str }).collect(),
            }
        })
        .collect();
    let comment = tables.text(export.name);
    let profile = Profile {
        sample_type,
        sample,
        time_nanos: nanos(export.start_unix_millis),
        duration_nanos: nanos(export.duration_millis),
        period_type: Some(tables.value_type(Measure::Made(Unit::Bytes))),
        period: 1,
        comment: vec![comment],
        default_sample_type: tables.text("alloc_space"),
        location: (1..)
            .zip(tables.locations)
            .map(|(id, (function_id, line))| Location {
                id,
                line: vec![Line { function_id, line }],
            })
            .collect(),
        function: (1..)
            .zip(tables.functions)
            .map(|(id, name)| Function {
                id,
                name,
                system_name: name,
            })
            .collect(),
        string_table: tables.texts.into_iter().collect(),
    };
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(&profile.encode_to_vec())?;
    Ok(encoder.finish()?)
}

fn nanos(millis: u64) -> i64 {
    i64::try_from(millis)
        .unwrap_or(i64::MAX)
        .saturating_mul(1_000_000)
}

/// Everything that samples name by number, each once.
#[derive(Default)]
struct Tables {
    texts: IndexSet<String>,
    /// Names.
    functions: IndexSet<i64>,
    /// Function and line.
    locations: IndexSet<(u64, i64)>,
}

impl Tables {
    fn text(&mut self, text: &str) -> i64 {
        let (number, _) = self.texts.insert_full(text.to_owned());
        i64::try_from(number).unwrap_or(i64::MAX)
    }

    fn value_type(&mut self, measure: Measure) -> ValueType {
        let (ty, unit) = measure.sample_type();
        ValueType {
            r#type: self.text(ty),
            unit: self.text(unit),
        }
    }

    fn frame(&mut self, frame: &Frame) -> u64 {
        match frame {
            Frame::Method { line, .. } => {
                let name = frame_name(frame);
                // The line is the location's, not the function's.
                let name = match line {
                    Some(line) => name.strip_suffix(&format!(":{line}")).unwrap_or(&name),
                    None => &name,
                };
                self.location(name, line.map_or(0, i64::from))
            }
            Frame::NoStack | Frame::Deeper => self.location(&frame_name(frame), 0),
        }
    }

    /// The id of a line in a function, from 1.
    fn location(&mut self, function: &str, line: i64) -> u64 {
        let name = self.text(function);
        let function = self.functions.insert_full(name).0 as u64 + 1;
        self.locations.insert_full((function, line)).0 as u64 + 1
    }
}
