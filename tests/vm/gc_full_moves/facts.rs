//! The agent's output: lines of `name value`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

pub(crate) struct Facts {
    text: String,
    numbers: BTreeMap<String, u64>,
}

impl Facts {
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(file)?;
        let numbers = text
            .lines()
            .filter_map(|line| line.split_once(' '))
            .filter_map(|(name, value)| Some((name.to_owned(), value.parse().ok()?)))
            .collect();
        Ok(Self { text, numbers })
    }

    /// Missing facts fail the test.
    pub(crate) fn number(&self, name: &str) -> anyhow::Result<u64> {
        let number = self.numbers.get(name).copied();
        number.with_context(|| format!("no {name} in\n{}", self.text))
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// All numbers in one line.
    pub(crate) fn line(&self) -> String {
        let numbers = self.numbers.iter();
        let numbers: Vec<String> = numbers
            .map(|(name, number)| format!("{name} {number}"))
            .collect();
        numbers.join(", ")
    }
}
