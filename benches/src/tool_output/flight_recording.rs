//! A JFR recording: its `jdk.ObjectAllocationSample` events, as printed by the JDK's own `jfr print --json`.
//!
//! An event's weight is the number of bytes that its thread has allocated since its last sample; there is no object
//! count.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{ToolEntry, type_name};
use crate::Installation;

pub(crate) fn read_flight_recording(
    installation: &Installation,
    recording: &Path,
) -> Result<Vec<ToolEntry>> {
    let mut command = Command::new(installation.needed(installation.java_home.join("bin/jfr"))?);
    command
        .args([
            "print",
            "--json",
            "--stack-depth",
            "64",
            "--events",
            "jdk.ObjectAllocationSample",
        ])
        .arg(recording);
    let output = command.output().context("jfr print")?;
    if !output.status.success() {
        bail!(
            "jfr print {}: {}",
            recording.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    let document: Value =
        serde_json::from_slice(&output.stdout).context("jfr print printed no JSON")?;
    Ok(entries_of_recording(&document))
}

fn entries_of_recording(document: &Value) -> Vec<ToolEntry> {
    let events = document["recording"]["events"]
        .as_array()
        .into_iter()
        .flatten();
    events
        .filter_map(|event| entry_of_event(&event["values"]))
        .collect()
}

fn entry_of_event(values: &Value) -> Option<ToolEntry> {
    let frames = values["stackTrace"]["frames"]
        .as_array()
        .into_iter()
        .flatten();
    Some(ToolEntry {
        frames: frames
            .filter_map(|frame| method(&frame["method"]))
            .collect(),
        type_name: type_name(values["objectClass"]["name"].as_str()?),
        objects: None,
        bytes: values["weight"].as_f64(),
    })
}

fn method(value: &Value) -> Option<String> {
    Some(format!(
        "{}.{}",
        value["type"]["name"].as_str()?.replace('/', "."),
        value["name"].as_str()?
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_event_is_its_type_its_weight_and_its_stack() {
        let document = json!({"recording": {"events": [{"type": "jdk.ObjectAllocationSample", "values": {
            "objectClass": {"name": "[S"}, "weight": 4096,
            "stackTrace": {"frames": [{"method": {"type": {"name": "java/util/Arrays"}, "name": "copyOf"}}]}}}]}});
        let frames = vec!["java.util.Arrays.copyOf".to_owned()];
        let expected = ToolEntry {
            frames,
            type_name: "short[]".to_owned(),
            objects: None,
            bytes: Some(4096.0),
        };
        assert_eq!(entries_of_recording(&document), [expected]);
    }
}
