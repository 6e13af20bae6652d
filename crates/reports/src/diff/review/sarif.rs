//! SARIF 2.1.0: results at lines of the repository, which code scanning shows in a review.

use serde_json::{Value, json};

use super::finding::Finding;
use crate::diff::{Comparison, Outcome};
use crate::error::ReportError;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn write(comparison: &Comparison, findings: &[Finding]) -> Result<String, ReportError> {
    let level = match comparison.passed() {
        true => "note",
        false => "warning",
    };
    let mut results = gates(comparison, findings.first());
    results.extend(findings.iter().map(|finding| {
        let message = format!("{}. To accept: {}", finding.sentence(), comparison.accept());
        result(
            ("more-allocations", level),
            &message,
            &finding.stable_name(),
            Some(finding),
        )
    }));
    log(rules(), results)
}

/// The whole document.
pub(super) fn log(rules: Value, results: Vec<Value>) -> Result<String, ReportError> {
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "ducktrack",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    });
    Ok(serde_json::to_string_pretty(&log).map_err(ReportError::NoJsonForm)? + "\n")
}

fn rules() -> Value {
    let rule = |id: &str, text: &str| json!({ "id": id, "shortDescription": { "text": text } });
    json!([
        rule(
            "gate-broken",
            "The program allocates more than a gate allows"
        ),
        rule(
            "gate-not-judged",
            "The runs do not show whether a gate holds"
        ),
        rule(
            "more-allocations",
            "A place of the program allocates more than before"
        ),
    ])
}

/// A gate that does not hold is shown where most was added.
fn gates(comparison: &Comparison, largest: Option<&Finding>) -> Vec<Value> {
    let verdicts = comparison.verdicts.iter();
    verdicts
        .filter_map(|verdict| {
            let rule = match verdict.outcome {
                Outcome::Holds => return None,
                Outcome::Broken => ("gate-broken", "error"),
                Outcome::CannotTell(_) => ("gate-not-judged", "error"),
            };
            Some(result(rule, &verdict.to_string(), &verdict.gate, largest))
        })
        .collect()
}

pub(super) fn result(
    (rule, level): (&str, &str),
    message: &str,
    stable_name: &str,
    at: Option<&Finding>,
) -> Value {
    let location = at.and_then(|finding| {
        let mut place = json!({ "artifactLocation": { "uri": uri(finding.file.as_deref()?) } });
        if let Some(line) = finding.line.filter(|line| *line > 0) {
            place["region"] = json!({ "startLine": line });
        }
        Some(json!({ "physicalLocation": place }))
    });
    json!({
        "ruleId": rule,
        "level": level,
        "message": { "text": message },
        "locations": location.into_iter().collect::<Vec<_>>(),
        "partialFingerprints": { "place/v1": stable_name },
    })
}

/// A path as a relative URI.
fn uri(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' | b'$' => {
                out.push(char::from(byte));
            }
            byte => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}
