//! Entries of weak tables whose referent is gone: the next use of the table finds them by its queue and drops them.
//!
//! A table finds an entry by the spent reference, in one of three ways, and each shows in the types and references of the dump:
//!
//! | the table | the entry |
//! |---|---|
//! | its entries are references (`WeakHashMap`) | the spent reference |
//! | its entries or keys have a reference, which leads back to its own one | the object that refers to the spent reference, and to which no other reference object refers |
//! | it is a map of `java.util` whose keys or values are such objects | the map's node |

use rustc_hash::{FxHashMap, FxHashSet};

use crate::class_table::ClassIndex;
use crate::graph::Graph;
use crate::heap_graph::HeapGraph;

/// The entries of weak tables that are dead.
#[derive(Clone, Debug, Default)]
pub struct SpentEntries(FxHashSet<u32>);

impl SpentEntries {
    /// True if there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if the object is one.
    pub fn contains(&self, object: u32) -> bool {
        self.0.contains(&object)
    }
}

impl HeapGraph {
    /// Finds the entries of weak tables that are dead.
    pub fn spent_entries(&self) -> SpentEntries {
        let mut entries = self.spent_references().clone();
        if entries.is_empty() {
            return SpentEntries::default();
        }
        entries.extend(self.owners_of_spent_references());
        let nodes: Vec<u32> = self.nodes_of_maps(&entries).collect();
        entries.extend(nodes);
        SpentEntries(entries)
    }

    /// Objects that have a spent reference for their own: it leads back to its owner, and no other reference object does.
    fn owners_of_spent_references(&self) -> impl Iterator<Item = u32> {
        let mut referrers: FxHashMap<u32, u32> = FxHashMap::default();
        for spent in self.spent_references() {
            let owners = self.successors(*spent).iter();
            let owners = owners.filter(|owner| self.successors(**owner).contains(spent));
            referrers.extend(owners.map(|owner| (*owner, 0)));
        }
        let mut is_reference =
            self.by_class(|class| self.classes().is_a(class, "java/lang/ref/Reference"));
        referrers.retain(|owner, _| !is_reference(*owner) && self.as_class(*owner).is_none());
        for object in (0..self.objects()).filter(|object| is_reference(*object)) {
            for target in self.successors(object) {
                if let Some(count) = referrers.get_mut(target) {
                    *count += 1;
                }
            }
        }
        let owners = referrers.into_iter().filter(|(_, count)| *count == 1);
        owners.map(|(owner, _)| owner)
    }

    /// Nodes of maps of the JDK that refer to one of these.
    fn nodes_of_maps<'a>(&'a self, of: &'a FxHashSet<u32>) -> impl Iterator<Item = u32> + 'a {
        let mut is_node = self.by_class(|class| {
            let fields = self.classes().fields(class);
            let mut names = fields.iter().map(|field| self.classes().string(field.name));
            self.classes().name(class).starts_with("java/util/") && names.any(|name| name == "key")
        });
        let nodes = (0..self.objects()).filter(move |object| is_node(*object));
        nodes.filter(|node| {
            let mut targets = self.successors(*node).iter();
            targets.any(|target| of.contains(target))
        })
    }

    /// A question about an object that its class answers, asked once for each class.
    fn by_class<'a>(
        &'a self,
        of: impl Fn(ClassIndex) -> bool + 'a,
    ) -> impl FnMut(u32) -> bool + 'a {
        let mut known: FxHashMap<ClassIndex, bool> = FxHashMap::default();
        move |object| {
            let class = self.class_of(object);
            *known.entry(class).or_insert_with(|| of(class))
        }
    }
}
