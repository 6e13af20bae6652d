//! The field that holds the `ThreadLocal` in whose value a path ends: the map of a thread refers to it weakly, so it is on no path.

use ducktrack_heap_dump::{DumpError, Reference};

use crate::field_paths::PathNumber;
use crate::holder_path::{HolderPath, HolderStep, NamedRoot, StepReference};
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
    /// The field of the program's own class that holds the structure on a path, and whether it is that
    /// of a `ThreadLocal`: where the value of one holds the structure and no class of the program's
    /// own after it does. A dump that cannot be read again has no better answer than the path.
    pub fn structure_field(&self, path: &HolderPath) -> (Option<NamedField>, bool) {
        let Some(structure) = &path.structure else {
            return (None, false);
        };
        let graph = &self.dump.graph;
        let is_entry = |step: &HolderStep| graph.class_name(step.example) == ENTRY;
        let entry = path.steps.iter().rposition(is_entry);
        if entry.is_some() && structure.field <= entry {
            let found = self.thread_local_field(path).ok().flatten();
            if let Some(found) = found {
                return (Some(found), true);
            }
        }
        (
            structure.field.and_then(|at| self.field_at(path, at)),
            false,
        )
    }

    /// The field that leads to a step; to the first, the static field that the path begins with.
    pub fn field_at(&self, path: &HolderPath, at: usize) -> Option<NamedField> {
        let Some(before) = at.checked_sub(1) else {
            return match &path.root {
                NamedRoot::Static { class, field } => Some(NamedField {
                    class: class.clone(),
                    field: field.clone(),
                }),
                _ => None,
            };
        };
        match path.steps.get(at)?.reference.as_ref()? {
            StepReference::Field(field) | StepReference::Static(field) => Some(NamedField {
                class: self.class_of_step(path.steps.get(before)?),
                field: field.clone(),
            }),
            StepReference::Element(_) | StepReference::Class => None,
        }
    }

    /// The class of a step's objects, or the class that it is; in the VM's form, with stable names where the trace has them.
    pub fn class_of_step(&self, step: &HolderStep) -> String {
        let ty = self.types.name(step.ty);
        let of_objects = ty.strip_prefix('L').and_then(|ty| ty.strip_suffix(';'));
        match &step.class {
            Some(class) => class.clone(),
            None => of_objects.unwrap_or(ty).to_owned(),
        }
    }

    /// The path at which the structure begins: what hangs on it goes on from there.
    pub fn structure_path(&self, path: &HolderPath) -> Option<PathNumber> {
        let structure = path.structure.as_ref()?;
        let step = path.steps.get(structure.field.unwrap_or(0))?;
        self.paths.of(step.example)
    }

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
