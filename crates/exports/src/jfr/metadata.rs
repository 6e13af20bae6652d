//! The types of a recording: a tree of elements with attributes, all texts in one table.

use super::bytes::Bytes;

/// Numbers of types.
pub(super) mod ty {
    pub(in super::super) const CLASS: u64 = 21;
    pub(in super::super) const THREAD: u64 = 22;
    pub(in super::super) const FRAME_TYPE: u64 = 24;
    pub(in super::super) const STACK_TRACE: u64 = 26;
    pub(in super::super) const METHOD: u64 = 28;
    pub(in super::super) const SYMBOL: u64 = 30;
    pub(in super::super) const GC_WHEN: u64 = 36;
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

/// A class of values a line: its kind, number and name, and its fields with their types.
///
/// Readers take the one field of a `simple` class for the value itself. `*`: a value is the number of a constant; `[]`: there are any
/// number of them; `ticks`: since the start; `span`: in ticks.
const CLASSES: &str = "\
plain 4 boolean
plain 10 int
plain 11 long
plain 20 java.lang.String
plain 21 java.lang.Class: classLoader *ClassLoader, name *Symbol, package *Package, modifiers int
plain 22 java.lang.Thread: osName String, osThreadId long, javaName String, javaThreadId long
plain 23 jdk.types.ClassLoader: name *Symbol
plain 29 jdk.types.Package: name *Symbol
simple 24 jdk.types.FrameType: description String
plain 26 jdk.types.StackTrace: truncated boolean, frames []StackFrame
plain 27 jdk.types.StackFrame: method *Method, lineNumber int, bytecodeIndex int, type *FrameType
plain 28 jdk.types.Method: type *Class, name *Symbol, descriptor *Symbol, modifiers int, hidden boolean
simple 30 jdk.types.Symbol: string String
simple 36 jdk.types.GCWhen: when String
plain 37 jdk.types.VirtualSpace: start long, committedEnd long, committedSize long bytes, reservedEnd long, reservedSize long bytes
annotation 200 jdk.jfr.Label: value String
annotation 201 jdk.jfr.Category: value []String
annotation 202 jdk.jfr.Timestamp: value String
annotation 203 jdk.jfr.Timespan: value String
annotation 204 jdk.jfr.DataAmount: value String
annotation 205 jdk.jfr.Description: value String
event 101 jdk.ObjectAllocationSample: startTime long ticks, eventThread *Thread, stackTrace *StackTrace, objectClass *Class, weight long bytes
event 102 jdk.GCPhasePause: startTime long ticks, duration long span, eventThread *Thread, gcId int, name String
event 103 jdk.GCHeapSummary: startTime long ticks, gcId int, when *GCWhen, heapSpace VirtualSpace, heapUsed long bytes
event 104 ducktrack.SiteCount: startTime long ticks, eventThread *Thread, stackTrace *StackTrace, objectClass *Class, objects long, bytes long bytes";

/// An event: its label, description and categories.
type About = (u64, &'static str, &'static str, &'static [&'static str]);

const EVENTS: [About; 4] = [
    (
        SAMPLE,
        "Object Allocation Sample",
        "Written by ducktrack: the weight is the exact number of bytes of this stack, type and thread",
        &["Java Virtual Machine", "Memory"],
    ),
    (
        PAUSE,
        "GC Phase Pause",
        "A collection that stopped the program",
        &["Java Virtual Machine", "GC", "Phases"],
    ),
    (
        HEAP_SUMMARY,
        "Heap Summary",
        "The heap before or after a collection",
        &["Java Virtual Machine", "GC", "Heap"],
    ),
    (
        SITE_COUNT,
        "Exact Allocation Count",
        "Objects and bytes that the program has executed, exact",
        &["ducktrack"],
    ),
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
    let classes = Element::new("metadata", &[]).with(CLASSES.lines().map(class));
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

/// The kind, number and name of a line.
fn head(line: &str) -> [&str; 3] {
    let (head, _) = line.split_once(':').unwrap_or((line, ""));
    let mut words = head.split(' ');
    std::array::from_fn(|_| words.next().unwrap_or_default())
}

fn class(line: &str) -> Element {
    let [kind, id, name] = head(line);
    let mut attributes = vec![("id", id.to_owned()), ("name", name.to_owned())];
    match kind {
        "event" => attributes.push(("superType", "jdk.jfr.Event".to_owned())),
        "annotation" => {
            attributes.push(("superType", "java.lang.annotation.Annotation".to_owned()));
        }
        "simple" => attributes.push(("simpleType", "true".to_owned())),
        _ => {}
    }
    let events = EVENTS.iter().filter(|(of, ..)| of.to_string() == id);
    let about = events.flat_map(|(_, label, text, categories)| {
        [
            note(LABEL, &[("value", (*label).to_owned())]),
            note(DESCRIPTION, &[("value", (*text).to_owned())]),
            of_categories(categories),
        ]
    });
    let fields = line.split_once(": ").map(|(_, fields)| fields.split(", "));
    Element::new("class", &attributes)
        .with(about)
        .with(fields.into_iter().flatten().map(field))
}

/// `name type`, and its meaning.
fn field(text: &str) -> Element {
    let mut words = text.split(' ');
    let [name, ty, meaning] = std::array::from_fn(|_| words.next().unwrap_or_default());
    let class = ty.trim_start_matches(['*', '[', ']']);
    let is_it = |[_, _, name]: &[&str; 3]| name.rsplit('.').next() == Some(class);
    let id = CLASSES
        .lines()
        .map(head)
        .find(is_it)
        .map_or("", |[_, id, _]| id);
    let mut attributes = vec![("name", name.to_owned()), ("class", id.to_owned())];
    if ty.starts_with('*') {
        attributes.push(("constantPool", "true".to_owned()));
    }
    if ty.starts_with("[]") {
        attributes.push(("dimension", "1".to_owned()));
    }
    let meaning = match meaning {
        "ticks" => Some((TIMESTAMP, "TICKS")),
        "span" => Some((TIMESPAN, "TICKS")),
        "bytes" => Some((DATA_AMOUNT, "BYTES")),
        _ => None,
    };
    let notes = meaning.map(|(id, value)| note(id, &[("value", value.to_owned())]));
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
