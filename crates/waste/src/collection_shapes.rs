//! The layouts of collections that are known: where each keeps its size and its table, and of what else it is made.

use ducktrack_heap_dump::{ClassIndex, ClassTable};

/// How a collection is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    List,
    Map,
    ConcurrentMap,
    Set,
    Deque,
    Queue,
    /// Characters, with an encoding.
    Builder,
    /// Bytes.
    Buffer,
}

/// Where the number of elements is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// In this field.
    Field(&'static str),
    /// Each element that is not null in the table.
    Elements,
    /// Each part of these classes.
    Nodes(&'static [&'static str]),
    /// In the collection that the table field refers to.
    Inner,
}

/// The layout of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The class that declares the fields.
    pub(crate) class: &'static str,
    pub(crate) family: Family,
    pub(crate) count: Count,
    /// The field with the table, or the collection inside; empty: there is none.
    pub(crate) table: &'static str,
    /// Where the table is not made with the first element, but with the collection.
    pub(crate) has_table_at_once: bool,
    /// A field that decides how large the table must be: the load factor of a map, the encoding of a builder.
    pub(crate) scale: &'static str,
    /// Classes of nodes, views and tables of tables.
    pub(crate) parts: &'static [&'static str],
}

const fn array(
    class: &'static str,
    family: Family,
    table: &'static str,
    size: &'static str,
) -> Shape {
    Shape {
        class,
        family,
        count: Count::Field(size),
        table,
        has_table_at_once: false,
        scale: "",
        parts: &[],
    }
}

const fn inside(class: &'static str, family: Family, table: &'static str) -> Shape {
    Shape {
        count: Count::Inner,
        ..array(class, family, table, "")
    }
}

const fn nodes(
    class: &'static str,
    family: Family,
    size: &'static str,
    parts: &'static [&'static str],
) -> Shape {
    Shape {
        parts,
        ..array(class, family, "", size)
    }
}

const HASH_MAP: Shape = Shape {
    scale: "loadFactor",
    parts: &[
        "java/util/HashMap$Node",
        "java/util/HashMap$TreeNode",
        "java/util/LinkedHashMap$Entry",
        "java/util/HashMap$KeySet",
        "java/util/HashMap$Values",
        "java/util/HashMap$EntrySet",
        "java/util/LinkedHashMap$LinkedKeySet",
        "java/util/LinkedHashMap$LinkedValues",
        "java/util/LinkedHashMap$LinkedEntrySet",
    ],
    ..array("java/util/HashMap", Family::Map, "table", "size")
};

const CONCURRENT_NODES: &[&str] = &[
    "java/util/concurrent/ConcurrentHashMap$Node",
    "java/util/concurrent/ConcurrentHashMap$TreeNode",
];

const CONCURRENT_HASH_MAP: Shape = Shape {
    count: Count::Nodes(CONCURRENT_NODES),
    parts: &[
        "java/util/concurrent/ConcurrentHashMap$Node",
        "java/util/concurrent/ConcurrentHashMap$TreeNode",
        "java/util/concurrent/ConcurrentHashMap$TreeBin",
        "java/util/concurrent/ConcurrentHashMap$CounterCell",
        "[Ljava/util/concurrent/ConcurrentHashMap$CounterCell;",
        "java/util/concurrent/ConcurrentHashMap$KeySetView",
        "java/util/concurrent/ConcurrentHashMap$ValuesView",
        "java/util/concurrent/ConcurrentHashMap$EntrySetView",
    ],
    ..array(
        "java/util/concurrent/ConcurrentHashMap",
        Family::ConcurrentMap,
        "table",
        "",
    )
};

const fn at_once(shape: Shape) -> Shape {
    Shape {
        has_table_at_once: true,
        ..shape
    }
}

/// All that are known; a class has the first one that it is a subclass of.
pub(crate) const SHAPES: [Shape; 33] = [
    array("java/util/ArrayList", Family::List, "elementData", "size"),
    array(
        "java/util/Vector",
        Family::List,
        "elementData",
        "elementCount",
    ),
    nodes(
        "java/util/LinkedList",
        Family::List,
        "size",
        &["java/util/LinkedList$Node"],
    ),
    Shape {
        count: Count::Elements,
        parts: &["java/lang/Object"],
        ..at_once(array(
            "java/util/concurrent/CopyOnWriteArrayList",
            Family::List,
            "array",
            "",
        ))
    },
    HASH_MAP,
    CONCURRENT_HASH_MAP,
    nodes(
        "java/util/TreeMap",
        Family::Map,
        "size",
        &[
            "java/util/TreeMap$Entry",
            "java/util/TreeMap$EntrySet",
            "java/util/TreeMap$KeySet",
            "java/util/TreeMap$Values",
        ],
    ),
    Shape {
        scale: "loadFactor",
        parts: &["java/util/Hashtable$Entry"],
        ..at_once(array("java/util/Hashtable", Family::Map, "table", "count"))
    },
    at_once(array(
        "java/util/IdentityHashMap",
        Family::Map,
        "table",
        "size",
    )),
    Shape {
        scale: "loadFactor",
        parts: &[
            "java/util/WeakHashMap$Entry",
            "java/lang/ref/ReferenceQueue",
            "java/lang/ref/ReferenceQueue$Lock",
            "java/util/concurrent/locks/ReentrantLock",
            "java/util/concurrent/locks/ReentrantLock$NonfairSync",
            "java/util/concurrent/locks/AbstractQueuedSynchronizer$ConditionObject",
        ],
        ..at_once(array("java/util/WeakHashMap", Family::Map, "table", "size"))
    },
    inside("java/util/HashSet", Family::Set, "map"),
    inside("java/util/TreeSet", Family::Set, "m"),
    inside(
        "java/util/concurrent/CopyOnWriteArraySet",
        Family::Set,
        "al",
    ),
    inside("java/util/Collections$SetFromMap", Family::Set, "m"),
    inside(
        "java/util/concurrent/ConcurrentHashMap$CollectionView",
        Family::Set,
        "map",
    ),
    Shape {
        count: Count::Elements,
        ..at_once(array("java/util/ArrayDeque", Family::Deque, "elements", ""))
    },
    at_once(array(
        "java/util/PriorityQueue",
        Family::Queue,
        "queue",
        "size",
    )),
    Shape {
        scale: "coder",
        ..at_once(array(
            "java/lang/AbstractStringBuilder",
            Family::Builder,
            "value",
            "count",
        ))
    },
    at_once(array(
        "java/io/ByteArrayOutputStream",
        Family::Buffer,
        "buf",
        "count",
    )),
    // Of libraries, by the fields that they declare.
    array(
        "it/unimi/dsi/fastutil/objects/ObjectArrayList",
        Family::List,
        "a",
        "size",
    ),
    array(
        "it/unimi/dsi/fastutil/ints/IntArrayList",
        Family::List,
        "a",
        "size",
    ),
    array(
        "it/unimi/dsi/fastutil/longs/LongArrayList",
        Family::List,
        "a",
        "size",
    ),
    array(
        "it/unimi/dsi/fastutil/doubles/DoubleArrayList",
        Family::List,
        "a",
        "size",
    ),
    array(
        "it/unimi/dsi/fastutil/floats/FloatArrayList",
        Family::List,
        "a",
        "size",
    ),
    array(
        "it/unimi/dsi/fastutil/shorts/ShortArrayList",
        Family::List,
        "a",
        "size",
    ),
    array(
        "it/unimi/dsi/fastutil/bytes/ByteArrayList",
        Family::List,
        "a",
        "size",
    ),
    array(
        "it/unimi/dsi/fastutil/chars/CharArrayList",
        Family::List,
        "a",
        "size",
    ),
    array(
        "scala/collection/mutable/ArrayBuffer",
        Family::List,
        "array",
        "size0",
    ),
    array(
        "kotlin/collections/ArrayDeque",
        Family::Deque,
        "elementData",
        "size",
    ),
    array(
        "kotlin/collections/builders/ListBuilder",
        Family::List,
        "backing",
        "length",
    ),
    array(
        "com/google/common/collect/CompactHashSet",
        Family::Set,
        "elements",
        "",
    ),
    array(
        "com/carrotsearch/hppc/IntArrayList",
        Family::List,
        "buffer",
        "elementsCount",
    ),
    array(
        "com/carrotsearch/hppc/ObjectArrayList",
        Family::List,
        "buffer",
        "elementsCount",
    ),
];

/// Classes that inherit a layout and keep their elements elsewhere.
const OTHERWISE: [&str; 1] = ["java/util/Properties"];

/// A shape, by its place in [`SHAPES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ShapeNumber(pub(crate) u8);

impl ShapeNumber {
    /// The shape of a class's instances.
    pub(crate) fn of(classes: &ClassTable, class: ClassIndex) -> Option<Self> {
        if OTHERWISE.iter().any(|name| classes.is_a(class, name)) {
            return None;
        }
        let place = SHAPES
            .iter()
            .position(|shape| classes.is_a(class, shape.class))?;
        u8::try_from(place).ok().map(Self)
    }

    pub(crate) fn shape(self) -> &'static Shape {
        SHAPES.get(usize::from(self.0)).unwrap_or(&HASH_MAP)
    }
}
