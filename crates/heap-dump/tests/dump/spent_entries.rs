//! Entries of weak tables whose referent is gone.

use crate::Sample;
use crate::dump_writer::{DumpWriter, REFERENCE, fields};

const REFERENCE_CLASS: u64 = 0x1000;
const WEAK: u64 = 0x1100;
const SOFT: u64 = 0x1200;
const QUEUE: u64 = 0x1300;
const NODE: u64 = 0x1400;
const KEY: u64 = 0x1500;
const KEY_REFERENCE: u64 = 0x1600;
const SHOP: u64 = 0x1700;
/// The queue of references that have none, and the queue of the tables.
const NONE: u64 = 0x2000;
const TABLES: u64 = 0x2100;

/// The classes; `none` is the name of the static field for no queue.
fn classes(none: &str) -> DumpWriter {
    let mut dump = DumpWriter::default();
    let names = [
        (1, "referent"),
        (2, "queue"),
        (3, none),
        (4, "key"),
        (5, "value"),
        (6, "next"),
        (7, "reference"),
    ];
    names.iter().for_each(|(id, name)| dump.string(*id, name));
    let two = [(1, REFERENCE), (2, REFERENCE)];
    dump.class(
        REFERENCE_CLASS,
        "java/lang/ref/Reference",
        (0, 0),
        &[],
        &two,
    );
    let reference = (REFERENCE_CLASS, 0);
    dump.class(WEAK, "java/lang/ref/WeakReference", reference, &[], &[]);
    dump.class(SOFT, "java/lang/ref/SoftReference", reference, &[], &[]);
    dump.class(
        QUEUE,
        "java/lang/ref/ReferenceQueue",
        (0, 0),
        &[(3, NONE)],
        &[],
    );
    let node = [(4, REFERENCE), (5, REFERENCE), (6, REFERENCE)];
    dump.class(NODE, "java/util/Hashtable$Entry", (0, 0), &[], &node);
    dump.class(KEY, "com/acme/Key", (0, 0), &[], &[(7, REFERENCE)]);
    let back = [(4, REFERENCE)];
    dump.class(
        KEY_REFERENCE,
        "com/acme/KeyReference",
        (WEAK, 0),
        &[],
        &back,
    );
    dump.class(SHOP, "com/acme/Shop", (0, 0), &[], &node);
    dump.instance(NONE, QUEUE, &[]);
    dump.instance(TABLES, QUEUE, &[]);
    dump
}

/// Those of the objects that are spent entries.
fn spent(dump: DumpWriter, of: &[u64]) -> Vec<u64> {
    let sample = Sample::new(&dump.finish());
    let spent = sample.graph.spent_entries();
    let of = of.iter().copied();
    of.filter(|id| spent.contains(sample.object(*id))).collect()
}

#[test]
fn a_reference_without_a_queue_is_no_entry() {
    for name in ["NULL", "NULL_QUEUE"] {
        let mut dump = classes(name);
        dump.instance(0x3000, WEAK, &fields(&[0, NONE]));
        dump.instance(0x3100, WEAK, &fields(&[0, TABLES]));
        dump.instance(0x3200, SOFT, &fields(&[0, TABLES]));
        dump.instance(0x3300, WEAK, &fields(&[SHOP, TABLES]));
        let all = [0x3000, 0x3100, 0x3200, 0x3300];
        assert_eq!(spent(dump, &all), [0x3100, 0x3200], "{name}");
    }
}

/// `node -> key <-> reference`: the reference is cleared, or not.
#[test]
fn a_node_of_a_map_whose_key_has_a_spent_reference_is_an_entry() {
    let mut dump = classes("NULL");
    let mut entry = |node: u64, class: u64, referent: u64| {
        dump.instance(node, class, &fields(&[node + 0x20, 0, 0]));
        dump.instance(node + 0x20, KEY, &fields(&[node + 0x40]));
        dump.instance(
            node + 0x40,
            KEY_REFERENCE,
            &fields(&[node + 0x20, referent, TABLES]),
        );
    };
    entry(0x3000, NODE, 0);
    entry(0x3100, NODE, SHOP);
    entry(0x3200, SHOP, 0);
    let all = [
        0x3000, 0x3020, 0x3040, 0x3100, 0x3120, 0x3140, 0x3200, 0x3220,
    ];
    assert_eq!(spent(dump, &all), [0x3000, 0x3020, 0x3040, 0x3220]);
}

/// A list of references that have their list: an owner of all of them is no entry.
#[test]
fn what_other_references_lead_to_is_no_entry() {
    let mut dump = classes("NULL");
    dump.instance(0x3000, KEY, &fields(&[0x3100]));
    dump.instance(0x3100, KEY_REFERENCE, &fields(&[0x3000, 0, TABLES]));
    dump.instance(0x3200, KEY_REFERENCE, &fields(&[0x3000, SHOP, TABLES]));
    assert_eq!(spent(dump, &[0x3000, 0x3100, 0x3200]), [0x3100]);
}
