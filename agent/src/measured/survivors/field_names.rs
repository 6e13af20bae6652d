//! The names of the fields in which references are.
//!
//! JVMTI numbers the instance fields of a class so: those of all interfaces that
//! it implements, then those of its superclasses from `Object` on, then its own.

use ducktrack_jvmti::sys::{jclass, jfieldID};
use ducktrack_jvmti::{Env, Jni};
use rustc_hash::FxHashMap;

use super::heap_graph::{Edge, HeapGraph, Node};

const STATIC: i32 = 8;

/// Names that were looked up.
pub(super) struct FieldNames<'a> {
    env: Env,
    jni: Jni,
    graph: &'a HeapGraph,
    /// By class: the number of its first field, and the names of its fields from `Object` on.
    of_class: FxHashMap<Node, (usize, Vec<String>)>,
}

impl<'a> FieldNames<'a> {
    pub(super) fn new(env: Env, jni: Jni, graph: &'a HeapGraph) -> Self {
        Self {
            env,
            jni,
            graph,
            of_class: FxHashMap::default(),
        }
    }

    /// The field of the referring object in which the reference is.
    pub(super) fn instance_field(&mut self, edge: &Edge) -> Option<&str> {
        let class = *self.graph.class_of.get(edge.from.0 as usize)?;
        let (env, jni, graph) = (self.env, self.jni, self.graph);
        let (first, names) = self.of_class.entry(class).or_insert_with(|| {
            let class = graph.class(class);
            class.map_or_else(Default::default, |class| names_of(env, jni, class))
        });
        let at = usize::try_from(edge.index).ok()?.checked_sub(*first)?;
        names.get(at).map(String::as_str)
    }

    /// The static field of a class that refers to an object. Its number differs between JDKs, so its value is compared.
    pub(super) fn static_field(&self, edge: &Edge) -> Option<String> {
        let class = self.graph.class(edge.from)?;
        let fields = self.env.class_fields(class).ok()?;
        fields.iter().find_map(|field| {
            let name = self.env.field_name(class, *field).ok()?;
            let modifiers = self.env.field_modifiers(class, *field).ok()?;
            let is_reference = name
                .descriptor
                .first()
                .is_some_and(|kind| b"L[".contains(kind));
            if modifiers & STATIC == 0 || !is_reference {
                return None;
            }
            let value = self.jni.static_object_field(class, *field);
            if value.is_null() {
                return None;
            }
            let tag = self.env.tag(value);
            self.jni.delete_local_ref(value);
            let is_it = tag.is_ok_and(|tag| tag == i64::from(edge.to.0));
            is_it.then(|| String::from_utf8_lossy(&name.name).into_owned())
        })
    }
}

fn names_of(env: Env, jni: Jni, class: jclass) -> (usize, Vec<String>) {
    let mut line = vec![class];
    while let Some(superclass) = line.last().and_then(|class| jni.superclass(*class)) {
        line.push(superclass);
    }
    let mut interfaces = Vec::new();
    for class in &line {
        add_interfaces(env, jni, *class, &mut interfaces);
    }
    let first = interfaces
        .iter()
        .map(|interface| fields(env, *interface).len())
        .sum();
    let names = line.iter().rev().flat_map(|class| {
        let own = fields(env, *class);
        own.into_iter().map(|field| {
            let name = env.field_name(*class, field);
            name.map(|name| String::from_utf8_lossy(&name.name).into_owned())
                .unwrap_or_default()
        })
    });
    (first, names.collect())
}

fn fields(env: Env, class: jclass) -> Vec<jfieldID> {
    env.class_fields(class)
        .map(|fields| fields.to_vec())
        .unwrap_or_default()
}

/// Each interface once.
fn add_interfaces(env: Env, jni: Jni, class: jclass, found: &mut Vec<jclass>) {
    let Ok(direct) = env.implemented_interfaces(class) else {
        return;
    };
    for interface in direct.iter() {
        if !found
            .iter()
            .any(|known| jni.is_same_object(*known, *interface))
        {
            found.push(*interface);
            add_interfaces(env, jni, *interface, found);
        }
    }
}
