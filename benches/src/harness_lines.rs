//! The JSON lines that a workload prints: `start`, `iteration`, `warm`, `end`, `skip`, `list`, and `truth` of the known counts.
//!
//! Other lines, which a JVM may print ("Started recording 1."), are ignored.
//! The fields are documented in `java-harness/README.md`.

use serde_json::Value;

use crate::Iteration;
use crate::way::Way;

/// One line of a workload's standard output.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum HarnessLine {
    Iteration(Iteration),
    /// All iterations before were warm-up.
    Warm,
    End {
        ok: bool,
    },
    Skip {
        reason: String,
    },
    Truth(Way),
    Other,
}

impl HarnessLine {
    pub(crate) fn parse(line: &str) -> HarnessLine {
        let Ok(value) = serde_json::from_str::<Value>(line.trim()) else {
            return HarnessLine::Other;
        };
        match value["event"].as_str() {
            Some("iteration") => {
                iteration(&value).map_or(HarnessLine::Other, HarnessLine::Iteration)
            }
            Some("warm") => HarnessLine::Warm,
            Some("end") => HarnessLine::End {
                ok: value["ok"].as_bool().unwrap_or(false),
            },
            Some("skip") => HarnessLine::Skip {
                reason: text(&value["reason"]),
            },
            Some("truth") => Way::from_json(&value).map_or(HarnessLine::Other, HarnessLine::Truth),
            _ => HarnessLine::Other,
        }
    }
}

fn iteration(value: &Value) -> Option<Iteration> {
    Some(Iteration {
        number: usize::try_from(value["iteration"].as_u64()?).ok()?,
        wall_ms: value["wall_ms"].as_f64()?,
        cpu_ms: value["cpu_ms"].as_f64(),
        allocated_bytes: value["allocated_bytes"].as_f64(),
        checksum: match &value["checksum"] {
            Value::Null => None,
            other => Some(text(other)),
        },
    })
}

/// Returns a string unchanged, and anything else as JSON (a checksum may be a number).
fn text(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn iterations_are_read_with_and_without_optional_fields() {
        let line = r#"{"event":"iteration","workload":"json","iteration":2,"wall_ms":12.5,"cpu_ms":10.25,
            "allocated_bytes":1000,"vm_allocated_bytes":null,"checksum":"ab12"}"#;
        let HarnessLine::Iteration(full) = HarnessLine::parse(line) else {
            panic!("not an iteration")
        };
        assert_eq!(
            (full.number, full.wall_ms, full.cpu_ms),
            (2, 12.5, Some(10.25))
        );
        assert_eq!(
            (full.allocated_bytes, full.checksum.as_deref()),
            (Some(1000.0), Some("ab12"))
        );
        let HarnessLine::Iteration(bare) =
            HarnessLine::parse(r#"{"event":"iteration","iteration":0,"wall_ms":1}"#)
        else {
            panic!("not an iteration")
        };
        assert_eq!((bare.cpu_ms, bare.checksum), (None, None));
    }

    #[test]
    fn the_jvms_own_lines_are_passed_over() {
        assert_eq!(
            HarnessLine::parse("Started recording 1."),
            HarnessLine::Other
        );
        assert_eq!(
            HarnessLine::parse(r#"{"event":"iteration","iteration":"x"}"#),
            HarnessLine::Other
        );
        assert_eq!(
            HarnessLine::parse(r#"{"event":"end","ok":true}"#),
            HarnessLine::End { ok: true }
        );
        let reason = "no compiler".to_owned();
        assert_eq!(
            HarnessLine::parse(r#"{"event":"skip","reason":"no compiler"}"#),
            HarnessLine::Skip { reason }
        );
    }
}
