//! JUnit's XML: one test for each gate, which any CI server shows.

use super::finding::Finding;
use crate::diff::{Comparison, Outcome, Verdict};

pub(super) fn write(comparison: &Comparison, findings: &[Finding]) -> String {
    let of = |wanted: fn(&Outcome) -> bool| {
        let verdicts = comparison.verdicts.iter();
        verdicts.filter(|verdict| wanted(&verdict.outcome)).count()
    };
    let (tests, failures) = (
        comparison.verdicts.len(),
        of(|outcome| *outcome == Outcome::Broken),
    );
    let errors = of(|outcome| matches!(outcome, Outcome::CannotTell(_)));
    let mut out = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"ducktrack\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"0\" time=\"0\">\n"
    );
    let details = details(comparison, findings);
    for verdict in &comparison.verdicts {
        write_test(&mut out, verdict, &details);
    }
    out.push_str(&format!(
        "    <system-out>{}</system-out>\n",
        text(&details)
    ));
    out.push_str("  </testsuite>\n</testsuites>\n");
    out
}

fn write_test(out: &mut String, verdict: &Verdict, details: &str) {
    out.push_str(&format!(
        "    <testcase classname=\"ducktrack.gates\" name=\"{}\" time=\"0\"",
        text(&verdict.gate)
    ));
    let element = match verdict.outcome {
        Outcome::Holds => return out.push_str("/>\n"),
        Outcome::Broken => "failure",
        Outcome::CannotTell(_) => "error",
    };
    let message = text(&verdict.to_string());
    out.push_str(&format!(
        ">\n      <{element} type=\"gate\" message=\"{message}\">{}</{element}>\n    </testcase>\n",
        text(details)
    ));
}

fn details(comparison: &Comparison, findings: &[Finding]) -> String {
    let mut lines: Vec<String> = findings.iter().map(line).collect();
    lines.extend(comparison.cautions.iter().cloned());
    lines.push(format!("To accept: {}", comparison.accept()));
    lines.join("\n")
}

fn line(finding: &Finding) -> String {
    match (&finding.file, finding.line) {
        (Some(file), Some(line)) => format!("{file}:{line}: {}", finding.sentence()),
        _ => finding.sentence(),
    }
}

/// As text or as the value of an attribute. What XML 1.0 has no sign for becomes a question mark.
fn text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(sign),
            sign if sign < ' ' || matches!(sign, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            sign => out.push(sign),
        }
    }
    out
}
