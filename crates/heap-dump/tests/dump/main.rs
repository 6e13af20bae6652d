//! Whole hand-written dumps: what is read from them, and that no bytes make the reader panic.

mod dump_writer;
mod spent_entries;

use std::io::Write;

use ducktrack_heap_dump::{
    DominatorTree, DumpError, DumpFile, Extent, Graph, HeapGraph, Reference, Root, ShortestPaths,
    TreeFields, WayOrder,
};
use dump_writer::{DumpWriter, INT, REFERENCE, fields};
use proptest::prelude::*;
use tempfile::NamedTempFile;

const SHOP: u64 = 0x1000;
const NODE: u64 = 0x1100;
const WEAK: u64 = 0x1200;
const STRING: u64 = 0x1300;
const TABLE: u64 = 0x1400;
const LOADER: u64 = 0x1500;
const PLUGIN: u64 = 0x1600;
const THREAD: u64 = 0x1700;
const REFERENCE_CLASS: u64 = 0x1800;

/// ```text
/// static Shop.OPEN -> table -> node -> node's text "hi", and by a weak reference -> forgotten
/// a local variable of Shop.run -> loader -> class Plugin -> static Plugin.STATE -> state
/// ```
fn sample() -> Vec<u8> {
    let mut dump = DumpWriter::default();
    for (id, name) in [
        (1, "OPEN"),
        (2, "next"),
        (3, "referent"),
        (4, "value"),
        (5, "STATE"),
        (6, "run"),
        (7, "name"),
        (8, "count"),
    ] {
        dump.string(id, name);
    }
    dump.class(SHOP, "com/acme/Shop", (0, 0), &[(1, 0x2000)], &[]);
    dump.class(
        NODE,
        "com/acme/Node",
        (0, 0),
        &[],
        &[(8, INT), (2, REFERENCE), (4, REFERENCE)],
    );
    dump.class(
        REFERENCE_CLASS,
        "java/lang/ref/Reference",
        (0, 0),
        &[],
        &[(3, REFERENCE)],
    );
    dump.class(
        WEAK,
        "java/lang/ref/WeakReference",
        (REFERENCE_CLASS, 0),
        &[],
        &[],
    );
    dump.class(STRING, "java/lang/String", (0, 0), &[], &[(4, REFERENCE)]);
    dump.class(TABLE, "[Lcom/acme/Node;", (0, 0), &[], &[]);
    dump.class(LOADER, "com/acme/Loader", (0, 0), &[], &[]);
    dump.class(PLUGIN, "com/acme/Plugin", (0, 0x3000), &[(5, 0x3100)], &[]);
    dump.class(THREAD, "java/lang/Thread", (0, 0), &[], &[(7, REFERENCE)]);
    dump.array(0x2000, TABLE, &[0, 0x2100, 0x2200]);
    let node = |next: u64, value: u64| [&[0, 0, 0, 9][..], &fields(&[next, value])].concat();
    dump.instance(0x2100, NODE, &node(0, 0x2300));
    dump.instance(0x2200, NODE, &node(0x2100, 0x2400));
    dump.instance(0x2300, STRING, &fields(&[0x2310]));
    dump.bytes(0x2310, b"hi");
    dump.instance(0x2400, WEAK, &fields(&[0x2500]));
    dump.bytes(0x2500, &[0; 64]);
    dump.instance(0x3000, LOADER, &[]);
    dump.instance(0x3100, PLUGIN, &[]);
    dump.instance(0x4000, THREAD, &fields(&[0x2300]));
    dump.thread(0x4000, 0x3000, (6, 1));
    dump.finish()
}

fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().expect("a file");
    file.write_all(bytes).expect("written");
    file
}

fn read(bytes: &[u8]) -> Result<HeapGraph, DumpError> {
    HeapGraph::read(DumpFile::new(file(bytes).path())?, Extent::Whole)
}

/// Calls every query on a dump; the answers do not matter.
fn ask_everything(bytes: &[u8]) {
    let file = file(bytes);
    let read = |extent| DumpFile::new(file.path()).and_then(|file| HeapGraph::read(file, extent));
    let Ok(graph) = read(Extent::Whole).or_else(|_| read(Extent::Partial)) else {
        return;
    };
    let tiers = graph.tiers();
    let held = tiers.held(&graph);
    let tree = DominatorTree::new(&held);
    tree.retained(|object| graph.bytes(object));
    let ways = WayOrder {
        statics: 1,
        lasting: 1,
        outside: &[],
        last: tree.orphans(),
    };
    let paths = ShortestPaths::new(&held, ways);
    let _ = TreeFields::read(&graph, &paths);
    for object in 0..graph.objects() {
        let _ = (graph.text(object, 9), graph.thread_name(object));
        for target in graph.successors(object) {
            let _ = graph.reference(object, *target);
        }
    }
}

struct Sample {
    graph: HeapGraph,
    _file: NamedTempFile,
}

impl Sample {
    fn new(bytes: &[u8]) -> Self {
        let file = file(bytes);
        let dump = DumpFile::new(file.path()).expect("a file");
        assert_eq!(dump.unix_millis().expect("a head"), 1_234_567);
        Self {
            graph: HeapGraph::read(dump, Extent::Whole).expect("a dump"),
            _file: file,
        }
    }

    fn object(&self, id: u64) -> u32 {
        self.graph.object(id).expect("an object")
    }

    fn leads_to(&self, id: u64) -> Vec<u64> {
        let targets = self.graph.successors(self.object(id)).iter();
        targets.map(|target| self.graph.id(*target)).collect()
    }

    fn reference(&self, from: u64, to: u64) -> Reference {
        let (from, to) = (self.object(from), self.object(to));
        self.graph.reference(from, to).expect("readable")
    }
}

fn check(sample: &Sample) {
    let graph = &sample.graph;
    assert_eq!(graph.objects(), 9 + 10);
    assert_eq!(sample.leads_to(0x2000), [0x2100, 0x2200]);
    assert_eq!(sample.leads_to(0x2200), [0x2100, 0x2400]);
    assert_eq!(
        sample.leads_to(0x2400),
        [0_u64; 0],
        "a weak reference holds nothing"
    );
    assert_eq!(
        sample.leads_to(0x3000),
        [PLUGIN],
        "a loader holds its classes"
    );
    assert_eq!(
        sample.leads_to(0x3100),
        [PLUGIN],
        "an object holds its class"
    );
    assert_eq!(sample.leads_to(PLUGIN), [0x3000, 0x3100]);
    assert_eq!(
        sample.reference(SHOP, 0x2000),
        Reference::Static("OPEN".into())
    );
    assert_eq!(sample.reference(0x2000, 0x2200), Reference::Element(2));
    assert_eq!(
        sample.reference(0x2200, 0x2100),
        Reference::Field("next".into())
    );
    assert_eq!(
        sample.reference(0x2200, 0x2400),
        Reference::Field("value".into())
    );
    assert_eq!(sample.reference(0x3000, PLUGIN), Reference::Class);
    let text = graph.text(sample.object(0x2300), 80).expect("readable");
    assert_eq!(text.as_deref(), Some("hi"));
    let name = graph.thread_name(sample.object(0x4000)).expect("readable");
    assert_eq!(name.as_deref(), Some("hi"));
    let root = |id| {
        let object = sample.object(id);
        let mut roots = graph.roots().iter();
        roots
            .find(|(root, _)| *root == object)
            .map(|(_, root)| root.clone())
    };
    let at = "com.acme.Shop.run(Unknown Source)".to_owned();
    assert_eq!(root(0x3000), Some(Root::Frame { thread: 0x4000, at }));
    assert_eq!(root(0x4000), Some(Root::Thread));
    assert_eq!(root(SHOP), Some(Root::Statics));
    assert_eq!(
        root(PLUGIN),
        None,
        "a class that can be unloaded is no root"
    );
    // A header of 12 bytes with an int and two references; an array of three; one of two bytes.
    for (id, bytes) in [(0x2100, 24), (0x2000, 32), (0x2310, 24), (0x2500, 80)] {
        assert_eq!(graph.bytes(sample.object(id)), bytes, "{id:x}");
    }
}

#[test]
fn objects_references_and_roots() {
    check(&Sample::new(&sample()));
}

#[test]
fn a_packed_dump_is_the_same() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&sample()).expect("packed");
    check(&Sample::new(&packed.finish().expect("packed")));
}

#[test]
fn what_is_no_dump_is_refused() {
    let sample = sample();
    assert!(matches!(read(b""), Err(DumpError::NoDump)));
    assert!(matches!(
        read(b"JAVA PROFILE 1.0.3\0"),
        Err(DumpError::NoDump)
    ));
    let mut narrow = sample.clone();
    narrow[22] = 4;
    assert!(matches!(read(&narrow), Err(DumpError::IdentifierSize(4))));
    // The first byte of the segment's content, the tag of a sub-record.
    let mut unknown = sample.clone();
    let at = unknown
        .windows(9)
        .position(|w| w[0] == 0x1c && w[1..5] == [0; 4])
        .expect("a segment");
    unknown[at + 9] = 0x55;
    assert!(matches!(read(&unknown), Err(DumpError::Damaged { .. })));
}

#[test]
fn an_unfinished_dump_is_refused_with_its_offset_or_read_as_a_part() {
    let sample = sample();
    let all = read(&sample).expect("whole").objects();
    let mut most = 0;
    for length in 31..sample.len() {
        let cut = read(&sample[..length]);
        let Err(DumpError::Cut { at }) = cut else {
            panic!("{length}: {cut:?}");
        };
        assert_eq!(at, length as u64);
        let file = file(&sample[..length]);
        let part =
            DumpFile::new(file.path()).and_then(|file| HeapGraph::read(file, Extent::Partial));
        let part = part.expect("a part");
        assert_eq!(part.cut(), Some(length as u64));
        assert!((most..all).contains(&part.objects()), "{length}");
        most = part.objects();
    }
    assert_eq!(most, all - 1, "the last may lack its content");
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(&sample).expect("packed");
    let packed = packed.finish().expect("packed");
    let cut = read(&packed[..packed.len() - 20]);
    assert!(matches!(cut, Err(DumpError::Cut { .. })), "{cut:?}");
}

/// ```text
/// static Finalizer.unfinalized -> finalizer -> (late) referent, which Pool.kept holds too, by way of a node
/// a buffer of 4096 bytes with a cleaner, and a view of it without
/// ```
#[test]
fn late_references_and_fields_of_paths() {
    const POOL: u64 = 0x1000;
    const REFERENCE_CLASS: u64 = 0x1100;
    const FINAL: u64 = 0x1200;
    const FINALIZER: u64 = 0x1300;
    const BUFFER: u64 = 0x1400;
    const DIRECT: u64 = 0x1500;
    let mut dump = DumpWriter::default();
    for (id, name) in [
        (1, "unfinalized"),
        (2, "referent"),
        (3, "kept"),
        (4, "next"),
        (5, "value"),
        (6, "capacity"),
        (7, "cleaner"),
        (8, "buffer"),
        (9, "view"),
    ] {
        dump.string(id, name);
    }
    let pool = [(4, REFERENCE), (5, REFERENCE)];
    dump.class(
        POOL,
        "com/acme/Pool",
        (0, 0),
        &[(3, 0x2000), (8, 0x2500), (9, 0x2600)],
        &pool,
    );
    dump.class(
        REFERENCE_CLASS,
        "java/lang/ref/Reference",
        (0, 0),
        &[],
        &[(2, REFERENCE)],
    );
    dump.class(
        FINAL,
        "java/lang/ref/FinalReference",
        (REFERENCE_CLASS, 0),
        &[],
        &[],
    );
    let statics = [(1, 0x2200)];
    dump.class(
        FINALIZER,
        "java/lang/ref/Finalizer",
        (FINAL, 0),
        &statics,
        &[(4, REFERENCE)],
    );
    dump.class(BUFFER, "java/nio/Buffer", (0, 0), &[], &[(6, INT)]);
    dump.class(
        DIRECT,
        "java/nio/DirectByteBuffer",
        (BUFFER, 0),
        &[],
        &[(7, REFERENCE)],
    );
    dump.instance(0x2000, POOL, &fields(&[0x2100, 0]));
    dump.instance(0x2100, POOL, &fields(&[0, 0x2300]));
    dump.instance(0x2200, FINALIZER, &fields(&[0, 0x2300]));
    dump.bytes(0x2300, &[0; 64]);
    let buffer = |cleaner: u64| [&fields(&[cleaner])[..], &4096_u32.to_be_bytes()].concat();
    dump.instance(0x2500, DIRECT, &buffer(0x2300));
    dump.instance(0x2600, DIRECT, &buffer(0));
    let sample = Sample::new(&dump.finish());
    let graph = &sample.graph;
    let object = |id| sample.object(id);
    let tiers = graph.tiers();
    assert_eq!(tiers.of(object(0x2200)), ducktrack_heap_dump::Tier::Late);
    let held = tiers.held(graph);
    let tree = DominatorTree::new(&held);
    let ways = WayOrder {
        statics: graph.roots().len(),
        lasting: graph.roots().len(),
        outside: &[],
        last: tree.orphans(),
    };
    let paths = ShortestPaths::new(&held, ways);
    let ids = |object| -> Vec<u64> { paths.path(object, 9).iter().map(|o| graph.id(*o)).collect() };
    assert_eq!(ids(object(0x2200)), [FINALIZER, 0x2200]);
    let read = TreeFields::read(graph, &paths).expect("readable");
    let by = |id| {
        let object = object(id);
        let holder = graph.class_of(paths.before(object)?);
        let field = read.field(graph, holder, read.number(object)?)?;
        Some((
            field.name.to_owned(),
            graph.classes().name(field.declared_by).to_owned(),
        ))
    };
    let field = |name: &str, class: &str| Some((name.to_owned(), class.to_owned()));
    assert_eq!(by(0x2100), field("next", "com/acme/Pool"));
    assert_eq!(by(0x2000), None, "a static field");
    let [buffer] = read.direct_buffers[..] else {
        panic!("{:?}", read.direct_buffers);
    };
    assert_eq!((buffer.object, buffer.bytes), (object(0x2500), 4096));
    // The buffer has the array as its cleaner, so that two hold it; without that only the pool's node does.
    assert_eq!(ids(object(0x2300)), [POOL, 0x2500, 0x2300]);
}

#[test]
fn a_length_that_is_claimed_is_not_allocated() {
    // An array of 2^32 - 1 references in a tiny file.
    let mut dump = DumpWriter::default();
    dump.array(0x2000, TABLE, &[]);
    let mut bytes = dump.finish();
    let at = bytes.len() - 9 - 12;
    bytes[at..at + 4].copy_from_slice(&u32::MAX.to_be_bytes());
    assert!(matches!(read(&bytes), Err(DumpError::Cut { .. })));
}

proptest! {
    #[test]
    fn changed_bytes_never_panic(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12)) {
        let mut bytes = sample();
        for (at, value) in changes {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        ask_everything(&bytes);
    }

    #[test]
    fn any_bytes_after_the_head_never_panic(tail in prop::collection::vec(any::<u8>(), 0..400)) {
        let mut bytes = sample()[..31].to_vec();
        bytes.extend([0x1c, 0, 0, 0, 0]);
        bytes.extend((tail.len() as u32).to_be_bytes());
        bytes.extend(tail);
        ask_everything(&bytes);
    }
}
