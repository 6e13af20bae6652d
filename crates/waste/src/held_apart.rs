//! Objects that only something with a life of its own keeps: soft references, the thread locals of threads that wait, finalizers.

use rustc_hash::FxHashMap;

use ducktrack_heap_dump::{Graph, HeapGraph, Tier};

use crate::claims::Claim;
use crate::contents::Contents;
use crate::findings::{Findings, Found};
use crate::holder::HolderNumber;
use crate::kind::{Advice, Kind};
use crate::reach::Reach;

const SOFT: Kind = Kind::new("softly-held", Advice::BoundCache);
const THREAD_LOCAL: Kind = Kind::new("thread-locals-of-idle-threads", Advice::RemoveThreadLocal);
const FINALIZER: Kind = Kind::new("kept-by-finalizers", Advice::NoFinalizer);

/// Where a thread waits for work, or for time to pass.
const WAITING: [&str; 8] = [
    "java/lang/Thread.sleep",
    "java/lang/Thread.sleep0",
    "java/lang/Thread.sleepNanos0",
    "java/lang/Object.wait",
    "java/lang/Object.wait0",
    "jdk/internal/misc/Unsafe.park",
    "sun/misc/Unsafe.park",
    "java/util/concurrent/locks/LockSupport.park",
];
const THREAD_LOCAL_MAP: &str = "java/lang/ThreadLocal$ThreadLocalMap";

pub(crate) fn judge(
    graph: &HeapGraph,
    reach: &Reach,
    contents: &Contents,
    findings: &mut Findings<'_>,
) {
    softly_held(graph, reach, findings);
    thread_locals(graph, reach, contents, findings);
    finalizers(graph, reach, findings);
}

fn softly_held(graph: &HeapGraph, reach: &Reach, findings: &mut Findings<'_>) {
    if !graph.has_soft_references() {
        return;
    }
    let is_soft = |from: u32, to: u32| graph.soft_successor(from) == Some(to);
    let is_reached = reach.reached_without(graph, is_soft);
    for object in (0..graph.objects()).filter(|object| reach.is_live(*object)) {
        if is_reached.get(object as usize) == Some(&false) && graph.as_class(object).is_none() {
            let claims = [claim(graph, object)];
            findings.add(SOFT, found(object, &claims));
        }
    }
}

/// The value of a thread local.
struct Local {
    entry: u32,
    value: u32,
    holder: HolderNumber,
}

fn thread_locals(
    graph: &HeapGraph,
    reach: &Reach,
    contents: &Contents,
    findings: &mut Findings<'_>,
) {
    let waiting = graph.innermost_methods().iter();
    let waiting = waiting.filter(|(_, method)| WAITING.contains(&method.as_str()));
    let locals: Vec<Local> = waiting
        .flat_map(|(thread, _)| locals_of(graph, reach, contents, *thread))
        .collect();
    if locals.is_empty() {
        return;
    }
    let cut: FxHashMap<u32, u32> = locals
        .iter()
        .map(|local| (local.entry, local.value))
        .collect();
    let is_reached = reach.reached_without(graph, |from, to| cut.get(&from) == Some(&to));
    let mut is_taken = is_reached;
    for local in locals {
        let objects = below(graph, local.value, &mut is_taken);
        let claims: Vec<Claim> = objects.iter().map(|object| claim(graph, *object)).collect();
        if !claims.is_empty() {
            findings.add_held(THREAD_LOCAL, local.holder, found(local.value, &claims));
        }
    }
}

fn locals_of(graph: &HeapGraph, reach: &Reach, contents: &Contents, thread: u32) -> Vec<Local> {
    let of_class = |objects: &[u32], name: &str| -> Vec<u32> {
        let named = objects.iter().copied();
        named
            .filter(|object| graph.class_name(*object) == name)
            .collect()
    };
    let mut locals = Vec::new();
    for map in of_class(graph.successors(thread), THREAD_LOCAL_MAP) {
        for table in graph.successors(map) {
            for entry in graph.successors(*table) {
                let key = contents.thread_local_keys.get(entry);
                let value = graph.successors(*entry).iter().find(|value| {
                    !graph
                        .class_name(**value)
                        .starts_with("java/lang/ref/ReferenceQueue")
                });
                locals.extend(key.zip(value).map(|(key, value)| Local {
                    entry: *entry,
                    value: *value,
                    holder: reach.holders.of(*key),
                }));
            }
        }
    }
    locals
}

fn finalizers(graph: &HeapGraph, reach: &Reach, findings: &mut Findings<'_>) {
    let is_late = |object: u32| reach.is_live(object) && reach.tiers.of(object) == Tier::Late;
    let mut is_taken: Vec<bool> = (0..graph.objects())
        .map(|object| !is_late(object))
        .collect();
    for finalizer in 0..graph.objects() {
        if graph.class_name(finalizer) != "java/lang/ref/Finalizer" {
            continue;
        }
        for referent in graph.late_successors(finalizer) {
            if graph.class_name(*referent).starts_with("java/lang/ref/") {
                continue;
            }
            let objects = below(graph, *referent, &mut is_taken);
            let claims: Vec<Claim> = objects.iter().map(|object| claim(graph, *object)).collect();
            if !claims.is_empty() {
                let class = graph.class_of(*referent);
                let name = findings.class_name(class, graph.classes().name(class));
                findings.add_named(FINALIZER, name, &[*referent], found(*referent, &claims));
            }
        }
    }
}

/// The objects below one that are not taken; takes them.
fn below(graph: &HeapGraph, from: u32, is_taken: &mut [bool]) -> Vec<u32> {
    let mut found = Vec::new();
    let mut todo = vec![from];
    while let Some(object) = todo.pop() {
        match is_taken.get_mut(object as usize) {
            Some(taken) if !*taken => *taken = true,
            _ => continue,
        }
        found.push(object);
        todo.extend(graph.successors(object));
    }
    found
}

fn claim(graph: &HeapGraph, object: u32) -> Claim {
    Claim {
        object,
        bytes: graph.bytes(object),
    }
}

fn found(object: u32, claims: &[Claim]) -> Found<'_> {
    Found {
        object,
        claims,
        replacement: 0,
        table: None,
    }
}
