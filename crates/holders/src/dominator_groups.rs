//! The dominator tree with the objects of one type below one parent taken together: what a person can look at.

use rustc_hash::FxHashMap;

use crate::holdings::Holdings;
use crate::type_table::TypeNumber;

/// Deeper groups are not shown.
const MOST_LEVELS: u32 = 24;

/// The virtual root is in no group.
const NO_GROUP: u32 = u32::MAX;

/// Objects of one type that are immediately dominated by objects of one group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DominatorGroup {
    /// The group that dominates it, by its place in the list; `None`: the roots.
    pub parent: Option<u32>,
    /// Their type.
    pub ty: TypeNumber,
    /// The class that the object is, for class objects (VM's form).
    pub class: Option<String>,
    /// Objects of the group.
    pub objects: u64,
    /// Their own bytes.
    pub bytes: u64,
    /// What they retain.
    pub retained: u64,
    /// One of them.
    pub example: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key {
    Type(TypeNumber),
    Class(u32),
}

/// Parents stand before their children.
pub(crate) fn dominator_groups(holdings: &Holdings, least: u64) -> Vec<DominatorGroup> {
    let mut grouping = Grouping::default();
    let tree = &holdings.tree;
    // By number in the tree.
    let mut group_of: Vec<u32> = vec![NO_GROUP; tree.numbers()];
    for number in 1..u32::try_from(tree.numbers()).unwrap_or(u32::MAX) {
        let Some(object) = tree.node(number) else {
            continue;
        };
        let parent = group_of.get(tree.dominator(number) as usize).copied();
        let parent = parent.filter(|parent| *parent != NO_GROUP);
        let group = grouping.group(holdings, parent, object);
        if let Some(place) = group_of.get_mut(number as usize) {
            *place = group;
        }
    }
    grouping.add_up();
    grouping.kept(least)
}

#[derive(Default)]
struct Grouping {
    groups: Vec<DominatorGroup>,
    levels: Vec<u32>,
    numbers: FxHashMap<(Option<u32>, Key), u32>,
}

impl Grouping {
    /// Adds an object to its group.
    fn group(&mut self, holdings: &Holdings, parent: Option<u32>, object: u32) -> u32 {
        let group = self.place(holdings, parent, object);
        if let Some(group) = self.groups.get_mut(group as usize) {
            group.objects += 1;
            group.bytes += holdings.dump.bytes(object);
        }
        group
    }

    fn place(&mut self, holdings: &Holdings, parent: Option<u32>, object: u32) -> u32 {
        let ty = holdings.type_of(object);
        let class = holdings.dump.graph.as_class(object);
        let level = parent.map_or(0, |parent| self.level(parent) + 1);
        // Direct recursion: the nodes of a list.
        let again = parent.filter(|group| {
            let group = self.groups.get(*group as usize);
            group.is_some_and(|group| group.ty == ty && group.class.is_none())
        });
        match (again, parent) {
            (Some(again), _) if class.is_none() => return again,
            (_, Some(parent)) if level >= MOST_LEVELS => return parent,
            _ => {}
        }
        let key = match class {
            Some(_) => Key::Class(object),
            None => Key::Type(ty),
        };
        let next = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        let number = *self.numbers.entry((parent, key)).or_insert(next);
        if number == next {
            self.levels.push(level);
            self.groups.push(DominatorGroup {
                parent,
                ty,
                class: class.map(|class| holdings.dump.graph.classes().name(class).to_owned()),
                objects: 0,
                bytes: 0,
                retained: 0,
                example: object,
            });
        }
        number
    }

    fn level(&self, group: u32) -> u32 {
        self.levels.get(group as usize).copied().unwrap_or(0)
    }

    /// A group retains its own bytes and those of all groups below.
    fn add_up(&mut self) {
        for at in (0..self.groups.len()).rev() {
            let Some(group) = self.groups.get_mut(at) else {
                continue;
            };
            group.retained += group.bytes;
            let (parent, retained) = (group.parent, group.retained);
            let parent = parent.and_then(|parent| self.groups.get_mut(parent as usize));
            if let Some(parent) = parent {
                parent.retained += retained;
            }
        }
    }

    /// Large groups only, with their places in the shorter list. Groups below a small group are small.
    fn kept(self, least: u64) -> Vec<DominatorGroup> {
        let mut places: Vec<Option<u32>> = Vec::with_capacity(self.groups.len());
        let mut kept: Vec<DominatorGroup> = Vec::new();
        for mut group in self.groups {
            let is_kept = group.retained >= least;
            places.push(is_kept.then(|| u32::try_from(kept.len()).unwrap_or(u32::MAX)));
            if is_kept {
                let parent = group.parent;
                group.parent = parent.and_then(|parent| places.get(parent as usize).copied()?);
                kept.push(group);
            }
        }
        kept
    }
}
