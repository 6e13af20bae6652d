//! One way in which a program with known counts allocates.

use serde::Serialize;
use serde_json::Value;

use crate::ToolEntry;

/// One way to allocate, with the program's own totals.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Way {
    /// Its name, and the name of its method.
    pub name: String,
    /// The types it allocates.
    pub types: Vec<String>,
    /// Objects in the whole run.
    pub objects: f64,
    /// Their bytes.
    pub bytes: f64,
}

impl Way {
    pub(crate) fn from_json(value: &Value) -> Option<Way> {
        Some(Way {
            name: value["way"].as_str()?.to_owned(),
            types: value["types"]
                .as_str()?
                .split(' ')
                .map(str::to_owned)
                .collect(),
            objects: value["objects"].as_f64()?,
            bytes: value["bytes"].as_f64()?,
        })
    }

    fn has_type(&self, entry: &ToolEntry) -> bool {
        self.types.contains(&entry.type_name)
    }

    fn has_frame(&self, entry: &ToolEntry) -> bool {
        let lambda = format!("lambda${}$", self.name);
        entry
            .frames
            .iter()
            .filter_map(|frame| frame.strip_prefix("KnownCounts."))
            .any(|method| method == self.name || method.starts_with(&lambda))
    }

    /// Whether all its types belong to the program: then entries with them cannot come from other code.
    fn has_own_types_only(&self) -> bool {
        self.types
            .iter()
            .all(|name| name.starts_with("KnownCounts$"))
    }

    /// A tool's totals for this way: objects and bytes, each `None` if no entry has it.
    pub(crate) fn find(&self, all: &[ToolEntry]) -> (Option<f64>, Option<f64>) {
        let own = |entry: &&ToolEntry| {
            self.has_type(entry) && (self.has_own_types_only() || self.has_frame(entry))
        };
        let own: Vec<&ToolEntry> = all.iter().filter(own).collect();
        if !own.is_empty() {
            return (
                sum(&own, |entry| entry.objects),
                sum(&own, |entry| entry.bytes),
            );
        }
        let elsewhere = |entry: &&ToolEntry| {
            !entry
                .frames
                .iter()
                .any(|frame| frame.starts_with("KnownCounts."))
        };
        let places = self.types.iter().filter_map(|name| {
            let own = all
                .iter()
                .filter(|entry| entry.type_name == *name)
                .filter(elsewhere);
            own.max_by(|a, b| a.amount().total_cmp(&b.amount()))
        });
        let places: Vec<&ToolEntry> = places.collect();
        (
            sum(&places, |entry| entry.objects),
            sum(&places, |entry| entry.bytes),
        )
    }
}

fn sum(entries: &[&ToolEntry], amount: impl Fn(&ToolEntry) -> Option<f64>) -> Option<f64> {
    entries
        .iter()
        .filter_map(|entry| amount(entry))
        .reduce(|a, b| a + b)
}
