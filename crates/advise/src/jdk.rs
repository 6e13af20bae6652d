//! Knowledge about methods of the JDK: which make iterators, copies or text, and which grow an array.

use ducktrack_count_model::is_of_jdk;

/// A method of the JDK by the internal name of its class, and its name.
pub(crate) type Method<'a> = (&'a str, &'a str);

/// Methods in which a collection or builder replaces its array by a larger one.
const GROWING: &[Method<'static>] = &[
    ("java/util/ArrayList", "grow"),
    ("java/util/Vector", "grow"),
    ("java/util/PriorityQueue", "grow"),
    ("java/util/ArrayDeque", "grow"),
    ("java/util/ArrayDeque", "doubleCapacity"),
    ("java/util/HashMap", "resize"),
    ("java/util/IdentityHashMap", "resize"),
    ("java/util/WeakHashMap", "resize"),
    ("java/util/Hashtable", "rehash"),
    ("java/util/concurrent/ConcurrentHashMap", "transfer"),
    ("java/io/ByteArrayOutputStream", "grow"),
    ("java/io/ByteArrayOutputStream", "ensureCapacity"),
    ("java/lang/AbstractStringBuilder", "ensureCapacityInternal"),
    ("java/lang/AbstractStringBuilder", "ensureCapacityNewCoder"),
    ("java/lang/AbstractStringBuilder", "expandCapacity"),
];

/// Methods during which classes are loaded, linked or initialized: their allocations happen once.
const ONCE: &[Method<'static>] = &[
    ("java/lang/ClassLoader", "loadClass"),
    ("java/lang/ClassLoader", "defineClass"),
    ("java/lang/Class", "forName"),
    ("java/lang/Class", "forName0"),
    ("java/lang/invoke/MethodHandleNatives", "linkCallSite"),
    ("java/lang/invoke/MethodHandleNatives", "linkMethod"),
    (
        "java/lang/invoke/MethodHandleNatives",
        "linkDynamicConstant",
    ),
    (
        "java/lang/invoke/MethodHandleNatives",
        "linkMethodHandleConstant",
    ),
    ("java/lang/invoke/MethodHandles", "lookup"),
];

/// Classes whose objects are dear to make and are used again and again.
const COSTLY: &[&str] = &[
    "java/text/SimpleDateFormat",
    "java/text/DecimalFormat",
    "java/text/MessageFormat",
    "java/text/ChoiceFormat",
    "java/text/DecimalFormatSymbols",
    "java/text/DateFormatSymbols",
    "java/security/SecureRandom",
    "java/util/jar/JarFile",
    "java/util/zip/Deflater",
    "java/util/zip/Inflater",
    "java/util/zip/ZipFile",
];

/// Methods that make such objects.
const COSTLY_FACTORIES: &[Method<'static>] = &[
    ("java/text/NumberFormat", "getInstance"),
    ("java/text/NumberFormat", "getIntegerInstance"),
    ("java/text/NumberFormat", "getNumberInstance"),
    ("java/text/NumberFormat", "getPercentInstance"),
    ("java/text/NumberFormat", "getCurrencyInstance"),
    ("java/text/DateFormat", "getDateInstance"),
    ("java/text/DateFormat", "getTimeInstance"),
    ("java/text/DateFormat", "getDateTimeInstance"),
    ("java/text/Collator", "getInstance"),
    ("java/text/BreakIterator", "getWordInstance"),
    ("java/time/format/DateTimeFormatter", "ofPattern"),
    ("java/time/format/DateTimeFormatterBuilder", "toFormatter"),
    ("java/security/MessageDigest", "getInstance"),
    ("javax/crypto/Cipher", "getInstance"),
    ("javax/crypto/Mac", "getInstance"),
    ("javax/xml/parsers/DocumentBuilderFactory", "newInstance"),
    ("javax/xml/parsers/SAXParserFactory", "newInstance"),
    ("javax/xml/stream/XMLInputFactory", "newInstance"),
    ("javax/xml/transform/TransformerFactory", "newInstance"),
    ("javax/xml/xpath/XPathFactory", "newInstance"),
];

/// Whether a call makes an object that is dear to make.
pub(crate) fn is_costly((class, name): Method<'_>) -> bool {
    name == "<init>" && COSTLY.contains(&class) || COSTLY_FACTORIES.contains(&(class, name))
}

/// The same of an object's type, as a descriptor.
pub(crate) fn is_costly_type(ty: &str) -> bool {
    let class = ty.strip_prefix('L').and_then(|ty| ty.strip_suffix(';'));
    class.is_some_and(|class| COSTLY.contains(&class))
}

/// Whether the method makes an exception, or a part of one.
pub(crate) fn is_of_exception((class, _): Method<'_>) -> bool {
    class == "java/lang/Throwable" || class.ends_with("Exception") || class.ends_with("Error")
}

/// Whether the class puts text together piece by piece.
pub(crate) fn is_builder(class: &str) -> bool {
    matches!(
        class,
        "java/lang/StringBuilder" | "java/lang/StringBuffer" | "java/lang/AbstractStringBuilder"
    )
}

pub(crate) fn grows((class, name): Method<'_>) -> bool {
    GROWING.contains(&(class, name))
}

/// Whether a constructor takes over the elements of another collection by it.
pub(crate) fn takes_over((class, name): Method<'_>) -> bool {
    is_collection(class)
        && matches!(
            name,
            "toArray" | "addAll" | "putAll" | "putMapEntries" | "copyElements"
        )
}

pub(crate) fn happens_once((class, name): Method<'_>) -> bool {
    ONCE.contains(&(class, name)) || name == "<clinit>"
}

/// Whether the class is a collection, or has some: a class of `java.util` itself.
pub(crate) fn is_collection(class: &str) -> bool {
    class
        .strip_prefix("java/util/")
        .is_some_and(|rest| !rest.contains('/') || rest.starts_with("concurrent/"))
}

/// Whether elements can be asked for by their index as fast as by an iterator: the class whose `iterator` was executed, and the called one.
pub(crate) fn is_indexed(class: &str, called: &str) -> bool {
    let is_list = matches!(
        class,
        "java/util/ArrayList"
            | "java/util/ArrayList$SubList"
            | "java/util/Arrays$ArrayList"
            | "java/util/AbstractList"
            | "java/util/Vector"
            | "java/util/concurrent/CopyOnWriteArrayList"
    ) || class.starts_with("java/util/ImmutableCollections$AbstractImmutableList");
    let hides_it = matches!(
        called,
        "java/util/Collection" | "java/lang/Iterable" | "java/util/AbstractCollection"
    ) || !is_of_jdk(called);
    is_list && !hides_it
}

pub(crate) fn makes_iterator(name: &str) -> bool {
    matches!(
        name,
        "iterator" | "listIterator" | "descendingIterator" | "keys" | "elements"
    )
}

pub(crate) fn is_stream((class, name): Method<'_>) -> bool {
    class.starts_with("java/util/stream/")
        || class.starts_with("java/util/")
            && matches!(name, "stream" | "parallelStream" | "spliterator")
        || class == "java/lang/CharSequence" && matches!(name, "chars" | "codePoints")
}

pub(crate) fn is_optional(class: &str) -> bool {
    class.starts_with("java/util/Optional")
}

pub(crate) fn is_regex((class, name): Method<'_>) -> bool {
    class.starts_with("java/util/regex/")
        || class == "java/lang/String"
            && matches!(name, "split" | "replaceAll" | "replaceFirst" | "matches")
}

pub(crate) fn copies((class, name): Method<'_>) -> bool {
    match name {
        "toArray" | "clone" | "subList" => true,
        // `Arrays.copyOf` in the program's own code makes an array larger or shorter.
        "copyOf" => class != "java/util/Arrays",
        "getParameterTypes"
        | "getExceptionTypes"
        | "getParameters"
        | "getInterfaces"
        | "getMethods"
        | "getDeclaredMethods"
        | "getFields"
        | "getDeclaredFields"
        | "getConstructors"
        | "getDeclaredConstructors" => {
            class == "java/lang/Class" || class.starts_with("java/lang/reflect/")
        }
        "getBytes" | "toCharArray" => class == "java/lang/String",
        _ => false,
    }
}

/// Methods that put text together. Parts of a text (`substring`) and other forms of it are wanted by their caller.
pub(crate) fn makes_text((class, name): Method<'_>) -> bool {
    match class {
        "java/lang/String" => {
            matches!(name, "format" | "formatted" | "valueOf" | "join" | "concat")
        }
        // What a builder appends is no text of its own.
        class if is_builder(class) => matches!(name, "<init>" | "toString"),
        "java/lang/invoke/StringConcatFactory"
        | "java/util/StringJoiner"
        | "java/util/Formatter" => true,
        "java/util/Arrays" => matches!(name, "toString" | "deepToString"),
        // The text of a large number is what its caller wants, and the rest is how it is computed.
        class if class.starts_with("java/math/") => false,
        _ => name == "toString" || class.starts_with("java/text/") && name == "format",
    }
}

/// Whether a call puts its variable arguments into a pattern.
pub(crate) fn formats((class, name): Method<'_>) -> bool {
    matches!(
        (class, name),
        (
            "java/lang/String" | "java/text/MessageFormat" | "java/util/Formatter",
            "format"
        ) | ("java/lang/String", "formatted")
    )
}

/// The class of a box, by its descriptor.
pub(crate) fn is_box(ty: &str) -> bool {
    matches!(
        ty,
        "Ljava/lang/Integer;"
            | "Ljava/lang/Long;"
            | "Ljava/lang/Short;"
            | "Ljava/lang/Byte;"
            | "Ljava/lang/Character;"
            | "Ljava/lang/Float;"
            | "Ljava/lang/Double;"
            | "Ljava/lang/Boolean;"
    )
}
