//! Firefox Profiler: a process for each measure, with the program's threads; a sample's weight is its bytes or objects.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use ducktrack_profile::{ProfileRow, Unit};
use ducktrack_reports::frame_name;
use fxprof_processed_profile::{
    CategoryHandle, CpuDelta, Frame, FrameFlags, FrameInfo, Profile, ReferenceTimestamp,
    SamplingInterval, ThreadHandle, Timestamp, WeightType,
};

use crate::error::ExportError;
use crate::export::{Export, Measure};

/// The viewer shows a process's main thread under the name of the process: the one that a reader expects there.
const MAIN: &str = "main";

/// The text of a profile.
///
/// # Errors
/// When a value has no JSON form; none has.
pub fn firefox(export: &Export<'_>) -> Result<String, ExportError> {
    let start = SystemTime::UNIX_EPOCH + Duration::from_millis(export.start_unix_millis);
    let mut profile = Profile::new(
        export.name,
        ReferenceTimestamp::from_system_time(start),
        SamplingInterval::from_millis(1),
    );
    for (number, measure) in export.measures().into_iter().enumerate() {
        add_process(&mut profile, export, measure, number == 1);
    }
    Ok(serde_json::to_string(&profile)?)
}

fn add_process(profile: &mut Profile, export: &Export<'_>, measure: Measure, selected: bool) {
    let zero = Timestamp::from_millis_since_reference(0.0);
    let name = format!("{}: {}", export.name, measure.title());
    let process = profile.add_process(&name, export.pid, zero);
    let end = export.duration_millis as f64;
    let mut rows: BTreeMap<&str, Vec<(usize, &ProfileRow)>> = BTreeMap::new();
    for (at, row) in export.rows() {
        rows.entry(export.thread_of(row))
            .or_default()
            .push((at, row));
    }
    let has_main = rows.contains_key(MAIN);
    for (number, (name, rows)) in rows.into_iter().enumerate() {
        let is_main = match has_main {
            true => name == MAIN,
            false => number == 0,
        };
        let thread = profile.add_thread(process, export.pid, zero, is_main);
        profile.set_thread_name(thread, name);
        profile.set_thread_samples_weight_type(
            thread,
            match measure.unit() {
                Unit::Bytes => WeightType::Bytes,
                Unit::Objects => WeightType::Samples,
            },
        );
        if selected && is_main {
            profile.add_initial_selected_thread(thread);
        }
        let step = end / (rows.len() as f64 + 1.0);
        for (position, (at, row)) in rows.into_iter().enumerate() {
            let time = Timestamp::from_millis_since_reference(step * (position as f64 + 1.0));
            add_row(
                profile,
                export,
                thread,
                (row, export.value(measure, at, row)),
                time,
            );
        }
    }
}

/// A weight has 32 bits: a row may take several samples.
fn add_row(
    profile: &mut Profile,
    export: &Export<'_>,
    thread: ThreadHandle,
    (row, value): (&ProfileRow, i64),
    time: Timestamp,
) {
    let mut names: Vec<String> = std::iter::once(export.type_of(row))
        .chain(
            export
                .profile
                .frames_of(row.stack)
                .map(|frame| frame_name(export.profile.frame(frame))),
        )
        .collect();
    names.reverse();
    let frames: Vec<FrameInfo> = names
        .iter()
        .map(|name| FrameInfo {
            frame: Frame::Label(profile.intern_string(name)),
            category_pair: CategoryHandle::OTHER.into(),
            flags: FrameFlags::empty(),
        })
        .collect();
    let stack = profile.intern_stack_frames(thread, frames.into_iter());
    let mut left = value;
    while left > 0 {
        let weight = i32::try_from(left).unwrap_or(i32::MAX);
        profile.add_sample(thread, time, stack, CpuDelta::ZERO, weight);
        left -= i64::from(weight);
    }
}
