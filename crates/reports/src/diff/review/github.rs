//! Workflow commands of GitHub Actions: annotations at lines of the change.

use super::finding::Finding;
use crate::diff::{Comparison, Outcome};

pub(super) fn write(comparison: &Comparison, findings: &[Finding]) -> String {
    let mut out = String::new();
    for verdict in &comparison.verdicts {
        let title = match verdict.outcome {
            Outcome::Holds => continue,
            Outcome::Broken => "Allocation gate broken",
            Outcome::CannotTell(_) => "Allocation gate cannot be judged",
        };
        let message = format!("{verdict}\nTo accept: {}", comparison.accept());
        out.push_str(&command(("error", title), findings.first(), &message));
    }
    // Without a gate it is for information.
    let level = match comparison.verdicts.is_empty() {
        true => "notice",
        false => "warning",
    };
    for finding in findings {
        out.push_str(&command(
            (level, "More allocations"),
            Some(finding),
            &finding.sentence(),
        ));
    }
    out
}

pub(super) fn command((level, title): (&str, &str), at: Option<&Finding>, message: &str) -> String {
    let mut properties = format!("title={}", property(title));
    if let Some((file, finding)) = at.and_then(|finding| Some((finding.file.as_deref()?, finding)))
    {
        properties.push_str(&format!(",file={}", property(file)));
        if let Some(line) = finding.line.filter(|line| *line > 0) {
            properties.push_str(&format!(",line={line}"));
        }
    }
    format!("::{level} {properties}::{}\n", data(message))
}

fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
