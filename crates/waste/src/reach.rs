//! Which objects roots reach, by which field, and how many references lead to each.

use ducktrack_heap_dump::{
    DumpError, Graph, HeapGraph, Root, ShortestPaths, Tier, Tiers, TreeFields, WayOrder,
};

use crate::holder::Holders;

/// A count of references stops here.
pub(crate) const MANY: u8 = u8::MAX;

/// How the objects of a dump are held.
#[derive(Debug)]
pub(crate) struct Reach {
    pub(crate) tiers: Tiers,
    pub(crate) paths: ShortestPaths,
    pub(crate) holders: Holders,
    in_degree: Vec<u8>,
}

impl Reach {
    pub(crate) fn of(graph: &HeapGraph) -> Result<Self, DumpError> {
        let tiers = graph.tiers();
        let all = graph.roots().iter();
        let statics = all.take_while(|(_, root)| *root == Root::Statics).count();
        let outside: Vec<u32> = graph.roots_outside().collect();
        let ways = WayOrder {
            statics,
            lasting: graph.lasting_roots(),
            outside: &outside,
            last: &[],
        };
        let mut paths = ShortestPaths::new(&tiers.held(graph), ways);
        let fields = TreeFields::read(graph, &paths)?;
        let holders = Holders::new(graph, &paths, &fields);
        paths.forget_order();
        let in_degree = in_degree(graph, &paths);
        Ok(Self {
            tiers,
            paths,
            holders,
            in_degree,
        })
    }

    /// True if a root leads to the object.
    pub(crate) fn is_live(&self, object: u32) -> bool {
        self.paths.is_reached(object)
    }

    /// True if the object is reached without going through lists of what is under way to being freed.
    pub(crate) fn is_firm(&self, object: u32) -> bool {
        self.tiers.of(object) == Tier::Firm
    }

    /// Which objects are reached without the references that are cut.
    pub(crate) fn reached_without(
        &self,
        graph: &HeapGraph,
        is_cut: impl Fn(u32, u32) -> bool,
    ) -> Vec<bool> {
        let outside: Vec<u32> = graph.roots_outside().collect();
        let held = self.tiers.held(graph);
        held.reached_without(&outside, |_| false, is_cut)
    }

    /// References from other live objects that lead to an object; [`MANY`] stands for that many or more.
    pub(crate) fn in_degree(&self, object: u32) -> u8 {
        self.in_degree.get(object as usize).copied().unwrap_or(0)
    }
}

fn in_degree(graph: &HeapGraph, paths: &ShortestPaths) -> Vec<u8> {
    let mut degrees = vec![0_u8; graph.objects() as usize];
    for object in (0..graph.objects()).filter(|object| paths.is_reached(*object)) {
        for target in graph.successors(object).iter().filter(|to| **to != object) {
            count(&mut degrees, *target);
        }
    }
    for (root, _) in graph
        .roots()
        .iter()
        .filter(|(root, _)| graph.as_class(*root).is_none())
    {
        count(&mut degrees, *root);
    }
    degrees
}

/// Adds one to a count that stops at [`MANY`].
pub(crate) fn count(counts: &mut [u8], object: u32) {
    if let Some(count) = counts.get_mut(object as usize) {
        *count = count.saturating_add(1);
    }
}
