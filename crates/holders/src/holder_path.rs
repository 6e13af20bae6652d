//! One path from a root, with names: the holders of the objects at its end, and the site of each.

use rustc_hash::FxHashMap;

use ducktrack_heap_dump::{DumpError, Reference, Root};

use crate::class_paths::PathNumber;
use crate::holdings::{Holding, Holdings};
use crate::type_table::{Origin, TypeNumber};

/// Of a longer path only the end is shown.
const MOST_STEPS: usize = 64;

/// Objects that are held by the same path of classes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderPath {
    /// The class path.
    pub path: PathNumber,
    /// The objects at its end.
    pub held: Holding,
    /// What begins the path.
    pub root: NamedRoot,
    /// From the root on. A path of many steps begins in the middle.
    pub steps: Vec<HolderStep>,
}

/// What begins a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedRoot {
    /// A static field; the first step is what it holds.
    Static {
        /// The class, in the VM's form.
        class: String,
        /// The field.
        field: String,
    },
    /// A class that is never unloaded, not by a static field.
    Class(String),
    /// A local variable of a running method.
    Frame {
        /// The thread's name; empty when not known.
        thread: String,
        /// The place that runs; empty when not known.
        at: String,
    },
    /// A running thread.
    Thread(String),
    /// A local reference of native code, in this thread.
    JniLocal(String),
    /// A global reference of native code.
    JniGlobal,
    /// A monitor that is held or waited for.
    Monitor,
    /// The JVM itself; the dump does not say how.
    Vm,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderStep {
    /// The type of the object.
    pub ty: TypeNumber,
    /// The class that it is, for a class object (VM's form).
    pub class: Option<String>,
    /// How the step before refers to it; `None` for the first.
    pub reference: Option<Reference>,
    /// Objects that have this class path.
    pub objects: u64,
    /// Who made the example.
    pub origin: Origin,
    /// Collections that the example survived.
    pub age: u32,
    /// Collections since the example's last use; `None`: not recorded.
    pub staleness: Option<u32>,
    /// More objects of these types lie between this step and the next.
    pub repeats: bool,
    /// The example.
    pub example: u32,
}

/// Reads paths; keeps what several of them need.
pub(crate) struct PathReader<'a> {
    holdings: &'a Holdings,
    /// Objects by class path.
    counts: Vec<u64>,
    roots: FxHashMap<u32, &'a Root>,
}

impl<'a> PathReader<'a> {
    pub(crate) fn new(holdings: &'a Holdings) -> Self {
        let mut counts = vec![0; holdings.paths.paths().len()];
        for object in 0..holdings.dump.graph.objects() {
            let path = holdings.paths.of(object);
            if let Some(count) = path.and_then(|path| counts.get_mut(path.0 as usize)) {
                *count += 1;
            }
        }
        let roots = holdings.dump.graph.roots();
        Self {
            holdings,
            counts,
            roots: roots.iter().map(|(object, root)| (*object, root)).collect(),
        }
    }

    /// The path with the objects at its end.
    pub(crate) fn read(
        &mut self,
        path: PathNumber,
        held: Holding,
    ) -> Result<HolderPath, DumpError> {
        let example = self.holdings.paths.get(path).map(|path| path.example);
        self.read_to(example.unwrap_or(0), path, held)
    }

    /// The path to one object.
    pub(crate) fn read_to(
        &mut self,
        object: u32,
        path: PathNumber,
        held: Holding,
    ) -> Result<HolderPath, DumpError> {
        let mut steps = self.steps(object)?;
        let root = self.root(&mut steps)?;
        Ok(HolderPath {
            path,
            held,
            root,
            steps,
        })
    }

    /// The steps to an object; where it comes back to a class path it had, what lies between is left out.
    fn steps(&self, object: u32) -> Result<Vec<HolderStep>, DumpError> {
        let holdings = self.holdings;
        let mut seen: Vec<PathNumber> = Vec::new();
        let mut steps: Vec<HolderStep> = Vec::new();
        let mut before = None;
        for object in holdings.shortest.path(object, MOST_STEPS) {
            let Some(path) = holdings.paths.of(object) else {
                continue;
            };
            if let Some(at) = seen.iter().position(|known| *known == path) {
                seen.truncate(at + 1);
                steps.truncate(at + 1);
            } else {
                seen.push(path);
                steps.push(self.step(before, object, path)?);
            }
            before = Some(object);
        }
        Ok(steps)
    }

    fn step(
        &self,
        before: Option<u32>,
        object: u32,
        path: PathNumber,
    ) -> Result<HolderStep, DumpError> {
        let holdings = self.holdings;
        let graph = &holdings.dump.graph;
        let reference = before.map(|before| graph.reference(before, object));
        let class = graph.as_class(object);
        let repeats = holdings.paths.get(path).is_some_and(|path| path.repeats);
        Ok(HolderStep {
            ty: holdings.type_of(object),
            class: class.map(|class| graph.classes().name(class).to_owned()),
            reference: reference.transpose()?,
            objects: self.counts.get(path.0 as usize).copied().unwrap_or(0),
            origin: holdings.origin_of(object),
            age: holdings.dump.age(object),
            staleness: holdings.dump.staleness(object),
            repeats,
            example: object,
        })
    }

    /// Names the root. The class object of a static field is no step of its own.
    fn root(&self, steps: &mut Vec<HolderStep>) -> Result<NamedRoot, DumpError> {
        let Some(first) = steps.first().map(|step| step.example) else {
            return Ok(NamedRoot::Vm);
        };
        let graph = &self.holdings.dump.graph;
        let thread = |id: u64| -> Result<String, DumpError> {
            let Some(thread) = graph.object(id) else {
                return Ok(String::new());
            };
            Ok(graph.thread_name(thread)?.unwrap_or_default())
        };
        Ok(match self.roots.get(&first) {
            Some(Root::Statics | Root::StickyClass) => statics(steps),
            Some(Root::Frame { thread: id, at }) => NamedRoot::Frame {
                thread: thread(*id)?,
                at: at.clone(),
            },
            Some(Root::Thread) => NamedRoot::Thread(thread(graph.id(first))?),
            Some(Root::JniLocal { thread: id }) => NamedRoot::JniLocal(thread(*id)?),
            Some(Root::JniGlobal) => NamedRoot::JniGlobal,
            Some(Root::Monitor) => NamedRoot::Monitor,
            _ => NamedRoot::Vm,
        })
    }
}

fn statics(steps: &mut Vec<HolderStep>) -> NamedRoot {
    let class = steps.first().and_then(|step| step.class.clone());
    let class = class.unwrap_or_default();
    let field = steps.get(1).and_then(|step| match &step.reference {
        Some(Reference::Static(field)) => Some(field.clone()),
        _ => None,
    });
    match field {
        Some(field) => {
            steps.remove(0);
            NamedRoot::Static { class, field }
        }
        None => NamedRoot::Class(class),
    }
}
