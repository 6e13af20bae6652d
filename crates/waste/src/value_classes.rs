//! Classes whose instances are values: two that are equal can be one. Boxes,
//! decimals, times and the like of the JDK by name; records by what a record is.

use ducktrack_heap_dump::{ClassField, ClassIndex, ClassTable, ValueType};

use crate::kind::{Advice, Kind};

/// A class of values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueClass {
    pub(crate) kind: Kind,
    /// Fields that are worked out from the others when they are first needed.
    derived: &'static [&'static str],
    /// Classes of parts that belong to the value alone.
    pub(crate) parts: &'static [&'static str],
}

const fn value(
    name: &'static str,
    derived: &'static [&'static str],
    parts: &'static [&'static str],
) -> ValueClass {
    ValueClass {
        kind: Kind::new(name, Advice::Deduplicate),
        derived,
        parts,
    }
}

const BOX: ValueClass = value("equal-boxes", &[], &[]);
const DATE: ValueClass = value("equal-dates", &[], &[]);
const DATE_TIME: ValueClass = value(
    "equal-date-times",
    &[],
    &[
        "java/time/LocalDate",
        "java/time/LocalTime",
        "java/time/LocalDateTime",
    ],
);
const RECORD: ValueClass = value("equal-records", &[], &[]);

const OF_JDK: [(&str, ValueClass); 26] = [
    ("java/lang/Boolean", BOX),
    ("java/lang/Byte", BOX),
    ("java/lang/Character", BOX),
    ("java/lang/Short", BOX),
    ("java/lang/Integer", BOX),
    ("java/lang/Long", BOX),
    ("java/lang/Float", BOX),
    ("java/lang/Double", BOX),
    (
        "java/math/BigDecimal",
        value(
            "equal-decimals",
            &["precision", "stringCache"],
            &["java/math/BigInteger"],
        ),
    ),
    (
        "java/math/BigInteger",
        value(
            "equal-big-integers",
            &[
                "bitCountPlusOne",
                "bitLengthPlusOne",
                "lowestSetBitPlusTwo",
                "firstNonzeroIntNumPlusTwo",
                "bitCount",
                "bitLength",
                "lowestSetBit",
                "firstNonzeroIntNum",
            ],
            &["[I"],
        ),
    ),
    ("java/time/LocalDate", DATE),
    ("java/time/YearMonth", DATE),
    ("java/time/Year", DATE),
    ("java/time/MonthDay", DATE),
    ("java/time/LocalTime", value("equal-times", &[], &[])),
    ("java/time/LocalDateTime", DATE_TIME),
    ("java/time/OffsetDateTime", DATE_TIME),
    ("java/time/ZonedDateTime", DATE_TIME),
    ("java/time/OffsetTime", DATE_TIME),
    ("java/time/Instant", value("equal-instants", &[], &[])),
    ("java/time/Duration", value("equal-durations", &[], &[])),
    ("java/time/Period", value("equal-periods", &[], &[])),
    ("java/util/UUID", value("equal-uuids", &[], &[])),
    ("java/util/OptionalInt", value("equal-optionals", &[], &[])),
    ("java/util/OptionalLong", value("equal-optionals", &[], &[])),
    (
        "java/util/OptionalDouble",
        value("equal-optionals", &[], &[]),
    ),
];

impl ValueClass {
    /// Whether the instances of a class are values.
    pub(crate) fn of(classes: &ClassTable, class: ClassIndex) -> Option<Self> {
        let name = classes.name(class);
        let known = OF_JDK.iter().find(|(known, _)| *known == name);
        let known = known.map(|(_, class)| *class);
        known.or_else(|| classes.is_a(class, "java/lang/Record").then_some(RECORD))
    }

    /// The fields by which two of them are equal.
    pub(crate) fn fields(self, classes: &ClassTable, class: ClassIndex) -> Vec<ClassField> {
        let mut fields = classes.fields(class);
        fields.retain(|field| !self.derived.contains(&classes.string(field.name)));
        fields
    }

    /// True if a reference to an object of this class can be a derived field only.
    pub(crate) fn is_derived(self, class: &str) -> bool {
        self.derived.contains(&"stringCache") && class == "java/lang/String"
    }
}

/// The primitive type in a box, by the class's name.
pub(crate) fn boxed(class: &str) -> Option<ValueType> {
    Some(match class {
        "java/lang/Boolean" => ValueType::Boolean,
        "java/lang/Byte" => ValueType::Byte,
        "java/lang/Character" => ValueType::Char,
        "java/lang/Short" => ValueType::Short,
        "java/lang/Integer" => ValueType::Int,
        "java/lang/Long" => ValueType::Long,
        "java/lang/Float" => ValueType::Float,
        "java/lang/Double" => ValueType::Double,
        _ => return None,
    })
}
