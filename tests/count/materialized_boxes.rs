//! `record=materialized` and boxing: what reached the heap is never more than
//! what was made, also where the cache of the boxes is made meanwhile.

use std::process::Command;

use anyhow::{Context, ensure};
use ducktrack_tests::{Jdk, agent_library, compile_java, ducktrack_command, matrix_jdks, skipped};
use serde_json::Value;

/// Objects of each of the four types.
const BOXES: i64 = 1_000;

/// Made and materialized objects of each method that boxes.
fn boxes(jdk: &Jdk) -> anyhow::Result<Option<Vec<(i64, i64)>>> {
    let folder = tempfile::tempdir()?;
    if !compile_java(&["FirstBoxes"], 11, folder.path())? {
        return Ok(None);
    }
    let trace = folder.path().join("trace");
    let run = jdk
        .tool("java")
        // Without an archive, the caches are made when they are asked for; interpreted, each box reaches the heap.
        .args(["-Xshare:off", "-Xint", "-Xmx32m"])
        .arg(format!(
            "-agentpath:{}=output={},summary=off,record=materialized",
            agent_library()?.display(),
            trace.display()
        ))
        .arg("-cp")
        .arg(folder.path())
        .arg("FirstBoxes")
        .output()?;
    ensure!(run.status.success(), "{run:?}");
    let report = Command::new(ducktrack_command()?)
        .arg("report")
        .arg(&trace)
        .args(["--format", "json"])
        .output()?;
    let report: Value = serde_json::from_slice(&report.stdout).context("a report")?;
    let number = |value: &Value| value.as_i64().unwrap_or(0);
    let sites = report["sites"].as_array().into_iter().flatten();
    let own = sites.filter(|site| site["class"] == "FirstBoxes" && site["method"] == "boxed");
    let counts = own.map(|site| {
        (
            number(&site["count"]),
            number(&site["materialized"]["count"]),
        )
    });
    Ok(Some(counts.collect()))
}

#[test]
fn a_cache_that_is_made_meanwhile_is_no_box() -> anyhow::Result<()> {
    for jdk in matrix_jdks()? {
        let Some(boxes) = boxes(&jdk)? else {
            skipped("materialized_boxes: no JDK with javac");
            return Ok(());
        };
        assert_eq!(boxes, [(BOXES, BOXES); 4], "Java {}", jdk.version);
    }
    Ok(())
}
