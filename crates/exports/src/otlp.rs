//! OpenTelemetry profiles, `v1development` of opentelemetry-proto 1.10: an alpha signal whose messages still change.
//!
//! | in OTLP | here |
//! |---|---|
//! | profiles | one for each measure: `alloc_objects/count`, `alloc_space/bytes`, and `inuse_objects/count`, `inuse_space/bytes` where a trace knows what is alive, and `off_heap_blocks/count`, `off_heap_space/bytes` of memory outside of the heap that is not released |
//! | topmost location of a stack | the type of the objects, or the kind of memory |
//! | attributes of a sample | `type`, `thread.name`, `site`, and of each kind of contexts `context.KIND` |
//! | attributes of the resource | `service.name`, `process.pid`, and what is given |
//!
//! A file is a `ProfilesData`; its bytes are also those of an `ExportProfilesServiceRequest`.
//! Entry 0 of each table stands for nothing, as the protocol wants.

use std::hash::Hash;

use ducktrack_profile::{Frame, Unit};
use ducktrack_reports::frame_name;
use indexmap::IndexSet;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value};
use opentelemetry_proto::tonic::profiles::v1development::{
    Function, KeyValueAndUnit, Line, Link, Location, Mapping, Profile, ProfilesData,
    ProfilesDictionary, ResourceProfiles, Sample, ScopeProfiles, Stack, ValueType,
};
use opentelemetry_proto::tonic::resource::v1::Resource;

use crate::export::{Export, Measure};

/// The profiles of a run; `resource`: attributes of the process.
pub fn otlp(export: &Export<'_>, resource: &[(String, String)]) -> ProfilesData {
    let mut tables = Tables::default();
    let profiles = export
        .measures()
        .into_iter()
        .map(|measure| profile(export, measure, &mut tables))
        .collect();
    let pid = KeyValue {
        key: "process.pid".to_owned(),
        value: Some(AnyValue {
            value: Some(any_value::Value::IntValue(export.pid.into())),
        }),
        ..KeyValue::default()
    };
    let given = resource.iter().map(|(key, value)| KeyValue {
        key: key.clone(),
        value: Some(text_value(value)),
        ..KeyValue::default()
    });
    let scope = InstrumentationScope {
        name: "ducktrack".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    };
    ProfilesData {
        resource_profiles: vec![ResourceProfiles {
            resource: Some(Resource {
                attributes: given.chain([pid]).collect(),
                ..Resource::default()
            }),
            scope_profiles: vec![ScopeProfiles {
                scope: Some(scope),
                profiles,
                ..ScopeProfiles::default()
            }],
            ..ResourceProfiles::default()
        }],
        dictionary: Some(tables.finish()),
    }
}

fn profile(export: &Export<'_>, measure: Measure, tables: &mut Tables) -> Profile {
    let sample_type = Some(tables.value_type(measure));
    let rows = export.rows();
    let rows = rows.map(|(at, row)| (export.value(measure, at, row), row));
    let samples = rows
        .filter(|(value, _)| *value > 0)
        .map(|(value, row)| {
            let ty = export.type_of(row);
            let mut stack = vec![tables.location(&ty, 0)];
            for frame in export.profile.frames_of(row.stack) {
                stack.push(tables.frame(export.profile.frame(frame)));
            }
            let attributes = [
                ("type", ty.as_str()),
                ("thread.name", export.thread_of(row)),
                ("site", &export.site(row)),
            ];
            let mut attribute_indices = attributes
                .map(|(key, value)| tables.attribute(key, value))
                .to_vec();
            let contexts = row.contexts.iter().map(|context| {
                let key = format!("context.{}", context.kind);
                tables.attribute(&key, &context.name)
            });
            attribute_indices.extend(contexts);
            Sample {
                stack_index: number(&mut tables.stacks, stack),
                attribute_indices,
                values: vec![value],
                ..Sample::default()
            }
        })
        .collect();
    Profile {
        sample_type,
        samples,
        time_unix_nano: export.start_unix_millis.saturating_mul(1_000_000),
        duration_nano: export.duration_millis.saturating_mul(1_000_000),
        profile_id: profile_id(export, measure),
        ..Profile::default()
    }
}

/// 16 bytes that are the same for the same profile: process, start, end, measure.
fn profile_id(export: &Export<'_>, measure: Measure) -> Vec<u8> {
    let end = export.start_unix_millis + export.duration_millis;
    let kind = match measure {
        Measure::Made(Unit::Objects) => 1_u8,
        Measure::Made(Unit::Bytes) => 2,
        Measure::Live(Unit::Objects) => 3,
        Measure::Live(Unit::Bytes) => 4,
        Measure::OffHeap(Unit::Objects) => 5,
        Measure::OffHeap(Unit::Bytes) => 6,
    };
    let mut id = end.to_be_bytes().to_vec();
    id.extend_from_slice(&export.pid.to_be_bytes());
    id.extend_from_slice(&(export.duration_millis as u32).to_be_bytes()[1..]);
    id.push(kind);
    id
}

fn text_value(text: &str) -> AnyValue {
    AnyValue {
        value: Some(any_value::Value::StringValue(text.to_owned())),
    }
}

/// Each thing once, numbered from 1.
type Table<T> = IndexSet<T>;

fn number<T: Eq + Hash>(table: &mut Table<T>, thing: T) -> i32 {
    i32::try_from(table.insert_full(thing).0 + 1).unwrap_or(i32::MAX)
}

#[derive(Default)]
struct Tables {
    texts: Table<String>,
    /// Names.
    functions: Table<i32>,
    /// Function and line.
    locations: Table<(i32, i64)>,
    stacks: Table<Vec<i32>>,
    /// Key and value.
    attributes: Table<(i32, String)>,
}

impl Tables {
    fn value_type(&mut self, measure: Measure) -> ValueType {
        let (ty, unit) = measure.sample_type();
        ValueType {
            type_strindex: number(&mut self.texts, ty.to_owned()),
            unit_strindex: number(&mut self.texts, unit.to_owned()),
        }
    }

    fn frame(&mut self, frame: &Frame) -> i32 {
        let name = frame_name(frame);
        match frame {
            Frame::Method {
                line: Some(line), ..
            } => {
                // The line is the location's, not the function's.
                let function = name.strip_suffix(&format!(":{line}")).unwrap_or(&name);
                self.location(function, i64::from(*line))
            }
            _ => self.location(&name, 0),
        }
    }

    fn location(&mut self, function: &str, line: i64) -> i32 {
        let name = number(&mut self.texts, function.to_owned());
        let function = number(&mut self.functions, name);
        number(&mut self.locations, (function, line))
    }

    fn attribute(&mut self, key: &str, value: &str) -> i32 {
        let key = number(&mut self.texts, key.to_owned());
        number(&mut self.attributes, (key, value.to_owned()))
    }

    fn finish(self) -> ProfilesDictionary {
        let functions = self.functions.into_iter().map(|name| Function {
            name_strindex: name,
            ..Function::default()
        });
        let locations = self
            .locations
            .into_iter()
            .map(|(function_index, line)| Location {
                lines: vec![Line {
                    function_index,
                    line,
                    ..Line::default()
                }],
                ..Location::default()
            });
        let stacks = self.stacks.into_iter();
        let stacks = stacks.map(|location_indices| Stack { location_indices });
        let attributes = self
            .attributes
            .into_iter()
            .map(|(key, value)| KeyValueAndUnit {
                key_strindex: key,
                value: Some(text_value(&value)),
                ..KeyValueAndUnit::default()
            });
        ProfilesDictionary {
            mapping_table: vec![Mapping::default()],
            location_table: after_nothing(locations),
            function_table: after_nothing(functions),
            link_table: vec![Link::default()],
            string_table: after_nothing(self.texts.into_iter()),
            attribute_table: after_nothing(attributes),
            stack_table: after_nothing(stacks),
        }
    }
}

/// Entry 0 stands for nothing.
fn after_nothing<T: Default>(entries: impl Iterator<Item = T>) -> Vec<T> {
    std::iter::once(T::default()).chain(entries).collect()
}
