//! A heap dump joined with the trace of the same JVM: the allocation site of each object.
//!
//! The identifiers in the dump are addresses, and the trace knows every object's address after
//! the collection with which the dump began. Both lists are sorted and walked side by side.

use std::collections::BTreeMap;

use ducktrack_analyses::{CommonFacts, LiveObjects, ObjectMaker};
use ducktrack_count_model::stable_descriptor;
use ducktrack_heap_dump::{ClassIndex, Graph, HeapGraph, Tier};
use rustc_hash::FxHashMap;

/// At most this share of the dump's objects may be missing in the trace.
pub const MOST_MISSING: f64 = 0.001;

/// What collectors put where objects have been, from JDK 19 on. Up to JDK
/// 18 these are `int[]` and `java.lang.Object` that nothing refers to.
const FILLERS: [&str; 3] = [
    "jdk/internal/vm/FillerArray",
    "jdk/internal/vm/FillerObject",
    "[Ljdk/internal/vm/FillerElement;",
];
const FORMER_FILLERS: [&str; 2] = ["[I", "java/lang/Object"];

/// The object is not in the trace.
const NOT_FOUND: u32 = u32::MAX;

/// A dump whose objects have makers.
#[derive(Debug)]
pub struct JoinedDump {
    /// The dump.
    pub graph: HeapGraph,
    /// What the trace says of all makers.
    pub makers: Vec<ObjectMaker>,
    /// The collection with which the dump began.
    pub collection: u32,
    /// What the join came to.
    pub outcome: JoinOutcome,
    /// Why no object has a site.
    pub without_sites: Option<String>,
    /// The JVM made no collection for the dump: what no root holds in it may be dead.
    has_dead: bool,
    /// By object of the dump: in `facts`.
    facts_of: Vec<u32>,
    facts: Vec<CommonFacts>,
}

/// How well dump and trace agree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JoinOutcome {
    /// Objects of the dump.
    pub objects: u64,
    /// Of these: found in the trace at their address.
    pub found: u64,
    /// Of these: not in the trace, because a collector put them where objects have been.
    pub fillers: u64,
    /// Of these: found at the address of an object that has another type in the trace.
    pub other_type: u64,
    /// Of these: not in the trace's heap, because they were made after its collection. Only where the dump did not begin with it.
    pub made_since: u64,
    /// Of these: not in the trace, for no known reason, by class.
    pub missing: BTreeMap<String, u64>,
    /// Objects of the trace that the dump leaves out and that lie in an archive of the JDK.
    pub archived_only_in_trace: u64,
    /// Other objects of the trace that the dump leaves out, by type (descriptor).
    pub only_in_trace: BTreeMap<String, u64>,
}

impl JoinOutcome {
    /// Objects of the dump that are not in the trace, fillers apart.
    pub fn missing_objects(&self) -> u64 {
        self.missing.values().sum()
    }

    /// True when dump and trace are of the same heap.
    pub fn is_good(&self) -> bool {
        self.missing_objects() as f64 <= MOST_MISSING * self.objects as f64
    }

    /// True when the trace's heap is that before the dump: each object of it is in the dump, at its address and with its type.
    fn is_earlier(&self) -> bool {
        let gone: u64 = self.only_in_trace.values().sum();
        let wrong = self.other_type.saturating_add(gone) as f64;
        self.found > 0 && wrong <= MOST_MISSING * self.found as f64
    }

    /// True when the trace's heap is that of the cycle before the dump, or for it, beside which the program
    /// ran. No address is used again before the next cycle, so what is found is right; the dump has only what
    /// is held, so objects of the trace that died since are not in it. If the cycle was still moving objects,
    /// the dump has these where they were, as if they were made since: more than half of it must be found.
    fn is_of_cycle(&self) -> bool {
        self.found.saturating_mul(2) >= self.objects
            && self.other_type as f64 <= MOST_MISSING * self.found as f64
    }
}

/// The bit that ZGC without generations sets in all references, and so in all
/// identifiers of a dump: above all addresses of the trace. 0: there is none.
fn colour(graph: &HeapGraph, objects: &LiveObjects) -> u64 {
    let (first, last) = match graph.objects().checked_sub(1) {
        Some(last) => (graph.id(0), graph.id(last)),
        None => return 0,
    };
    colour_of(
        (first, last),
        objects.addresses().last().unwrap_or(u64::MAX),
    )
}

/// Of the dump's lowest and highest identifier, and the highest address of the trace.
pub(crate) fn colour_of((first, last): (u64, u64), highest: u64) -> u64 {
    let top = last.checked_ilog2().map_or(0, |bit| 1 << bit);
    match first & top != 0 && highest < top {
        true => top,
        false => 0,
    }
}

impl JoinedDump {
    /// Finds every object of the dump in the trace.
    pub fn new(graph: HeapGraph, objects: LiveObjects) -> Self {
        let count = graph.objects() as usize;
        let mut joined = Self {
            graph,
            makers: objects.makers().to_vec(),
            collection: objects.collection.0,
            outcome: JoinOutcome::default(),
            without_sites: None,
            has_dead: objects.is_before_dump,
            facts_of: vec![NOT_FOUND; count],
            facts: objects.facts().to_vec(),
        };
        joined.merge(&objects);
        if let Some(made) = &objects.made_since {
            joined.merge_made_since(made);
        }
        let is_earlier = objects.is_before_dump && !objects.went_on_beside;
        if is_earlier && joined.outcome.is_earlier() {
            joined.outcome.made_since = joined.outcome.objects - joined.outcome.found;
            return joined;
        }
        joined.name_missing();
        let outcome = &mut joined.outcome;
        if objects.went_on_beside && !outcome.is_good() && outcome.is_of_cycle() {
            outcome.made_since = outcome.missing_objects();
            outcome.missing.clear();
        }
        joined
    }

    /// The dump alone: paths, and sizes as the dump lets them be estimated.
    pub fn without_sites(graph: HeapGraph, why: String) -> Self {
        let outcome = JoinOutcome {
            objects: u64::from(graph.objects()),
            ..JoinOutcome::default()
        };
        Self {
            facts_of: vec![NOT_FOUND; graph.objects() as usize],
            graph,
            makers: Vec::new(),
            collection: 0,
            outcome,
            without_sites: Some(why),
            has_dead: true,
            facts: Vec::new(),
        }
    }

    /// True of an object that no root holds in a dump that may have dead objects: no holder is made up
    /// for it. In a dump for which the JVM has collected, something holds it that the dump does not have.
    pub fn is_dead(&self, tier: Tier) -> bool {
        self.has_dead && tier == Tier::Unheld
    }

    /// Walks over both lists of addresses.
    fn merge(&mut self, objects: &LiveObjects) {
        let mut addresses = (0_usize..).zip(objects.addresses()).peekable();
        let mut has_type: FxHashMap<(ClassIndex, u32), bool> = FxHashMap::default();
        let colour = colour(&self.graph, objects);
        for object in 0..self.graph.objects() {
            let id = self.graph.id(object) & !colour;
            while let Some((place, _)) = addresses.next_if(|(_, address)| *address < id) {
                self.only_in_trace(objects, place);
            }
            if let Some((place, _)) = addresses.next_if(|(_, address)| *address == id) {
                self.set(object, objects.bytes(place), objects.facts_number(place));
                let key = (
                    self.graph.class_of(object),
                    self.maker_number(object).unwrap_or(NOT_FOUND),
                );
                let has_type = has_type.entry(key);
                let is_type = *has_type.or_insert_with(|| self.has_type_of_trace(object));
                self.outcome.other_type += u64::from(!is_type);
            }
        }
        addresses.for_each(|(place, _)| self.only_in_trace(objects, place));
        self.outcome.objects = u64::from(self.graph.objects());
    }

    fn set(&mut self, object: u32, bytes: u64, facts: Option<u32>) {
        let slot = self.facts_of.get_mut(object as usize);
        if let (Some(slot), Some(facts)) = (slot, facts) {
            *slot = facts;
            self.graph.set_bytes(object, bytes);
            self.outcome.found += 1;
        }
    }

    /// Objects that were made between the collection and the dump, where they were
    /// made. What the dump does not have was made after it, or is dead by then.
    fn merge_made_since(&mut self, made: &LiveObjects) {
        let (makers, facts) = (self.makers.len() as u32, self.facts.len() as u32);
        self.makers.extend_from_slice(made.makers());
        let shifted = made.facts().iter().map(|common| CommonFacts {
            maker: common.maker + makers,
            ..*common
        });
        self.facts.extend(shifted);
        let mut addresses = (0_usize..).zip(made.addresses()).peekable();
        let colour = colour(&self.graph, made);
        for object in 0..self.graph.objects() {
            let id = self.graph.id(object) & !colour;
            while addresses.next_if(|(_, address)| *address < id).is_some() {}
            let found = addresses.next_if(|(_, address)| *address == id);
            if let Some((place, _)) = found.filter(|_| self.facts(object).is_none()) {
                let facts_of = made.facts_number(place).map(|number| number + facts);
                self.set(object, made.bytes(place), facts_of);
                let is_type = self.has_type_of_trace(object);
                self.outcome.other_type += u64::from(!is_type);
            }
        }
    }

    /// A type that the trace does not know is no other one.
    fn has_type_of_trace(&self, object: u32) -> bool {
        let ty = self.maker(object).and_then(|maker| maker.ty.as_deref());
        ty.is_none_or(|ty| ty == self.dump_type(object))
    }

    fn only_in_trace(&mut self, objects: &LiveObjects, place: usize) {
        let maker = objects.facts_of(place).map(|facts| facts.maker as usize);
        let maker = maker.and_then(|maker| objects.makers().get(maker));
        let Some(maker) = maker else {
            return;
        };
        if maker.is_archived {
            self.outcome.archived_only_in_trace += 1;
            return;
        }
        let ty = maker.ty.as_deref().unwrap_or_default();
        *self.outcome.only_in_trace.entry(ty.to_owned()).or_default() += 1;
    }

    /// Tells fillers from what is really missing.
    fn name_missing(&mut self) {
        let missing: Vec<u32> = (0..self.graph.objects())
            .filter(|object| self.maker_number(*object).is_none())
            .collect();
        let referred = self.referred(&missing);
        for (object, is_referred) in missing.into_iter().zip(referred) {
            let class = self.graph.class_name(object);
            let is_filler =
                FILLERS.contains(&class) || FORMER_FILLERS.contains(&class) && !is_referred;
            if is_filler {
                self.outcome.fillers += 1;
            } else {
                let class = class.replace('/', ".");
                *self.outcome.missing.entry(class).or_default() += 1;
            }
        }
    }

    /// Whether anything refers to each of these objects (ascending).
    fn referred(&self, objects: &[u32]) -> Vec<bool> {
        let mut referred = vec![false; objects.len()];
        if objects.is_empty() {
            return referred;
        }
        let mut note = |target: &u32| {
            if let Ok(at) = objects.binary_search(target)
                && let Some(flag) = referred.get_mut(at)
            {
                *flag = true;
            }
        };
        for object in 0..self.graph.objects() {
            self.graph.successors(object).iter().for_each(&mut note);
        }
        self.graph.roots().iter().for_each(|(root, _)| note(root));
        referred
    }

    /// Bytes of an object: as the trace has them, else as the dump lets guess.
    pub fn bytes(&self, object: u32) -> u64 {
        self.graph.bytes(object)
    }

    fn facts(&self, object: u32) -> Option<&CommonFacts> {
        let number = self.facts_of.get(object as usize)?;
        self.facts.get(*number as usize)
    }

    /// Collections survived.
    pub fn age(&self, object: u32) -> u32 {
        self.facts(object).map_or(0, |facts| facts.age)
    }

    /// Collections since the object's last use. `None`: uses are not recorded, or the object is not in the trace.
    pub fn staleness(&self, object: u32) -> Option<u32> {
        self.facts(object)?.staleness
    }

    /// Collections that an object had survived when it was used last, counted as staleness is. `None`: as of staleness.
    pub fn age_at_use(&self, object: u32) -> Option<u32> {
        self.facts(object)?.age_at_use
    }

    /// The place of an object's maker in `makers`; `None`: the object is not in the trace.
    pub fn maker_number(&self, object: u32) -> Option<u32> {
        self.facts(object).map(|facts| facts.maker)
    }

    /// Who made an object.
    pub fn maker(&self, object: u32) -> Option<&ObjectMaker> {
        self.makers.get(self.maker_number(object)? as usize)
    }

    /// The type of an object, as a descriptor with stable names.
    pub fn type_of(&self, object: u32) -> String {
        let known = self.maker(object).and_then(|maker| maker.ty.as_deref());
        known.map_or_else(|| self.dump_type(object), str::to_owned)
    }

    fn dump_type(&self, object: u32) -> String {
        let class = self.graph.class_name(object);
        match class.starts_with('[') {
            true => stable_descriptor(class),
            false => stable_descriptor(&format!("L{class};")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_is_in_all_identifiers_and_above_all_addresses() {
        let (red, base) = (1 << 42, 1 << 44);
        assert_eq!(colour_of((red | 8, red | 800), 800), red);
        // Another heap: its identifiers go on where one bit more begins.
        assert_eq!(colour_of((8, 1 << 20 | 8), 800), 0);
        // With generations, addresses have the base of the heap as well.
        assert_eq!(colour_of((base | 8, base | 800), base | 640), 0);
        assert_eq!(colour_of((0, 0), 0), 0);
    }
}
