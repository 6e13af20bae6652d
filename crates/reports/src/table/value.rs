//! A figure with its unit, and its form in text, in CSV and on a page.

use serde::{Serialize, Serializer};

use crate::json::AmountDoc;
use crate::quantity::{
    bytes, counted, grouped, micros, objects, percent, share, short_bytes, tenths,
};

/// The unit of a column. On a page, a function of this name writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) enum Unit {
    /// Names and pictures, on the left; all others are numbers.
    Text,
    /// A number in words: `31 or more`
    Number,
    /// `1,234`
    Count,
    /// `1,234 obj`
    Objects,
    /// `1,234 B`
    Bytes,
    /// `1.2 kB`; exact in CSV
    ShortBytes,
    /// `1.2 kB/s`
    BytesPerSecond,
    /// `1,234 calls`
    Calls,
    /// `26.2 B`: bytes of an object
    Average,
    /// Objects and bytes: `1.2 kB`, and on a page the one that is chosen
    Amount,
    /// The same, exact
    ExactAmount,
    /// `12.3 %`
    Share,
    /// Microseconds: `12.3 ms`
    Duration,
    /// Microseconds since the start: `1.234 s`
    Moment,
}

/// A cell.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// A figure that is not known.
    Unknown,
    /// The row has no such figure.
    Absent,
    Whole(i128),
    Real(f64),
    Share {
        part: i128,
        whole: i128,
    },
    Amount(AmountDoc),
    Text(String),
}

impl Unit {
    pub(crate) fn is_number(self) -> bool {
        self != Self::Text
    }
}

impl Value {
    pub(crate) fn share(part: impl Into<i128>, whole: impl Into<i128>) -> Self {
        let (part, whole) = (part.into(), whole.into());
        Self::Share { part, whole }
    }

    pub(super) fn in_text(self, unit: Unit) -> String {
        // Sizes are far below the limit of u64.
        let short = |size: i128| short_bytes(size.unsigned_abs() as u64);
        match self {
            Self::Unknown => "-".to_owned(),
            Self::Absent => String::new(),
            Self::Text(text) => text,
            Self::Share { part, whole } => share(part, whole),
            Self::Amount(amount) if unit == Unit::ExactAmount => bytes(amount.bytes),
            Self::Amount(amount) => short(amount.bytes.into()),
            Self::Real(value) => match unit {
                Unit::BytesPerSecond => format!("{}/s", short(value as i128)),
                Unit::ShortBytes => short(value.max(0.0) as i128),
                Unit::Average => format!("{} B", tenths(value)),
                Unit::Share => share((value * 1e6) as i128, 1_000_000),
                _ => tenths(value),
            },
            Self::Whole(value) => match unit {
                Unit::Objects => objects(value),
                Unit::Bytes => bytes(value),
                Unit::ShortBytes => short(value),
                Unit::Calls => counted(value, "call"),
                Unit::Duration => micros(value.unsigned_abs() as u64),
                Unit::Moment => format!("{:.3} s", value as f64 / 1e6),
                _ => grouped(value),
            },
        }
    }

    pub(super) fn in_csv(self, unit: Unit) -> String {
        match self {
            Self::Unknown | Self::Absent => String::new(),
            Self::Text(text) => text,
            Self::Share { part, whole } => {
                percent(part, whole).map_or_else(String::new, |percent| (percent / 1e2).to_string())
            }
            Self::Amount(amount) => amount.bytes.to_string(),
            Self::Real(value) if unit == Unit::BytesPerSecond => format!("{value:.0}"),
            Self::Real(value) => value.to_string(),
            Self::Whole(value) => value.to_string(),
        }
    }
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Unknown => serializer.serialize_none(),
            Self::Absent => serializer.serialize_str(""),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Share { part, whole } => percent(*part, *whole)
                .map(|percent| percent / 1e2)
                .serialize(serializer),
            Self::Amount(amount) => [amount.count, amount.bytes].serialize(serializer),
            Self::Real(value) => serializer.serialize_f64(*value),
            Self::Whole(value) => serializer.serialize_i128(*value),
        }
    }
}

impl<V: Into<Value>> From<Option<V>> for Value {
    fn from(value: Option<V>) -> Self {
        value.map_or(Self::Unknown, Into::into)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

macro_rules! from {
    ($($from:ty => $value:expr),+ $(,)?) => {$(
        impl From<$from> for Value {
            fn from(value: $from) -> Self {
                $value(value.into())
            }
        }
    )+};
}

from!(
    String => Value::Text, AmountDoc => Value::Amount, f64 => Value::Real,
    u64 => Value::Whole, i128 => Value::Whole,  i64 => Value::Whole, u32 => Value::Whole, u16 => Value::Whole,
);

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Text(value.to_string())
    }
}
