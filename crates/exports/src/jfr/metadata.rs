//! The types of a recording: a tree of elements with attributes, all texts in one table.

use super::bytes::Bytes;

/// Numbers of types.
pub(super) mod ty {
    pub(in super::super) const BOOLEAN: u64 = 4;
    pub(in super::super) const INT: u64 = 10;
    pub(in super::super) const LONG: u64 = 11;
    pub(in super::super) const STRING: u64 = 20;
    pub(in super::super) const CLASS: u64 = 21;
    pub(in super::super) const THREAD: u64 = 22;
    pub(in super::super) const CLASS_LOADER: u64 = 23;
    pub(in super::super) const FRAME_TYPE: u64 = 24;
    pub(in super::super) const STACK_TRACE: u64 = 26;
    pub(in super::super) const STACK_FRAME: u64 = 27;
    pub(in super::super) const METHOD: u64 = 28;
    pub(in super::super) const PACKAGE: u64 = 29;
    pub(in super::super) const SYMBOL: u64 = 30;
    pub(in super::super) const GC_WHEN: u64 = 36;
    pub(in super::super) const VIRTUAL_SPACE: u64 = 37;
}

pub(super) const SAMPLE: u64 = 101;
pub(super) const PAUSE: u64 = 102;
pub(super) const HEAP_SUMMARY: u64 = 103;
pub(super) const SITE_COUNT: u64 = 104;

const LABEL: u64 = 200;
const CATEGORY: u64 = 201;
const TIMESTAMP: u64 = 202;
const TIMESPAN: u64 = 203;
const DATA_AMOUNT: u64 = 204;
const DESCRIPTION: u64 = 205;

/// A field: its name, its type, and what makes it more than that.
struct Field(&'static str, u64, &'static [Mark]);

#[derive(PartialEq, Eq)]
enum Mark {
    /// Its value is the number of a constant.
    Constant,
    /// There are any number of them.
    Array,
    /// Ticks since the start.
    Time,
    /// Ticks.
    Span,
    /// Bytes.
    Amount,
}

use Mark::{Amount, Array, Constant, Span, Time};

/// A class of values, with or without a place among events: label, description, categories.
struct Class {
    id: u64,
    name: &'static str,
    parent: Option<&'static str>,
    about: Option<(&'static str, &'static str, &'static [&'static str])>,
    fields: &'static [Field],
}

const EVENT: Option<&str> = Some("jdk.jfr.Event");
const ANNOTATION: Option<&str> = Some("java.lang.annotation.Annotation");

const fn plain(id: u64, name: &'static str, fields: &'static [Field]) -> Class {
    Class {
        id,
        name,
        parent: None,
        about: None,
        fields,
    }
}

const fn annotation(id: u64, name: &'static str, fields: &'static [Field]) -> Class {
    Class {
        id,
        name,
        parent: ANNOTATION,
        about: None,
        fields,
    }
}

const CLASSES: [Class; 25] = [
    plain(ty::BOOLEAN, "boolean", &[]),
    plain(ty::INT, "int", &[]),
    plain(ty::LONG, "long", &[]),
    plain(ty::STRING, "java.lang.String", &[]),
    plain(
        ty::CLASS,
        "java.lang.Class",
        &[
            Field("classLoader", ty::CLASS_LOADER, &[Constant]),
            Field("name", ty::SYMBOL, &[Constant]),
            Field("package", ty::PACKAGE, &[Constant]),
            Field("modifiers", ty::INT, &[]),
        ],
    ),
    plain(
        ty::THREAD,
        "java.lang.Thread",
        &[
            Field("osName", ty::STRING, &[]),
            Field("osThreadId", ty::LONG, &[]),
            Field("javaName", ty::STRING, &[]),
            Field("javaThreadId", ty::LONG, &[]),
        ],
    ),
    plain(
        ty::CLASS_LOADER,
        "jdk.types.ClassLoader",
        &[Field("name", ty::SYMBOL, &[Constant])],
    ),
    plain(
        ty::PACKAGE,
        "jdk.types.Package",
        &[Field("name", ty::SYMBOL, &[Constant])],
    ),
    plain(
        ty::FRAME_TYPE,
        "jdk.types.FrameType",
        &[Field("description", ty::STRING, &[])],
    ),
    plain(
        ty::STACK_TRACE,
        "jdk.types.StackTrace",
        &[
            Field("truncated", ty::BOOLEAN, &[]),
            Field("frames", ty::STACK_FRAME, &[Array]),
        ],
    ),
    plain(
        ty::STACK_FRAME,
        "jdk.types.StackFrame",
        &[
            Field("method", ty::METHOD, &[Constant]),
            Field("lineNumber", ty::INT, &[]),
            Field("bytecodeIndex", ty::INT, &[]),
            Field("type", ty::FRAME_TYPE, &[Constant]),
        ],
    ),
    plain(
        ty::METHOD,
        "jdk.types.Method",
        &[
            Field("type", ty::CLASS, &[Constant]),
            Field("name", ty::SYMBOL, &[Constant]),
            Field("descriptor", ty::SYMBOL, &[Constant]),
            Field("modifiers", ty::INT, &[]),
            Field("hidden", ty::BOOLEAN, &[]),
        ],
    ),
    plain(
        ty::SYMBOL,
        "jdk.types.Symbol",
        &[Field("string", ty::STRING, &[])],
    ),
    plain(
        ty::GC_WHEN,
        "jdk.types.GCWhen",
        &[Field("when", ty::STRING, &[])],
    ),
    plain(
        ty::VIRTUAL_SPACE,
        "jdk.types.VirtualSpace",
        &[
            Field("start", ty::LONG, &[]),
            Field("committedEnd", ty::LONG, &[]),
            Field("committedSize", ty::LONG, &[Amount]),
            Field("reservedEnd", ty::LONG, &[]),
            Field("reservedSize", ty::LONG, &[Amount]),
        ],
    ),
    annotation(LABEL, "jdk.jfr.Label", &[Field("value", ty::STRING, &[])]),
    annotation(
        CATEGORY,
        "jdk.jfr.Category",
        &[Field("value", ty::STRING, &[Array])],
    ),
    annotation(
        TIMESTAMP,
        "jdk.jfr.Timestamp",
        &[Field("value", ty::STRING, &[])],
    ),
    annotation(
        TIMESPAN,
        "jdk.jfr.Timespan",
        &[Field("value", ty::STRING, &[])],
    ),
    annotation(
        DATA_AMOUNT,
        "jdk.jfr.DataAmount",
        &[Field("value", ty::STRING, &[])],
    ),
    annotation(
        DESCRIPTION,
        "jdk.jfr.Description",
        &[Field("value", ty::STRING, &[])],
    ),
    Class {
        id: SAMPLE,
        name: "jdk.ObjectAllocationSample",
        parent: EVENT,
        about: Some((
            "Object Allocation Sample",
            "Written by ducktrack: the weight is the exact number of bytes of this stack, type and thread",
            &["Java Virtual Machine", "Memory"],
        )),
        fields: &[
            Field("startTime", ty::LONG, &[Time]),
            Field("eventThread", ty::THREAD, &[Constant]),
            Field("stackTrace", ty::STACK_TRACE, &[Constant]),
            Field("objectClass", ty::CLASS, &[Constant]),
            Field("weight", ty::LONG, &[Amount]),
        ],
    },
    Class {
        id: PAUSE,
        name: "jdk.GCPhasePause",
        parent: EVENT,
        about: Some((
            "GC Phase Pause",
            "A collection that stopped the program",
            &["Java Virtual Machine", "GC", "Phases"],
        )),
        fields: &[
            Field("startTime", ty::LONG, &[Time]),
            Field("duration", ty::LONG, &[Span]),
            Field("eventThread", ty::THREAD, &[Constant]),
            Field("gcId", ty::INT, &[]),
            Field("name", ty::STRING, &[]),
        ],
    },
    Class {
        id: HEAP_SUMMARY,
        name: "jdk.GCHeapSummary",
        parent: EVENT,
        about: Some((
            "Heap Summary",
            "The heap before or after a collection",
            &["Java Virtual Machine", "GC", "Heap"],
        )),
        fields: &[
            Field("startTime", ty::LONG, &[Time]),
            Field("gcId", ty::INT, &[]),
            Field("when", ty::GC_WHEN, &[Constant]),
            Field("heapSpace", ty::VIRTUAL_SPACE, &[]),
            Field("heapUsed", ty::LONG, &[Amount]),
        ],
    },
    Class {
        id: SITE_COUNT,
        name: "ducktrack.SiteCount",
        parent: EVENT,
        about: Some((
            "Exact Allocation Count",
            "Objects and bytes that the program has executed, exact",
            &["ducktrack"],
        )),
        fields: &[
            Field("startTime", ty::LONG, &[Time]),
            Field("eventThread", ty::THREAD, &[Constant]),
            Field("stackTrace", ty::STACK_TRACE, &[Constant]),
            Field("objectClass", ty::CLASS, &[Constant]),
            Field("objects", ty::LONG, &[]),
            Field("bytes", ty::LONG, &[Amount]),
        ],
    },
];

/// An element of the tree.
struct Element {
    name: &'static str,
    attributes: Vec<(String, String)>,
    children: Vec<Element>,
}

impl Element {
    fn new(name: &'static str, attributes: &[(&str, String)]) -> Self {
        let owned = |(name, value): &(&str, String)| ((*name).to_owned(), value.clone());
        Self {
            name,
            attributes: attributes.iter().map(owned).collect(),
            children: Vec::new(),
        }
    }

    fn with(mut self, children: impl IntoIterator<Item = Self>) -> Self {
        self.children.extend(children);
        self
    }
}

/// Texts first, then the tree.
pub(super) fn metadata(out: &mut Bytes) {
    let classes = Element::new("metadata", &[]).with(CLASSES.iter().map(class));
    let region = [
        ("locale", "en_US".to_owned()),
        ("gmtOffset", "0".to_owned()),
    ];
    let root = Element::new("root", &[]).with([classes, Element::new("region", &region)]);
    let mut texts = Vec::new();
    let mut tree = Bytes::default();
    write(&root, &mut texts, &mut tree);
    out.int(texts.len() as u64);
    for text in &texts {
        out.text(text);
    }
    out.0.extend_from_slice(&tree.0);
}

fn write(element: &Element, texts: &mut Vec<String>, tree: &mut Bytes) {
    tree.int(number(texts, element.name));
    tree.int(element.attributes.len() as u64);
    for (name, value) in &element.attributes {
        tree.int(number(texts, name));
        tree.int(number(texts, value));
    }
    tree.int(element.children.len() as u64);
    for child in &element.children {
        write(child, texts, tree);
    }
}

fn number(texts: &mut Vec<String>, text: &str) -> u64 {
    let known = texts.iter().position(|known| known == text);
    let at = known.unwrap_or_else(|| {
        texts.push(text.to_owned());
        texts.len() - 1
    });
    at as u64
}

fn class(class: &Class) -> Element {
    let mut attributes = vec![
        ("id", class.id.to_string()),
        ("name", class.name.to_owned()),
    ];
    attributes.extend(class.parent.map(|parent| ("superType", parent.to_owned())));
    // Readers take the one field for the value itself.
    if [ty::SYMBOL, ty::FRAME_TYPE, ty::GC_WHEN].contains(&class.id) {
        attributes.push(("simpleType", "true".to_owned()));
    }
    let about = class.about.iter().flat_map(|(label, text, categories)| {
        [
            note(LABEL, &[("value", (*label).to_owned())]),
            note(DESCRIPTION, &[("value", (*text).to_owned())]),
            of_categories(categories),
        ]
    });
    Element::new("class", &attributes)
        .with(about)
        .with(class.fields.iter().map(field))
}

fn field(Field(name, ty, marks): &Field) -> Element {
    let mut attributes = vec![("name", (*name).to_owned()), ("class", ty.to_string())];
    if marks.contains(&Constant) {
        attributes.push(("constantPool", "true".to_owned()));
    }
    if marks.contains(&Array) {
        attributes.push(("dimension", "1".to_owned()));
    }
    let notes = marks.iter().filter_map(|mark| match mark {
        Time => Some((TIMESTAMP, "TICKS")),
        Span => Some((TIMESPAN, "TICKS")),
        Amount => Some((DATA_AMOUNT, "BYTES")),
        Constant | Array => None,
    });
    let notes = notes.map(|(id, value)| note(id, &[("value", value.to_owned())]));
    Element::new("field", &attributes).with(notes)
}

fn note(id: u64, values: &[(&str, String)]) -> Element {
    let mut attributes = vec![("class", id.to_string())];
    attributes.extend_from_slice(values);
    Element::new("annotation", &attributes)
}

fn of_categories(categories: &[&str]) -> Element {
    let names: Vec<String> = (0..categories.len())
        .map(|at| format!("value-{at}"))
        .collect();
    let values: Vec<(&str, String)> = names
        .iter()
        .zip(categories)
        .map(|(name, value)| (name.as_str(), (*value).to_owned()))
        .collect();
    note(CATEGORY, &values)
}
