//! The field of the program that holds an object: the nearest on its
//! shortest path from a root that is no part of a collection or of the JDK.
//!
//! | object | its holder |
//! |---|---|
//! | the city of a customer | `com.acme.Customer.city` |
//! | an element, key, node or table of the list in `Basket.items` | `com.acme.Basket.items` |
//! | the values of a static thread local | `com.acme.Format$BUFFER`: no field holds them, but each thread under this name |
//! | what only the JDK's own fields hold | the nearest field that is no part of a collection, `java.net.URL.host` |

use rustc_hash::FxHashMap;

use ducktrack_heap_dump::{HeapGraph, Root, ShortestPaths, TreeFields, is_own_class};

/// A holder, by its place in [`Holders`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct HolderNumber(u32);

/// Packages whose classes are collections: who holds the collection is meant.
const COLLECTIONS: [&str; 9] = [
    "com/google/common/collect/",
    "it/unimi/dsi/fastutil/",
    "scala/collection/",
    "kotlin/collections/",
    "org/eclipse/collections/",
    "com/carrotsearch/hppc/",
    "gnu/trove/",
    "org/agrona/collections/",
    "org/apache/commons/collections",
];
/// Its class and those nested in it.
const THREAD_LOCAL: &str = "java/lang/ThreadLocal";
/// Packages of the JDK whose fields name nothing to a person.
const PARTS: [&str; 3] = ["java/util/", "java/lang/ref/", "jdk/internal/ref/"];

/// The holder of each object.
#[derive(Debug, Default)]
pub(crate) struct Holders {
    of: Vec<HolderNumber>,
    names: Vec<String>,
    /// Whether it is a field of the program.
    is_own: Vec<bool>,
    numbers: FxHashMap<String, HolderNumber>,
}

impl Holders {
    pub(crate) fn new(graph: &HeapGraph, paths: &ShortestPaths, fields: &TreeFields) -> Self {
        let roots: FxHashMap<u32, &Root> = graph
            .late_roots()
            .iter()
            .chain(graph.roots())
            .map(|(object, root)| (*object, root))
            .collect();
        let mut holders = Self::default();
        let unknown = holders.number(String::new(), false);
        holders.of = vec![unknown; graph.objects() as usize];
        let mut cache = FxHashMap::default();
        for object in paths.order() {
            let number = match paths.before(*object) {
                Some(holder) => holders.held_by(graph, fields, (holder, *object), &mut cache),
                None => holders.root(graph, *object, roots.get(object).copied()),
            };
            if let Some(place) = holders.of.get_mut(*object as usize) {
                *place = number;
            }
        }
        holders
    }

    /// The holder of an object.
    pub(crate) fn of(&self, object: u32) -> HolderNumber {
        self.of
            .get(object as usize)
            .copied()
            .unwrap_or(HolderNumber(0))
    }

    /// Its name; empty: not known.
    pub(crate) fn name(&self, holder: HolderNumber) -> &str {
        self.names.get(holder.0 as usize).map_or("", String::as_str)
    }

    /// The holder with this name.
    pub(crate) fn number(&mut self, name: String, is_own: bool) -> HolderNumber {
        let next = HolderNumber(self.names.len() as u32);
        let number = *self.numbers.entry(name.clone()).or_insert(next);
        if number == next {
            self.names.push(name);
            self.is_own.push(is_own);
        }
        number
    }

    fn is_own(&self, holder: HolderNumber) -> bool {
        self.is_own.get(holder.0 as usize) == Some(&true)
    }

    fn held_by(
        &mut self,
        graph: &HeapGraph,
        fields: &TreeFields,
        (holder, object): (u32, u32),
        cache: &mut FxHashMap<(ducktrack_heap_dump::ClassIndex, u16), (HolderNumber, Standing)>,
    ) -> HolderNumber {
        let above = self.of(holder);
        if let Some(class) = graph.as_class(holder) {
            let place = graph.static_place(class, graph.id(object));
            let field = place.and_then(|place| graph.classes().static_name(class, place));
            let name = graph.classes().name(class);
            return match field {
                Some(field) if graph.class_name(object).starts_with(THREAD_LOCAL) => {
                    self.number(nested(name, field), is_own(name))
                }
                Some(field) => self.number(dotted(name, field), is_own(name)),
                None => above,
            };
        }
        let Some(field) = fields.number(object) else {
            return above;
        };
        let class = graph.class_of(holder);
        let (number, standing) = match cache.get(&(class, field)) {
            Some(known) => *known,
            None => {
                let known = self.field(graph, fields, (class, field));
                cache.insert((class, field), known);
                known
            }
        };
        match standing {
            Standing::Own => number,
            Standing::Named if !self.is_own(above) => number,
            _ => above,
        }
    }

    fn field(
        &mut self,
        graph: &HeapGraph,
        fields: &TreeFields,
        (class, field): (ducktrack_heap_dump::ClassIndex, u16),
    ) -> (HolderNumber, Standing) {
        let Some(field) = fields.field(graph, class, field) else {
            return (HolderNumber(0), Standing::Part);
        };
        let name = graph.classes().name(field.declared_by);
        let standing = match () {
            () if is_own(name) => Standing::Own,
            () if PARTS.iter().any(|start| name.starts_with(start)) => Standing::Part,
            () if COLLECTIONS.iter().any(|start| name.starts_with(start)) => Standing::Part,
            () => Standing::Named,
        };
        let number = self.number(dotted(name, field.name), standing == Standing::Own);
        (number, standing)
    }

    fn root(&mut self, graph: &HeapGraph, object: u32, root: Option<&Root>) -> HolderNumber {
        let name = match root {
            Some(Root::Frame { at, .. }) if !at.is_empty() => format!("a local variable in {at}"),
            Some(Root::Frame { .. }) => "a local variable".to_owned(),
            Some(Root::Thread) => "a thread".to_owned(),
            Some(Root::JniGlobal | Root::JniLocal { .. }) => "native code".to_owned(),
            Some(Root::Statics | Root::StickyClass) => {
                let class = graph
                    .as_class(object)
                    .map(|class| graph.classes().name(class));
                class.unwrap_or_default().replace('/', ".")
            }
            _ => "the JVM".to_owned(),
        };
        self.number(name, false)
    }
}

/// What a field says to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// It is the program's.
    Own,
    /// It is the JDK's, and names something.
    Named,
    /// It is inside of a collection or reference.
    Part,
}

fn is_own(class: &str) -> bool {
    is_own_class(class) && !COLLECTIONS.iter().any(|start| class.starts_with(start))
}

/// `com/acme/Shop`, `items` -> `com.acme.Shop.items`.
pub(crate) fn dotted(class: &str, field: &str) -> String {
    format!("{}.{field}", class.replace('/', "."))
}

/// `com/acme/Format`, `BUFFER` -> `com.acme.Format$BUFFER`.
fn nested(class: &str, field: &str) -> String {
    format!("{}${field}", class.replace('/', "."))
}
