//! One path from a root, with names: the holders of the objects at its end, and the site of each.

use rustc_hash::FxHashMap;

use ducktrack_heap_dump::{DumpError, Reference, Root, Tier, is_own_class};

use crate::field_paths::{PathNumber, Way};
use crate::growing_step::GroupedBirths;
use crate::holdings::{Holding, Holdings};
use crate::type_table::{Origin, TypeNumber};

/// Objects that are held by the same path of fields.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderPath {
    /// The field path.
    pub path: PathNumber,
    /// The objects at its end. `retained` is what would be free without exactly these.
    pub held: Holding,
    /// What begins the path.
    pub root: NamedRoot,
    /// From the root on.
    pub steps: Vec<HolderStep>,
    /// What a person would change.
    pub structure: Option<OwnStructure>,
}

/// The structure on a path in which the objects pile up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnStructure {
    /// The step at which one holder becomes many, each with a time of its own: its objects pile up.
    pub piles_up: usize,
    /// The step whose holder is of the program's own, nearest before: the field that leads to this step holds the
    /// structure. 0 is the static field that the path begins with. `None`: no class of the program's own is on the way.
    pub field: Option<usize>,
    /// What would be free without the elements of the structure: all objects of that path.
    pub retained: u64,
    /// Where the structure was added to: the site of its nodes, or of the array that had to grow, with the call that did it.
    pub added: Origin,
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
    /// An instance field of some class object, which no dump has.
    ClassField(&'static str),
    /// Nothing that the dump has.
    NotInDump,
}

/// One step of a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HolderStep {
    /// The type of the object.
    pub ty: TypeNumber,
    /// The class that it is, for a class object (VM's form).
    pub class: Option<String>,
    /// How the step before refers to it; `None` for the first.
    pub reference: Option<StepReference>,
    /// Objects on this step that lead to the objects at the path's end.
    pub objects: u64,
    /// Who made the example.
    pub origin: Origin,
    /// Collections that the example survived.
    pub age: u32,
    /// Collections since the example's last use; `None`: not recorded.
    pub staleness: Option<u32>,
    /// More objects of this type lie between this step and the next.
    pub repeats: bool,
    /// The class of the object, or the class that it is, is the program's own: not of the JDK.
    pub is_own: bool,
    /// The example.
    pub example: u32,
}

/// How a step refers to the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StepReference {
    /// An instance field.
    Field(String),
    /// A static field.
    Static(String),
    /// Elements of an array; the index, if there is one object.
    Element(Option<u32>),
    /// An object's class, a class's loader or superclass, or a class of a loader.
    Class,
}

/// Reads paths; keeps what several of them need.
pub(crate) struct PathReader<'a> {
    holdings: &'a Holdings,
    roots: FxHashMap<u32, &'a Root>,
}

impl<'a> PathReader<'a> {
    pub(crate) fn new(holdings: &'a Holdings) -> Self {
        let graph = &holdings.dump.graph;
        let roots = graph.late_roots().iter().chain(graph.roots());
        Self {
            holdings,
            roots: roots.map(|(object, root)| (*object, root)).collect(),
        }
    }

    /// The path to these objects, all of which have it.
    pub(crate) fn read(
        &self,
        path: PathNumber,
        held: Holding,
        members: &[u32],
    ) -> Result<HolderPath, DumpError> {
        let counts = self.leading(members);
        let births = GroupedBirths::of(self.holdings, members);
        let examples = self.examples(middle(self.holdings, members));
        let mut numbers: Vec<PathNumber> = self.holdings.paths.upwards(path).collect();
        numbers.reverse();
        let first = numbers
            .first()
            .and_then(|number| examples.get(number))
            .copied();
        let mut steps = Vec::with_capacity(numbers.len());
        let mut before = None;
        for number in numbers {
            steps.push(self.step(number, before, (&counts, &examples))?);
            before = Some(number);
        }
        let root = self.root(first, &mut steps)?;
        let paths = steps.iter();
        let paths = paths.map(|step| self.holdings.paths.of(step.example));
        let piles_up = births.growing_step(paths).or_else(|| most_each(&steps));
        let structure = piles_up.map(|at| self.structure(&root, &steps, at));
        Ok(HolderPath {
            path,
            held,
            root,
            steps,
            structure,
        })
    }

    /// How many objects are on the ways to these, by path.
    fn leading(&self, members: &[u32]) -> FxHashMap<PathNumber, u64> {
        let mut counts: FxHashMap<PathNumber, u64> = FxHashMap::default();
        let mut is_counted = vec![false; self.holdings.dump.graph.objects() as usize];
        for member in members {
            let mut next = Some(*member);
            while let Some(object) = next {
                match is_counted.get_mut(object as usize) {
                    Some(flag) if !*flag => *flag = true,
                    _ => break,
                }
                if let Some(path) = self.holdings.paths.of(object) {
                    *counts.entry(path).or_default() += 1;
                }
                next = self.holdings.shortest.before(object);
            }
        }
        counts
    }

    /// For each path on the way to an object the object that is nearest to the root.
    fn examples(&self, member: Option<u32>) -> FxHashMap<PathNumber, u32> {
        let mut examples = FxHashMap::default();
        let mut next = member;
        while let Some(object) = next {
            if let Some(path) = self.holdings.paths.of(object) {
                examples.insert(path, object);
            }
            next = self.holdings.shortest.before(object);
        }
        examples
    }

    fn step(
        &self,
        number: PathNumber,
        before: Option<PathNumber>,
        (counts, examples): (&FxHashMap<PathNumber, u64>, &FxHashMap<PathNumber, u32>),
    ) -> Result<HolderStep, DumpError> {
        let holdings = self.holdings;
        let graph = &holdings.dump.graph;
        let path = holdings.paths.get(number);
        let example = examples.get(&number).copied();
        let example = example.or(path.map(|path| path.example)).unwrap_or(0);
        let class = graph.as_class(example);
        let objects = counts.get(&number).copied().unwrap_or(0);
        let reference = match path.filter(|_| before.is_some()) {
            Some(path) => Some(self.reference(path.way, example, objects)?),
            None => None,
        };
        Ok(HolderStep {
            ty: holdings.type_of(example),
            class: class.map(|class| graph.classes().name(class).to_owned()),
            reference,
            objects,
            origin: holdings.origin_of(example),
            age: holdings.dump.age(example),
            staleness: holdings.dump.staleness(example),
            repeats: path.is_some_and(|path| path.repeats),
            is_own: is_own_class(
                graph
                    .classes()
                    .name(class.unwrap_or(graph.class_of(example))),
            ),
            example,
        })
    }

    /// How the object before this one on its path refers to it.
    fn reference(&self, way: Way, object: u32, objects: u64) -> Result<StepReference, DumpError> {
        let holdings = self.holdings;
        let graph = &holdings.dump.graph;
        let Some(holder) = holdings.shortest.before(object) else {
            return Ok(StepReference::Class);
        };
        let field = holdings.fields.number(object);
        let field = field.and_then(|n| holdings.fields.field(graph, graph.class_of(holder), n));
        if let Some(field) = field {
            return Ok(StepReference::Field(field.name.to_owned()));
        }
        Ok(match (way, objects) {
            (Way::Element, 2..) => StepReference::Element(None),
            (Way::Element | Way::Static(_) | Way::Statics(_), _) => {
                match graph.reference(holder, object)? {
                    Reference::Element(at) => StepReference::Element(Some(at)),
                    Reference::Static(field) => StepReference::Static(field),
                    _ => StepReference::Class,
                }
            }
            _ => StepReference::Class,
        })
    }

    /// Names the root. The class object of a static field is no step of its own.
    fn root(
        &self,
        first: Option<u32>,
        steps: &mut Vec<HolderStep>,
    ) -> Result<NamedRoot, DumpError> {
        let graph = &self.holdings.dump.graph;
        let Some(first) = first.filter(|first| self.holdings.tiers.of(*first) != Tier::Unheld)
        else {
            return Ok(NamedRoot::NotInDump);
        };
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
            Some(Root::ClassField(field)) => NamedRoot::ClassField(field),
            _ => NamedRoot::Vm,
        })
    }

    /// Where objects pile up, and which field of the program's own holds that.
    fn structure(&self, root: &NamedRoot, steps: &[HolderStep], piles_up: usize) -> OwnStructure {
        let paths = &self.holdings.paths;
        let step = steps.get(piles_up).and_then(|step| paths.of(step.example));
        // All of them: an object may be held by two elements, of which only one is on its path.
        let is_of_step = |object: u32| step.is_some() && paths.of(object) == step;
        let by_static = matches!(root, NamedRoot::Static { class, .. } if is_own_class(class));
        let holder_is_own = |at: &usize| match at.checked_sub(1) {
            None => by_static,
            Some(holder) => {
                let holder = steps.get(holder);
                holder.is_some_and(|step| step.is_own && !is_array(self.holdings, step))
                    && steps
                        .get(*at)
                        .is_some_and(|step| self.is_of_own_class(step))
            }
        };
        let mut own = (0..=piles_up).rev().filter(holder_is_own);
        let nearest = own.next();
        // A class that keeps anything in an `Object[]` is a collection: who holds it is meant.
        let is_collection = nearest.is_some_and(|at| at > 0 && self.is_of_anything(steps, at));
        let field = match is_collection {
            true => own.next().or(nearest),
            false => nearest,
        };
        OwnStructure {
            piles_up,
            retained: self.holdings.exactly_retained(is_of_step),
            field,
            added: added(steps, piles_up),
        }
    }
}

impl PathReader<'_> {
    /// The field that leads to a step is not one that a class of the program's
    /// own has inherited from the JDK (a `LinkedHashMap` with another name).
    fn is_of_own_class(&self, step: &HolderStep) -> bool {
        let holdings = self.holdings;
        let graph = &holdings.dump.graph;
        let declared = || {
            let class = graph.class_of(holdings.shortest.before(step.example)?);
            let number = holdings.fields.number(step.example)?;
            holdings.fields.field(graph, class, number)
        };
        declared().is_none_or(|field| is_own_class(graph.classes().name(field.declared_by)))
    }
}

impl PathReader<'_> {
    fn is_of_anything(&self, steps: &[HolderStep], at: usize) -> bool {
        let step = steps.get(at);
        step.is_some_and(|step| self.holdings.types.name(step.ty) == OBJECTS)
    }
}

/// The type of an array of anything.
const OBJECTS: &str = "[Ljava/lang/Object;";

fn is_array(holdings: &Holdings, step: &HolderStep) -> bool {
    holdings.types.name(step.ty).starts_with('[')
}

/// The step with the most objects for each one of the step before: where nothing is known of births.
fn most_each(steps: &[HolderStep]) -> Option<usize> {
    let before = core::iter::once(1).chain(steps.iter().map(|step| step.objects));
    let ratios = before
        .zip(steps)
        .map(|(before, step)| step.objects as f64 / before.max(1) as f64);
    let mut most = None;
    for (at, ratio) in ratios.enumerate() {
        if most.is_none_or(|(_, known)| ratio > known) {
            most = Some((at, ratio));
        }
    }
    most.map(|(at, _)| at)
}

/// The site of the nodes that pile up, if a call is known that made them;
/// else that of the array that they are in, which grew; else the nodes'.
fn added(steps: &[HolderStep], piles_up: usize) -> Origin {
    let of = |at: Option<usize>| {
        at.and_then(|at| steps.get(at))
            .map(|step| (step.origin, step.is_own))
    };
    let with_call = |found: Option<(Origin, bool)>| {
        found.filter(|(origin, is_own)| origin.call.is_some() && !is_own)
    };
    let nodes = of(Some(piles_up));
    let array = of(piles_up.checked_sub(1));
    let found = with_call(nodes).or(with_call(array)).or(nodes);
    found.map(|(origin, _)| origin).unwrap_or_default()
}

/// The object whose age is in the middle: the way to the first that was reached may go through another holder of the same fields.
fn middle(holdings: &Holdings, members: &[u32]) -> Option<u32> {
    let mut by_age: Vec<(u32, u32)> = members
        .iter()
        .map(|object| (holdings.dump.age(*object), *object))
        .collect();
    let middle = by_age.len() / 2;
    match by_age.is_empty() {
        true => None,
        false => Some(by_age.select_nth_unstable(middle).1.1),
    }
}

fn statics(steps: &mut Vec<HolderStep>) -> NamedRoot {
    let class = steps.first().and_then(|step| step.class.clone());
    let class = class.unwrap_or_default();
    let field = steps.get(1).and_then(|step| match &step.reference {
        Some(StepReference::Static(field)) => Some(field.clone()),
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
