//! The objects that repetitions left behind, as lines of text.
//!
//! ```text
//! lost <objects>                                                        that got no tag
//! group <number> <type> <objects> <bytes> <repetitions that left some>   objects of one type that the same calls outside of the JDK made
//! at <class> <method> <line>                                            a frame of its stack, from the allocation outward
//! by <kind> <class> <field> <group of the referring object>             a reference of the chain that holds the oldest one, from the object outward
//! ```
//!
//! Fields are separated by tabs; what is not known is empty. Names are those of class files, types are descriptors.

use std::collections::BTreeSet;
use std::fmt::Write;

use ducktrack_jvmti::sys::jclass;
use ducktrack_jvmti::{Env, HeapReferenceKind, Jni};
use rustc_hash::FxHashMap;

use super::field_names::FieldNames;
use super::heap_graph::{Edge, HeapGraph, Node, Survivor};
use super::holders::Holders;
use super::sampled_stacks::{Frame, SampledStacks};

/// Local references of one report, for the VM's sake: superclasses and interfaces of the classes on chains.
const LOCAL_REFERENCES: usize = 64;
/// Groups that are listed: those of most repetitions.
const MOST_GROUPS: usize = 200;
/// References of a chain that are listed: the first and the last.
const MOST_REFERENCES: usize = 24;

/// The class of a group's objects, and their frames outside of the JDK: both are equal within the group.
type Key<'a> = (Node, &'a [Frame]);

/// Objects of one type that were allocated by the same calls.
struct Group {
    class: Node,
    stack: u32,
    objects: u64,
    bytes: u64,
    repetitions: BTreeSet<u32>,
    oldest: Survivor,
}

/// The lines of what survives, most repetitions first.
pub(super) fn lines(
    env: Env,
    jni: Jni,
    graph: &HeapGraph,
    stacks: &SampledStacks,
    lost: u64,
) -> String {
    let made = jni.with_local_frame(LOCAL_REFERENCES, || {
        let mut names = FieldNames::new(env, jni, graph);
        let weak = weak_classes(env, jni, graph);
        let holders = Holders::of(graph, |edge| is_weak(edge, graph, &weak, &mut names));
        let groups = groups(graph, stacks, &holders);
        let mut text = format!("lost\t{lost}\n");
        let number_of = numbers(graph, stacks, &groups);
        for (number, group) in groups.iter().enumerate() {
            write_group(&mut text, env, graph, number, group);
            for place in stacks.places(group.stack) {
                let line = place.line.map(|line| line.to_string()).unwrap_or_default();
                let _ = writeln!(text, "at\t{}\t{}\t{line}", place.class, place.method);
            }
            for edge in shortened(holders.chain(group.oldest.node)) {
                write_reference(&mut text, env, graph, &edge, &mut names, &number_of);
            }
        }
        text
    });
    made.unwrap_or_default()
}

fn groups(graph: &HeapGraph, stacks: &SampledStacks, holders: &Holders<'_>) -> Vec<Group> {
    let mut groups: FxHashMap<Key<'_>, Group> = FxHashMap::default();
    for survivor in graph
        .survivors
        .iter()
        .filter(|one| holders.is_held(one.node))
    {
        let class = graph.class_of.get(survivor.node.0 as usize).copied();
        let class = class.unwrap_or(super::heap_graph::ROOTS);
        let group = groups
            .entry((class, stacks.outer_frames(survivor.stack)))
            .or_insert_with(|| Group {
                class,
                stack: survivor.stack,
                objects: 0,
                bytes: 0,
                repetitions: BTreeSet::new(),
                oldest: *survivor,
            });
        group.objects += 1;
        group.bytes += survivor.bytes;
        group.repetitions.insert(survivor.repetition);
        if survivor.repetition < group.oldest.repetition {
            group.oldest = *survivor;
        }
    }
    let mut groups: Vec<Group> = groups.into_values().collect();
    groups.sort_by_key(|group| {
        let most = std::cmp::Reverse((group.repetitions.len(), group.objects));
        (most, group.stack, group.class)
    });
    groups.truncate(MOST_GROUPS);
    groups
}

/// A chain without the middle of one that is too long: the end has the root.
fn shortened(mut chain: Vec<Edge>) -> Vec<Edge> {
    if chain.len() > MOST_REFERENCES {
        chain.drain(MOST_REFERENCES / 2..chain.len() - MOST_REFERENCES / 2);
    }
    chain
}

/// The number of the group that an object belongs to.
fn numbers(graph: &HeapGraph, stacks: &SampledStacks, groups: &[Group]) -> FxHashMap<Node, usize> {
    let of_key: FxHashMap<Key<'_>, usize> = groups
        .iter()
        .enumerate()
        .map(|(number, group)| ((group.class, stacks.outer_frames(group.stack)), number))
        .collect();
    let survivors = graph.survivors.iter().filter_map(|survivor| {
        let class = *graph.class_of.get(survivor.node.0 as usize)?;
        let number = *of_key.get(&(class, stacks.outer_frames(survivor.stack)))?;
        Some((survivor.node, number))
    });
    survivors.collect()
}

fn write_group(text: &mut String, env: Env, graph: &HeapGraph, number: usize, group: &Group) {
    let ty = graph.class(group.class).map(|class| type_of(env, class));
    let (objects, bytes) = (group.objects, group.bytes);
    let repetitions = group.repetitions.len();
    let ty = ty.unwrap_or_default();
    let _ = writeln!(
        text,
        "group\t{number}\t{ty}\t{objects}\t{bytes}\t{repetitions}"
    );
}

fn write_reference(
    text: &mut String,
    env: Env,
    graph: &HeapGraph,
    edge: &Edge,
    names: &mut FieldNames<'_>,
    number_of: &FxHashMap<Node, usize>,
) {
    let field = match edge.kind {
        HeapReferenceKind::STATIC_FIELD => names.static_field(edge),
        HeapReferenceKind::FIELD => names.instance_field(edge).map(str::to_owned),
        _ => None,
    };
    let class = match edge.kind {
        HeapReferenceKind::STATIC_FIELD => graph.class(edge.from),
        // A thread that runs refers to itself.
        HeapReferenceKind::THREAD => graph.class_of(edge.to),
        _ => graph.class_of(edge.from),
    };
    let class = class.map(|class| type_of(env, class)).unwrap_or_default();
    let group = number_of.get(&edge.from).map(ToString::to_string);
    let (kind, field, group) = (
        kind(edge),
        field.unwrap_or_default(),
        group.unwrap_or_default(),
    );
    let _ = writeln!(text, "by\t{kind}\t{class}\t{field}\t{group}");
}

fn kind(edge: &Edge) -> &'static str {
    match edge.kind {
        HeapReferenceKind::STATIC_FIELD => "static",
        HeapReferenceKind::FIELD => "field",
        HeapReferenceKind::ARRAY_ELEMENT => "element",
        HeapReferenceKind::THREAD => "thread",
        HeapReferenceKind::JNI_GLOBAL => "jni",
        HeapReferenceKind::STACK_LOCAL | HeapReferenceKind::JNI_LOCAL => "frame",
        _ => "vm",
    }
}

fn type_of(env: Env, class: jclass) -> String {
    let signature = env.class_signature(class).unwrap_or_default();
    ducktrack_classfile::decode_modified_utf8(&signature).into_owned()
}

/// Classes of references that do not keep their object.
fn weak_classes(env: Env, jni: Jni, graph: &HeapGraph) -> BTreeSet<Node> {
    let Ok(reference) = jni.find_class("java/lang/ref/Reference") else {
        return BTreeSet::new();
    };
    let is_weak = |class: jclass| {
        let mut at = Some(class);
        while let Some(class) = at {
            if jni.is_same_object(class, reference) {
                return true;
            }
            at = jni.superclass(class);
        }
        false
    };
    // Instances exist of few classes: only these are looked at.
    let with_instances: BTreeSet<Node> = graph.class_of.iter().copied().collect();
    with_instances
        .into_iter()
        .filter(|node| {
            graph.class(*node).is_some_and(|class| {
                !env.is_array_class(class).unwrap_or(true)
                    && jni
                        .with_local_frame(LOCAL_REFERENCES, || is_weak(class))
                        .unwrap_or(false)
            })
        })
        .collect()
}

fn is_weak(
    edge: &Edge,
    graph: &HeapGraph,
    weak: &BTreeSet<Node>,
    names: &mut FieldNames<'_>,
) -> bool {
    let class = graph.class_of.get(edge.from.0 as usize);
    edge.kind == HeapReferenceKind::FIELD
        && class.is_some_and(|class| weak.contains(class))
        && names.instance_field(edge) == Some("referent")
}
