//! Shortest paths from roots, grouped by the classes on them.
//!
//! Objects whose paths go through the same classes share a *class path*. Where a class comes again within a few steps (the nodes of a linked list, tables in
//! tables), the path goes back to where it was before, so that a list of a million nodes is one path and not a million.
//! A static field is a step of its own: what two fields of one class hold is kept apart.

use rustc_hash::FxHashMap;

use ducktrack_heap_dump::{HeapGraph, ShortestPaths};

use crate::join::JoinedDump;
use crate::type_table::{TypeNumber, TypeTable};

/// A class comes again within this many steps: the path goes back there.
const REPEATS_WITHIN: usize = 4;
/// No class path: nothing leads to the object.
const NONE: u32 = u32::MAX;

/// A class path, by its place in [`ClassPaths`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathNumber(pub u32);

impl core::fmt::Debug for PathNumber {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "path{}", self.0)
    }
}

/// What tells the steps after one class path apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Step {
    /// The class object of a root with static fields.
    Statics(u32),
    /// What a static field holds: its place among the class's.
    Static(u32, TypeNumber),
    /// An object of this type.
    Type(TypeNumber),
}

/// One class path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassPath {
    /// The path before its last step; `None` for a root.
    pub before: Option<PathNumber>,
    /// The type at its end.
    pub ty: TypeNumber,
    /// The first object that was reached on it; its own path is one of the shortest.
    pub example: u32,
    step: Step,
    /// Another object on the way has the same class path.
    pub repeats: bool,
}

/// The class paths of all objects of a dump.
#[derive(Debug)]
pub struct ClassPaths {
    paths: Vec<ClassPath>,
    /// By object.
    path_of: Vec<u32>,
}

impl ClassPaths {
    pub(crate) fn new(dump: &JoinedDump, types: &TypeTable, shortest: &ShortestPaths) -> Self {
        let mut builder = Builder {
            dump,
            types,
            numbers: FxHashMap::default(),
            all: Self {
                paths: Vec::new(),
                path_of: vec![NONE; dump.graph.objects() as usize],
            },
        };
        for object in shortest.order() {
            builder.add(*object, shortest.before(*object));
        }
        builder.all
    }

    /// All class paths; what comes before a path in its steps stands before it here.
    pub fn paths(&self) -> &[ClassPath] {
        &self.paths
    }

    /// A class path.
    pub fn get(&self, path: PathNumber) -> Option<&ClassPath> {
        self.paths.get(path.0 as usize)
    }

    /// The class path of an object; `None`: no root leads there.
    pub fn of(&self, object: u32) -> Option<PathNumber> {
        let path = self.path_of.get(object as usize).copied();
        path.filter(|path| *path != NONE).map(PathNumber)
    }

    /// The path and its prefixes, root last.
    pub fn upwards(&self, path: PathNumber) -> impl Iterator<Item = PathNumber> {
        core::iter::successors(Some(path), |path| self.get(*path)?.before)
    }
}

struct Builder<'a> {
    dump: &'a JoinedDump,
    types: &'a TypeTable,
    numbers: FxHashMap<(u32, Step), u32>,
    all: ClassPaths,
}

impl Builder<'_> {
    fn add(&mut self, object: u32, before: Option<u32>) {
        let path = match before.and_then(|before| Some((before, self.all.of(before)?))) {
            None => self.root(object),
            Some((before, path)) => self.after(object, before, path),
        };
        if let Some(place) = self.all.path_of.get_mut(object as usize) {
            *place = path;
        }
    }

    fn root(&mut self, object: u32) -> u32 {
        let ty = self.types.type_of(self.dump, object);
        let step = match self.dump.graph.as_class(object) {
            Some(_) => Step::Statics(object),
            None => Step::Type(ty),
        };
        self.step(NONE, step, ty, object)
    }

    fn after(&mut self, object: u32, before: u32, path: PathNumber) -> u32 {
        let ty = self.types.type_of(self.dump, object);
        if let Some(field) = static_field(&self.dump.graph, before, object) {
            return self.step(path.0, Step::Static(field, ty), ty, object);
        }
        if self.dump.graph.as_class(object).is_some() {
            return self.step(path.0, Step::Statics(object), ty, object);
        }
        if let Some(again) = self.repeated(path, ty) {
            if let Some(path) = self.all.paths.get_mut(again.0 as usize) {
                path.repeats = true;
            }
            return again.0;
        }
        self.step(path.0, Step::Type(ty), ty, object)
    }

    /// The path close above that ends with this type.
    fn repeated(&self, path: PathNumber, ty: TypeNumber) -> Option<PathNumber> {
        let mut above = self.all.upwards(path).take(REPEATS_WITHIN);
        above.find(|above| {
            let above = self.all.get(*above);
            above.is_some_and(|above| above.ty == ty && !matches!(above.step, Step::Statics(_)))
        })
    }

    fn step(&mut self, before: u32, step: Step, ty: TypeNumber, example: u32) -> u32 {
        let next = u32::try_from(self.all.paths.len()).unwrap_or(NONE);
        let number = *self.numbers.entry((before, step)).or_insert(next);
        if number == next {
            self.all.paths.push(ClassPath {
                before: (before != NONE).then_some(PathNumber(before)),
                ty,
                example,
                step,
                repeats: false,
            });
        }
        number
    }
}

/// The place of the static field through which a class object refers to another object.
fn static_field(graph: &HeapGraph, class: u32, object: u32) -> Option<u32> {
    graph.static_place(graph.as_class(class)?, graph.id(object))
}
