//! Shortest paths from roots, grouped by the fields on them.
//!
//! Objects whose paths go through the same fields and types share a *field path*; elements of an
//! array are one field. Recursion is folded: where a structure refers to more of itself, the path
//! goes back to where it was before, so that a list of a million nodes is one path and not a million.
//!
//! | folded | example |
//! |---|---|
//! | an object held by one of the same type | `LinkedList$Node.next`, `TreeMap$Entry.left`, an array in an array |
//! | the same by an array of that type | `Trie.children` of type `Trie[]` |
//! | steps that have come three times in a row | `Task.dependents -> ArrayList -> Object[] -> Task -> ...` |
//!
//! Nothing else is: a map below a map is another map, and its holder stays on the path.

use rustc_hash::FxHashMap;

use ducktrack_count_model::stable_class;
use ducktrack_heap_dump::{ClassIndex, HeapGraph, Root, ShortestPaths, Tier, Tiers, TreeFields};

use crate::join::JoinedDump;
use crate::type_table::{TypeNumber, TypeTable};

/// Steps that repeat are folded up to this many in a period.
const LONGEST_PERIOD: usize = 8;
/// A period is folded when it has come this often.
const PERIODS: usize = 3;
/// Deeper objects, and those after this many paths, count as more of the structure that they are in.
const MOST_STEPS: u32 = 400;
const MOST_PATHS: usize = 1 << 22;
/// No path: nothing leads to the object.
const NONE: u32 = u32::MAX;

/// A field path, by its place in [`FieldPaths`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PathNumber(pub u32);

impl core::fmt::Debug for PathNumber {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "path{}", self.0)
    }
}

/// How the last object of a path is reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Way {
    /// It is a root, of this kind.
    Root(u32),
    /// It is the class object with this number.
    Statics(u32),
    /// By a static field: its place among the class's.
    Static(u32),
    /// By an instance field: its number among those of the holder's class.
    Field(u16),
    /// It is an element of an array.
    Element,
    /// By a reference that is in no field: an object's class, a loader's classes.
    Implied,
}

/// One field path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldPath {
    /// The path before its last step; `None` for a root.
    pub before: Option<PathNumber>,
    /// The type at its end.
    pub ty: TypeNumber,
    /// The first object that was reached on it; its own path is one of the shortest.
    pub example: u32,
    /// Recursion is folded here.
    pub repeats: bool,
    pub(crate) way: Way,
    steps: u32,
}

/// The field paths of all objects of a dump.
#[derive(Debug)]
pub struct FieldPaths {
    paths: Vec<FieldPath>,
    /// By object.
    path_of: Vec<u32>,
}

impl FieldPaths {
    pub(crate) fn new(
        dump: &JoinedDump,
        types: &TypeTable,
        (tiers, shortest, fields): (&Tiers, &ShortestPaths, &TreeFields),
    ) -> Self {
        let mut builder = Builder {
            dump,
            types,
            fields,
            roots: RootKinds::new(&dump.graph, tiers),
            numbers: FxHashMap::default(),
            class_objects: FxHashMap::default(),
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

    /// All paths; what comes before a path in its steps stands before it here.
    pub fn paths(&self) -> &[FieldPath] {
        &self.paths
    }

    /// A path.
    pub fn get(&self, path: PathNumber) -> Option<&FieldPath> {
        self.paths.get(path.0 as usize)
    }

    /// The path of an object.
    pub fn of(&self, object: u32) -> Option<PathNumber> {
        let path = self.path_of.get(object as usize).copied();
        path.filter(|path| *path != NONE).map(PathNumber)
    }

    /// The path and its prefixes, root last.
    pub fn upwards(&self, path: PathNumber) -> impl Iterator<Item = PathNumber> {
        core::iter::successors(Some(path), |path| self.get(*path)?.before)
    }
}

/// Roots of one kind and name are one; the numbers have no other meaning.
struct RootKinds<'a> {
    tiers: &'a Tiers,
    kinds: FxHashMap<u32, &'a Root>,
    numbers: FxHashMap<Root, u32>,
}

impl<'a> RootKinds<'a> {
    fn new(graph: &'a HeapGraph, tiers: &'a Tiers) -> Self {
        let roots = graph.late_roots().iter().chain(graph.roots());
        Self {
            tiers,
            kinds: roots.map(|(object, root)| (*object, root)).collect(),
            numbers: FxHashMap::default(),
        }
    }

    fn number(&mut self, object: u32) -> u32 {
        let root = self.kinds.get(&object).copied();
        let Some(root) = root.filter(|_| self.tiers.of(object) != Tier::Unheld) else {
            return NONE;
        };
        // The threads of a pool do the same.
        let kind = match root {
            Root::Frame { at, .. } => Root::Frame {
                thread: 0,
                at: at.clone(),
            },
            Root::JniLocal { .. } => Root::JniLocal { thread: 0 },
            other => other.clone(),
        };
        let next = u32::try_from(self.numbers.len()).unwrap_or(NONE);
        *self.numbers.entry(kind).or_insert(next)
    }
}

struct Builder<'a> {
    dump: &'a JoinedDump,
    types: &'a TypeTable,
    fields: &'a TreeFields,
    roots: RootKinds<'a>,
    numbers: FxHashMap<(u32, Way, TypeNumber), u32>,
    /// By name, the first class object: those of the same name from other
    /// loaders are the same step, as are those that were generated alike.
    class_objects: FxHashMap<String, u32>,
    all: FieldPaths,
}

impl Builder<'_> {
    fn add(&mut self, object: u32, before: Option<u32>) {
        let before = before.and_then(|before| Some((before, self.all.of(before)?)));
        let ty = self.types.type_of(self.dump, object);
        let path = match before {
            None => {
                let way = match self.dump.graph.as_class(object) {
                    Some(class) => Way::Statics(self.first_of_its_name(class, object)),
                    None => Way::Root(self.roots.number(object)),
                };
                self.step(None, (way, ty), object)
            }
            Some((before, path)) => {
                let way = self.way(before, object);
                match self.folded(path, (way, ty)) {
                    None => self.step(Some(path), (way, ty), object),
                    Some(again) => {
                        if let Some(again) = self.all.paths.get_mut(again.0 as usize) {
                            again.repeats = true;
                        }
                        again.0
                    }
                }
            }
        };
        if let Some(place) = self.all.path_of.get_mut(object as usize) {
            *place = path;
        }
    }

    fn way(&mut self, before: u32, object: u32) -> Way {
        let graph = &self.dump.graph;
        if let Some(class) = graph.as_class(before)
            && let Some(place) = graph.static_place(class, graph.id(object))
        {
            return Way::Static(place);
        }
        if let Some(class) = graph.as_class(object) {
            return Way::Statics(self.first_of_its_name(class, object));
        }
        match self.fields.number(object) {
            Some(field) => Way::Field(field),
            None if graph.class_name(before).starts_with('[') => Way::Element,
            None => Way::Implied,
        }
    }

    /// A class that is generated for each of many has a name that no other has: without its number it has.
    fn first_of_its_name(&mut self, class: ClassIndex, object: u32) -> u32 {
        let name = stable_class(self.dump.graph.classes().name(class));
        match self.class_objects.get(name.as_ref()) {
            Some(first) => *first,
            None => {
                self.class_objects.insert(name.into_owned(), object);
                object
            }
        }
    }

    /// The path that the recursion goes back to.
    fn folded(&self, path: PathNumber, (way, ty): (Way, TypeNumber)) -> Option<PathNumber> {
        if !matches!(way, Way::Field(_) | Way::Element) {
            return None;
        }
        let here = self.all.get(path)?;
        if here.ty == ty && !matches!(here.way, Way::Statics(_)) {
            return Some(path);
        }
        let by_array = here.before.filter(|_| way == Way::Element);
        let by_array = by_array.filter(|before| {
            let holder = self.all.get(*before).map(|holder| holder.ty);
            holder == Some(ty) && self.is_array_of(here.ty, ty)
        });
        if by_array.is_some() {
            return by_array;
        }
        let is_full = here.steps >= MOST_STEPS || self.all.paths.len() >= MOST_PATHS;
        self.period(path, (way, ty)).or(is_full.then_some(path))
    }

    fn is_array_of(&self, array: TypeNumber, element: TypeNumber) -> bool {
        self.types.name(array).strip_prefix('[') == Some(self.types.name(element))
    }

    /// Where the path was a period before, if its last steps, with the new one, are the same steps several times.
    fn period(&self, path: PathNumber, new: (Way, TypeNumber)) -> Option<PathNumber> {
        let last: Vec<(Way, TypeNumber)> = core::iter::once(new)
            .chain(self.all.upwards(path).filter_map(|path| {
                let path = self.all.get(path)?;
                Some((path.way, path.ty))
            }))
            .take(LONGEST_PERIOD * PERIODS)
            .collect();
        let period = (2..=LONGEST_PERIOD).find(|period| {
            let steps = last.get(..period * PERIODS);
            steps.is_some_and(|steps| {
                steps
                    .iter()
                    .zip(steps.iter().skip(*period))
                    .all(|(a, b)| a == b)
            })
        })?;
        self.all.upwards(path).nth(period - 1)
    }

    fn step(
        &mut self,
        before: Option<PathNumber>,
        (way, ty): (Way, TypeNumber),
        example: u32,
    ) -> u32 {
        let next = u32::try_from(self.all.paths.len()).unwrap_or(NONE);
        let key = (before.map_or(NONE, |before| before.0), way, ty);
        let number = *self.numbers.entry(key).or_insert(next);
        if number == next {
            let steps = before
                .and_then(|before| self.all.get(before))
                .map_or(0, |path| path.steps + 1);
            self.all.paths.push(FieldPath {
                before,
                ty,
                example,
                repeats: false,
                way,
                steps,
            });
        }
        number
    }
}
