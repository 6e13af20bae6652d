//! Fields of the program's classes that have their default value in all objects, and what the classes would be without them.

use rustc_hash::FxHashMap;

use ducktrack_heap_dump::{ClassField, ClassIndex, HeapGraph, Identifier};

use crate::claims::Claim;
use crate::contents::Contents;
use crate::field_use::FieldUse;
use crate::findings::{Findings, Found};
use crate::kind::{Advice, Kind};
use crate::reach::Reach;

const KIND: Kind = Kind::new("fields-always-default", Advice::MoveFields);
/// One object says little of a class.
const FEWEST_OBJECTS: u64 = 2;

type DeclaredField = (ClassIndex, Identifier);

pub(crate) fn judge(
    graph: &HeapGraph,
    reach: &Reach,
    contents: &Contents,
    findings: &mut Findings<'_>,
) {
    let used = used_fields(contents);
    let mut smaller: FxHashMap<ClassIndex, (u64, String)> = FxHashMap::default();
    for (class, uses) in &contents.field_uses {
        if let Some(found) = without_defaults(graph, (*class, uses), &used) {
            smaller.insert(*class, found);
        }
    }
    for object in (0..graph.objects()).filter(|object| reach.is_live(*object)) {
        let class = graph.class_of(object);
        let Some((bytes, fields)) = smaller
            .get(&class)
            .filter(|_| graph.as_class(object).is_none())
        else {
            continue;
        };
        let name = findings.class_name(class, graph.classes().name(class));
        let claims = [Claim {
            object,
            bytes: graph.bytes(object).saturating_sub(*bytes),
        }];
        let found = Found {
            object,
            claims: &claims,
            replacement: 0,
            table: None,
        };
        findings.add_named(KIND, name, &[object], found);
        findings.detail(KIND, name, fields);
    }
}

/// Fields that have a value in an object of the class that declares them, or of a subclass.
fn used_fields(contents: &Contents) -> FxHashMap<DeclaredField, bool> {
    let mut used: FxHashMap<DeclaredField, bool> = FxHashMap::default();
    for uses in contents.field_uses.values() {
        for (field, is_used) in uses.fields.iter().zip(&uses.is_used) {
            *used.entry((field.declared_by, field.name)).or_default() |= *is_used;
        }
    }
    used
}

/// Bytes of an instance without the fields that have no value, and their names; `None`: that is no smaller.
fn without_defaults(
    graph: &HeapGraph,
    (class, uses): (ClassIndex, &FieldUse),
    used: &FxHashMap<DeclaredField, bool>,
) -> Option<(u64, String)> {
    let is_default =
        |field: &ClassField| used.get(&(field.declared_by, field.name)) == Some(&false);
    let is_left_out = |at: usize| uses.fields.get(at).is_some_and(is_default);
    if uses.objects < FEWEST_OBJECTS {
        return None;
    }
    let classes = graph.classes();
    let bytes = |is_left_out: &dyn Fn(usize) -> bool| {
        graph.model().instance_bytes(classes, class, is_left_out)
    };
    let (without, with) = (bytes(&is_left_out), bytes(&|_| false));
    let names: Vec<&str> = uses
        .fields
        .iter()
        .filter(|field| is_default(field))
        .map(|field| classes.string(field.name))
        .collect();
    (without < with).then(|| {
        (
            without,
            format!("{}: {with} bytes each, {without} without", names.join(", ")),
        )
    })
}
