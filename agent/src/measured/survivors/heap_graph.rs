//! All reachable objects of a heap, and the references between them.

use ducktrack_jvmti::sys::{jclass, jlong};
use ducktrack_jvmti::{EdgeVisitor, Env, Error, HeapEdge, HeapReferenceKind, HeapVisitor, VmArray};

/// Objects without a tag are not visited (`JVMTI_HEAP_FILTER_UNTAGGED`).
const ONLY_TAGGED: i32 = 0x8;
/// A graph takes 20 bytes for each reference; a larger heap is not that of a test.
const MOST_EDGES: usize = 60_000_000;
const STACK_BITS: u32 = 24;

/// An object: its number in the walk. 0 stands for the roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Node(pub(super) u32);

/// No object: what the roots are.
pub(super) const ROOTS: Node = Node(0);

/// A reference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Node,
    pub(super) to: Node,
    pub(super) kind: HeapReferenceKind,
    /// Of a field or array element.
    pub(super) index: i32,
}

/// An object of the piece.
#[derive(Clone, Copy, Debug)]
pub(super) struct Survivor {
    pub(super) node: Node,
    pub(super) repetition: u32,
    pub(super) stack: u32,
    pub(super) bytes: u64,
}

/// Everything that is reachable.
pub(super) struct HeapGraph {
    /// The loaded classes: the class at `i` has the node `i + 1`.
    pub(super) classes: VmArray<jclass>,
    /// The node of each object's class, by node; `ROOTS` where it is not known.
    pub(super) class_of: Vec<Node>,
    pub(super) edges: Vec<Edge>,
    pub(super) survivors: Vec<Survivor>,
}

/// The tag of an object of the piece: negative, so that it is no node.
pub(super) fn allocation_tag(repetition: u32, stack: u32) -> jlong {
    -(jlong::from(repetition) << STACK_BITS | jlong::from(stack)) - 1
}

fn of_allocation_tag(tag: jlong) -> (u32, u32) {
    let bits = -(tag + 1);
    let stack = bits & ((1 << STACK_BITS) - 1);
    let number = |bits: jlong| u32::try_from(bits).unwrap_or(0);
    (number(bits >> STACK_BITS), number(stack))
}

struct Walk {
    class_of: Vec<Node>,
    edges: Vec<Edge>,
    survivors: Vec<Survivor>,
    is_cut: bool,
}

impl EdgeVisitor for Walk {
    fn visit(&mut self, edge: HeapEdge, tag: &mut jlong) -> bool {
        let to = self.node(edge, tag);
        let from = match edge.referrer_tag {
            _ if edge.is_own => to,
            Some(tag) => Node(u32::try_from(tag).unwrap_or(0)),
            None => ROOTS,
        };
        if self.edges.len() >= MOST_EDGES {
            self.is_cut = true;
            return false;
        }
        self.edges.push(Edge {
            from,
            to,
            kind: edge.kind,
            index: edge.index,
        });
        true
    }
}

impl Walk {
    /// The number of an object: the one that it has, or the next.
    fn node(&mut self, edge: HeapEdge, tag: &mut jlong) -> Node {
        if *tag > 0 {
            let node = Node(u32::try_from(*tag).unwrap_or(0));
            return node;
        }
        let node = Node(u32::try_from(self.class_of.len()).unwrap_or(u32::MAX));
        self.class_of
            .push(Node(u32::try_from(edge.class_tag).unwrap_or(0)));
        if *tag < 0 {
            let (repetition, stack) = of_allocation_tag(*tag);
            self.survivors.push(Survivor {
                node,
                repetition,
                stack,
                bytes: u64::try_from(edge.size).unwrap_or(0),
            });
        }
        *tag = jlong::from(node.0);
        node
    }
}

impl HeapGraph {
    /// Walks over the heap. Every object has a tag afterwards: `remove_tags`.
    pub(super) fn of_reachable_objects(env: Env) -> Result<Self, Error> {
        let classes = env.loaded_classes()?;
        for (at, class) in classes.iter().enumerate() {
            env.set_tag(*class, at as jlong + 1)?;
        }
        let mut walk = Walk {
            class_of: vec![ROOTS; classes.len() + 1],
            edges: Vec::new(),
            survivors: Vec::new(),
            is_cut: false,
        };
        env.follow_edges(&mut walk)?;
        if walk.is_cut {
            return Err(Error::LengthOutOfRange {
                function: "FollowReferences",
                length: MOST_EDGES as i64,
            });
        }
        Ok(Self {
            classes,
            class_of: walk.class_of,
            edges: walk.edges,
            survivors: walk.survivors,
        })
    }

    /// The class with this node, if it is one.
    pub(super) fn class(&self, node: Node) -> Option<jclass> {
        let at = (node.0 as usize).checked_sub(1)?;
        self.classes.get(at).copied()
    }

    /// The class of an object.
    pub(super) fn class_of(&self, node: Node) -> Option<jclass> {
        self.class(*self.class_of.get(node.0 as usize)?)
    }
}

struct Untag;

impl HeapVisitor for Untag {
    fn visit(&mut self, _: jlong, _: jlong, tag: &mut jlong, _: Option<i32>) -> bool {
        *tag = 0;
        true
    }
}

/// Removes the tags of all objects.
pub(super) fn remove_tags(env: Env) -> Result<(), Error> {
    env.iterate_through_heap(ONLY_TAGGED, std::ptr::null_mut(), &mut Untag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_has_the_repetition_and_the_stack() {
        for pair in [(1, 0), (1, 7), (20, (1 << STACK_BITS) - 1), (1 << 20, 5)] {
            let tag = allocation_tag(pair.0, pair.1);
            assert!(tag < 0);
            assert_eq!(of_allocation_tag(tag), pair);
        }
    }
}
