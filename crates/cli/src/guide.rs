//! `ducktrack guide [TOPIC]`: the pages of `crates/cli/guide`, the programs that they run, and the JSON Schemas of the commands.

use std::process::ExitCode;

use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use ducktrack_reports::{document_names, document_schema};

use crate::output;

/// A page.
struct Topic {
    name: &'static str,
    text: &'static str,
}

macro_rules! topics {
    ($($name:literal),* $(,)?) => {
        [$(Topic { name: $name, text: include_str!(concat!("../guide/", $name, ".md")) }),*]
    };
}

/// The programs of the pages: the first needs no library.
const PROGRAMS: [(&str, &str); 2] = [
    ("Visits.java", include_str!("../guide/Visits.java")),
    ("Orders.java", include_str!("../guide/Orders.java")),
];

/// How the file of a schema ends.
const SCHEMA: &str = ".json";

/// In the order in which a new user needs them.
const TOPICS: &[Topic] = &topics![
    "which-mode",
    "read-a-report",
    "what-should-i-change",
    "which-request-allocates",
    "find-a-leak",
    "gate-a-pull-request",
    "embed-it",
    "leave-it-on-in-production",
    "in-kubernetes",
    "my-container-was-killed",
    "after-a-crash",
    "troubleshooting",
];

#[derive(Args)]
#[command(after_help = "Examples:
  ducktrack guide                 the topics
  ducktrack guide find-a-leak | less
  ducktrack guide Visits.java > Visits.java    a program of the pages
  ducktrack guide leaks.json      the JSON Schema of leaks --format json")]
pub(crate) struct GuideArgs {
    /// The page, the file of a program, or a command's name with .json; without it, the list of pages
    #[arg(value_parser = PossibleValuesParser::new(values()))]
    topic: Option<String>,
}

pub(crate) fn run(args: &GuideArgs) -> Result<ExitCode> {
    let text = match args.topic.as_deref() {
        Some(topic) => text(topic).map(str::to_owned).or_else(|| schema(topic)),
        None => Some(list()),
    };
    output::write(&text.unwrap_or_default(), None)?;
    Ok(ExitCode::SUCCESS)
}

fn schema(file: &str) -> Option<String> {
    document_schema(file.strip_suffix(SCHEMA)?)
}

/// The text of a page or a program.
fn text(name: &str) -> Option<&'static str> {
    let pages = TOPICS.iter().map(|topic| (topic.name, topic.text));
    let mut all = pages.chain(PROGRAMS);
    all.find(|(known, _)| *known == name).map(|(_, text)| text)
}

/// Schemas are not listed in help: there is one for each report.
fn values() -> impl Iterator<Item = PossibleValue> {
    let pages = TOPICS.iter().map(|topic| PossibleValue::new(topic.name));
    let programs = PROGRAMS.map(|(name, _)| PossibleValue::new(name));
    let schemas = document_names();
    let schemas = schemas.map(|name| PossibleValue::new(format!("{name}{SCHEMA}")).hide(true));
    pages.chain(programs).chain(schemas)
}

fn list() -> String {
    let lines = TOPICS.iter().map(|topic| {
        let title = topic.text.lines().next().unwrap_or_default();
        format!(
            "  ducktrack guide {:<27} {}\n",
            topic.name,
            title.trim_start_matches("# ")
        )
    });
    lines.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page that takes longer to read is not read.
    const MOST_WORDS: usize = 900;

    #[test]
    fn each_page_is_short_and_has_a_title() {
        for topic in TOPICS {
            let is_word = |word: &&str| word.contains(char::is_alphanumeric);
            let words = topic.text.split_whitespace().filter(is_word).count();
            assert!(words < MOST_WORDS, "{}: {words} words", topic.name);
            assert!(topic.text.starts_with("# "), "{}", topic.name);
        }
    }

    #[test]
    fn each_page_of_the_folder_is_a_topic() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/guide");
        for entry in std::fs::read_dir(folder).expect("the folder") {
            let name = entry.expect("an entry").file_name();
            let name = name.to_str().expect("text");
            if let Some(name) = name.strip_suffix(".md") {
                assert!(TOPICS.iter().any(|topic| topic.name == name), "{name}");
            }
        }
        assert_eq!(list().lines().count(), TOPICS.len());
    }
}
