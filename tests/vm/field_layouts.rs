//! The field layouts of a trace against `Unsafe.objectFieldOffset`: for every class of `java.base` and for classes of all shapes
//! (records, hidden, generic, more than a hundred fields, gaps of superclasses), with the object layouts that the VM has.
//!
//! The two know nothing of each other: the agent reads the VM's description of the class inside a pause, the program asks the VM.
//! Fields that only the trace has are those that reflection hides and those that the VM adds; fields of one object never overlap.

use std::collections::BTreeMap;
use std::path::Path;

use ducktrack_count_model::{ClassLayout, CountModelBuilder, FieldLayouts, stable_descriptor};
use ducktrack_tests::{
    Jdk, TracedRun, checked, compiled, is_full_run, skipped, trace_command, traced_jdks,
};
use ducktrack_trace_format::HeapClass;
use ducktrack_trace_reader::{Record, TraceReader};

/// Collectors and object layouts, and the JDKs on which each is always tried; the full run tries all on all, where the VM accepts them.
const LAYOUTS: &[(&[u32], &[&str])] = &[
    (&[17], &["-XX:+UseSerialGC"]),
    (&[21], &["-XX:+UseG1GC", "-Xshare:off"]),
    (&[17], &["-XX:+UseParallelGC", "-XX:-UseCompressedOops"]),
    (&[], &["-XX:+UseG1GC", "-XX:-UseCompressedClassPointers"]),
    (&[], &["-XX:+UseSerialGC", "-XX:ObjectAlignmentInBytes=16"]),
    (&[25], &["-XX:+UseG1GC", "-XX:+UseCompactObjectHeaders"]),
    (
        &[],
        &[
            "-XX:+UseSerialGC",
            "-XX:+UseCompactObjectHeaders",
            "-XX:-UseCompressedOops",
        ],
    ),
];

/// Field and descriptor by offset, of one class.
type Declared = BTreeMap<u32, (String, String)>;

#[test]
fn every_field_is_where_the_vm_has_it() {
    let folder = compiled(&["FieldOffsets"], 17);
    let mut runs = 0;
    let mut fields = 0;
    let jdks = traced_jdks();
    for jdk in &jdks {
        for (always_on, options) in LAYOUTS {
            if !is_full_run() && !always_on.contains(&jdk.version) {
                continue;
            }
            if !jdk.accepts(options) {
                skipped(&format!("{jdk} does not accept {options:?}"));
                continue;
            }
            runs += 1;
            fields += compare(jdk, options, folder.path());
        }
    }
    assert!(runs >= jdks.len(), "only {runs} runs");
    checked(&format!(
        "field layouts against Unsafe.objectFieldOffset, {runs} runs, {fields} fields equal"
    ));
}

/// Runs the program and compares; the number of fields that are equal.
fn compare(jdk: &Jdk, options: &[&str], programs: &Path) -> usize {
    let run = TracedRun::new(jdk, &options.join(" "));
    let (place, trace, offsets) = (run.name(), run.trace(), run.file("offsets"));
    let mut command = run.command("", &[programs]);
    command.args(options).args([
        "-Xmx300m",
        "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
    ]);
    run.finish(command.arg("FieldOffsets").arg(&offsets));
    let expected = declared(&std::fs::read_to_string(&offsets).expect("offsets"));
    let layouts = layouts_of(&trace);
    let (classes, known) = layouts.counts();
    assert!(
        classes > 3000 && known == classes,
        "{place}: {known} of {classes}; not {:?}",
        without_layout(&trace)
    );
    let mut found: BTreeMap<String, Vec<ClassLayout>> = BTreeMap::new();
    for layout in layouts.select(|_| true) {
        assert_apart(&layout, options, place);
        found.entry(layout.ty.clone()).or_default().push(layout);
    }
    let mut extra = Vec::new();
    for (class, fields) in &expected {
        let candidates = found.get(class).map_or(&[][..], Vec::as_slice);
        let own = candidates.iter().map(|layout| own_fields(layout, class));
        let hidden = own
            .filter_map(|own| more_than(&own, fields))
            .min_by_key(Vec::len);
        let hidden = hidden.unwrap_or_else(|| {
            panic!("{place}: {class} has {fields:?}, the trace says {candidates:?}")
        });
        extra.extend(hidden.iter().map(|field| format!("{class} {field}")));
    }
    let of_the_vm =
        |line: &String| line.starts_with("Ljava/lang/") || line.starts_with("Ljdk/internal/");
    assert!(
        extra.iter().all(of_the_vm) && extra.len() < 100,
        "{place}: {extra:?}"
    );
    for name in [
        "FieldOffsets$Template",
        "FieldOffsets$Many",
        "FieldOffsets$Point",
    ] {
        assert!(
            expected.contains_key(&format!("L{name};")),
            "{place}: {name}"
        );
    }
    let fields = expected.values().map(BTreeMap::len).sum();
    println!(
        "{place}: {fields} fields of {} classes equal, {} more",
        expected.len(),
        extra.len()
    );
    check_command(&trace, place);
    fields
}

/// The program's output, by class.
fn declared(lines: &str) -> BTreeMap<String, Declared> {
    let mut classes: BTreeMap<String, Declared> = BTreeMap::new();
    for line in lines.lines() {
        let parts: Vec<&str> = line.split('\t').collect();
        let [class, field, descriptor, offset] = parts[..] else {
            panic!("{line}");
        };
        // A hidden class is `Name/0x...` to Java.
        let class = class.split('/').next().unwrap_or(class).replace('.', "/");
        let fields = classes
            .entry(stable_descriptor(&format!("L{class};")))
            .or_default();
        let offset = offset.parse().expect("an offset");
        let field = (field.to_owned(), descriptor.to_owned());
        assert_eq!(fields.insert(offset, field), None, "{line}");
    }
    classes
}

fn layouts_of(trace: &Path) -> FieldLayouts {
    let mut reader = TraceReader::open(trace).expect("a trace");
    let mut builder = CountModelBuilder::new();
    reader.by_ref().for_each(|record| builder.fold(record));
    let model = builder.finish();
    assert!(
        model.inconsistencies.is_empty(),
        "{:?}",
        model.inconsistencies
    );
    model.field_layouts
}

/// Classes that are not arrays and have no layout.
fn without_layout(trace: &Path) -> Vec<HeapClass> {
    let mut classes = BTreeMap::new();
    for record in TraceReader::open(trace).expect("a trace") {
        match record {
            Record::HeapClass(class) if !class.name.starts_with('[') => {
                classes.insert(class.id, class);
            }
            Record::HeapLayout(layout) => {
                classes.remove(&layout.class);
            }
            _ => {}
        }
    }
    classes.into_values().collect()
}

fn own_fields(layout: &ClassLayout, class: &str) -> Declared {
    let own = layout
        .fields
        .iter()
        .filter(|field| field.declared_by == class);
    own.map(|field| (field.offset, (field.name.clone(), field.descriptor.clone())))
        .collect()
}

/// The fields that are only in `own`; `None`: something of `expected` is not in it as it is.
fn more_than(own: &Declared, expected: &Declared) -> Option<Vec<String>> {
    let has = |(offset, field): (&u32, &(String, String))| own.get(offset) == Some(field);
    expected.iter().all(has).then(|| {
        let more = own
            .iter()
            .filter(|(offset, _)| !expected.contains_key(offset));
        more.map(|(_, (name, _))| name.clone()).collect()
    })
}

/// No two fields of an object overlap, and all are inside it.
fn assert_apart(layout: &ClassLayout, options: &[&str], place: &str) {
    let reference = match options.contains(&"-XX:-UseCompressedOops") {
        true => 8,
        false => 4,
    };
    let mut free = 8;
    for field in &layout.fields {
        assert!(field.offset >= free, "{place}: {layout:?}");
        free = field.offset
            + match field.descriptor.as_bytes()[0] {
                b'Z' | b'B' => 1,
                b'S' | b'C' => 2,
                b'I' | b'F' => 4,
                b'J' | b'D' => 8,
                _ => reference,
            };
    }
    assert!(
        layout.bytes.is_none_or(|bytes| free <= bytes),
        "{place}: {layout:?}"
    );
}

/// The commands have the same.
fn check_command(trace: &Path, place: &str) {
    let info = trace_command("info", trace, &[]);
    assert!(
        info["layouts"]["known"].as_u64() > Some(3000),
        "{place}: {info}"
    );
    assert_eq!(
        info["layouts"]["known"], info["layouts"]["classes"],
        "{place}"
    );
    let words = ["--at", "1", "--type", "java.lang.String"];
    let heap = trace_command("heap", trace, &words);
    let layout = &heap["layouts"][0];
    assert_eq!(layout["type"], "java.lang.String", "{place}: {heap}");
    let fields = layout["fields"].as_array().expect("fields");
    let value = fields.iter().find(|field| field["name"] == "value");
    let value = value.expect("String.value");
    assert_eq!(
        (&value["type"], &value["declaredBy"]),
        (&"byte[]".into(), &"java.lang.String".into()),
        "{place}"
    );
}
