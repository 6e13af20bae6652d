//! The agent's own output, by `ducktrack report --format json`.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use super::{Said, type_name};
use crate::Installation;

/// Runs the command on a fork's trace and parses what it prints.
pub(crate) fn read_report(installation: &Installation, trace: &Path) -> Result<Value> {
    let mut command = Command::new(installation.needed(installation.command.clone())?);
    let output = command
        .arg("report")
        .arg(trace)
        .args(["--format", "json"])
        .output()
        .context("ducktrack report")?;
    if !output.status.success() {
        bail!(
            "ducktrack report {}: {}",
            trace.display(),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    serde_json::from_slice(&output.stdout).context("ducktrack report printed no JSON")
}

/// Every site of a report: by type, and with the callers that are blamed for it.
pub(crate) fn said_by_report(report: &Value) -> Vec<Said> {
    array(&report["sites"]).flat_map(said_by_site).collect()
}

/// A site says its callers and its types apart; each is an entry where it is all there is to know. A site with both is
/// split by caller, since blame matters more to the reader of a total than which of its types it was.
fn said_by_site(site: &Value) -> Vec<Said> {
    let own = frame(site);
    let site_type = site_type(site);
    let contexts: Vec<&Value> = array(&site["context"]).collect();
    let types: Vec<&Value> = array(&site["types"]).collect();
    if let (false, Some(type_name)) = (contexts.is_empty(), &site_type) {
        let entry = |context: &&Value| {
            let frames = own.iter().cloned().chain(frame(context)).collect();
            said(frames, type_name.clone(), context)
        };
        return contexts.iter().map(entry).collect();
    }
    let frames: Vec<String> = own
        .iter()
        .cloned()
        .chain(contexts.iter().filter_map(|context| frame(context)))
        .collect();
    if types.is_empty() {
        return vec![said(frames, site_type.unwrap_or_default(), site)];
    }
    let entry = |part: &&Value| {
        said(
            frames.clone(),
            type_name(part["type"].as_str().unwrap_or("")),
            part,
        )
    };
    types.iter().map(entry).collect()
}

fn said(frames: Vec<String>, type_name: String, amounts: &Value) -> Said {
    Said {
        frames,
        type_name,
        objects: amounts["count"].as_f64(),
        bytes: amounts["bytes"].as_f64(),
    }
}

fn frame(value: &Value) -> Option<String> {
    Some(format!(
        "{}.{}",
        value["class"].as_str()?,
        value["method"].as_str()?
    ))
}

/// The one type of a site; none where it differs from one execution to the next.
fn site_type(site: &Value) -> Option<String> {
    site["type"].as_str().map(type_name)
}

fn array(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_site_is_split_by_caller_or_by_type() {
        let report = json!({"sites": [
            {"class": "java.lang.Long", "method": "valueOf", "type": "java.lang.Long", "count": 5, "bytes": 120,
             "types": [{"type": "java.lang.Long", "count": 5, "bytes": 120}],
             "context": [{"class": "Main", "method": "box", "count": 3, "bytes": 72},
                         {"class": null, "method": null, "count": 2, "bytes": 48}]},
            {"class": "Main", "method": "many", "type": null, "count": 3, "bytes": 64, "context": [],
             "types": [{"type": "float[][]", "count": 1, "bytes": 24}, {"type": "float[]", "count": 2, "bytes": 40}]},
            {"class": "Main", "method": "one", "type": "Main$Point", "count": 7, "bytes": 168, "context": [], "types": []},
        ]});
        let all = said_by_report(&report);
        let short: Vec<(String, String, f64)> = all
            .iter()
            .map(|said| {
                (
                    said.frames.join("<"),
                    said.type_name.clone(),
                    said.objects.unwrap(),
                )
            })
            .collect();
        let expected = [
            ("java.lang.Long.valueOf<Main.box", "java.lang.Long", 3.0),
            ("java.lang.Long.valueOf", "java.lang.Long", 2.0),
            ("Main.many", "float[][]", 1.0),
            ("Main.many", "float[]", 2.0),
            ("Main.one", "Main$Point", 7.0),
        ];
        assert_eq!(
            short,
            expected.map(|(frames, name, count)| (frames.to_owned(), name.to_owned(), count))
        );
    }
}
