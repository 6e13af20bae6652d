//! One way in which a program with known counts allocates.

use serde::Serialize;
use serde_json::Value;

use crate::Said;

/// One way to allocate, with what the program itself says.
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

    fn has_type(&self, said: &Said) -> bool {
        self.types.contains(&said.type_name)
    }

    fn has_frame(&self, said: &Said) -> bool {
        let lambda = format!("lambda${}$", self.name);
        said.frames
            .iter()
            .filter_map(|frame| frame.strip_prefix("KnownCounts."))
            .any(|method| method == self.name || method.starts_with(&lambda))
    }

    /// Whether all its types are the program's own: then no entry of theirs can be anybody else's.
    fn has_own_types_only(&self) -> bool {
        self.types
            .iter()
            .all(|name| name.starts_with("KnownCounts$"))
    }

    /// What a tool says of this way: objects and bytes, each none if no entry has it.
    pub(crate) fn find(&self, all: &[Said]) -> (Option<f64>, Option<f64>) {
        let own = |said: &&Said| {
            self.has_type(said) && (self.has_own_types_only() || self.has_frame(said))
        };
        let own: Vec<&Said> = all.iter().filter(own).collect();
        if !own.is_empty() {
            return (sum(&own, |said| said.objects), sum(&own, |said| said.bytes));
        }
        let elsewhere = |said: &&Said| {
            !said
                .frames
                .iter()
                .any(|frame| frame.starts_with("KnownCounts."))
        };
        let places = self.types.iter().filter_map(|name| {
            let own = all
                .iter()
                .filter(|said| said.type_name == *name)
                .filter(elsewhere);
            own.max_by(|a, b| a.amount().total_cmp(&b.amount()))
        });
        let places: Vec<&Said> = places.collect();
        (
            sum(&places, |said| said.objects),
            sum(&places, |said| said.bytes),
        )
    }
}

fn sum(entries: &[&Said], amount: impl Fn(&Said) -> Option<f64>) -> Option<f64> {
    entries
        .iter()
        .filter_map(|said| amount(said))
        .reduce(|a, b| a + b)
}
