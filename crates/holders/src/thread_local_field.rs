//! The field that holds the `ThreadLocal` in whose value a path ends: the map of a thread refers to it weakly, so it is on no path.

use ducktrack_heap_dump::{DumpError, Reference};

use crate::holder_path::HolderPath;
use crate::holdings::Holdings;

/// The key is its referent, the value its field.
const ENTRY: &str = "java/lang/ThreadLocal$ThreadLocalMap$Entry";

/// A field of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedField {
    /// The class, in the VM's form.
    pub class: String,
    /// The field.
    pub field: String,
}

impl Holdings {
    /// Who refers to the `ThreadLocal` whose value is on the path. `None`: no value of one is, or nothing refers to it any more.
    ///
    /// # Errors
    /// When the dump cannot be read again.
    pub fn thread_local_field(&self, path: &HolderPath) -> Result<Option<NamedField>, DumpError> {
        let graph = &self.dump.graph;
        let mut steps = path.steps.iter().rev();
        let Some(entry) = steps.find(|step| graph.class_name(step.example) == ENTRY) else {
            return Ok(None);
        };
        let Some(key) = graph.referent(entry.example)? else {
            return Ok(None);
        };
        let Some(holder) = self.shortest.before(key) else {
            return Ok(None);
        };
        let class = graph.as_class(holder).unwrap_or(graph.class_of(holder));
        let class = graph.classes().name(class).to_owned();
        Ok(match graph.reference(holder, key)? {
            Reference::Static(field) | Reference::Field(field) => Some(NamedField { class, field }),
            _ => None,
        })
    }
}
