//! Gates: conditions under which a diff fails, for CI.
//!
//! ```text
//! gate      = metric [ "[" scope "]" ] ( ">" | ">=" ) limit
//! metric    = "count" | "bytes"
//! scope     = a package or class: its own allocations and those of its calls, each object once. Without: the whole run
//!           | class "." method "()" a site: what methods of this name make, and what libraries make for their calls
//! limit     = "+" number "%"        growth against the first run, in percent
//!           | "+" number [ unit ]   growth, in objects or bytes
//!           | number [ unit ]       the second run alone: a budget
//! unit      = "k" | "M" | "G" (powers of 1000) | "Ki" | "Mi" | "Gi" (of 1024), and "B" after it for bytes
//!
//! count>+5%    bytes>+1M    count[com.acme]>+0    bytes[com.acme.db]>=64Mi    count[com.acme.Parser.next()]>0
//! ```
//! Limits are kept as whole millionths and compared without rounding.

use std::fmt;
use std::str::FromStr;

const MILLION: i128 = 1_000_000;

/// One condition that must not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    pub(super) text: String,
    pub(super) metric: Metric,
    pub(super) scope: Option<Scope>,
    or_equal: bool,
    pub(super) limit: Limit,
    /// A scope that occurs in neither run is within the limit.
    pub(super) may_be_absent: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metric {
    Count,
    Bytes,
}

/// Which allocations of a run a gate is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A package or class, and its calls.
    Package(String),
    /// Methods of a name.
    Site(SiteScope),
}

/// `com.acme.Parser.next()`
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SiteScope {
    class: String,
    method: String,
}

impl SiteScope {
    /// Whether the methods are meant.
    pub(super) fn has(&self, class: &str, method: &str) -> bool {
        class == self.class && method == self.method
    }
}

impl fmt::Display for SiteScope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}()", self.class, self.method)
    }
}

/// In millionths of a percent, an object or a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Limit {
    GrowthPercent(i128),
    Growth(i128),
    Budget(i128),
}

/// Why a text is no gate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GateError {
    /// There is no `>`.
    NoComparison,
    /// The metric is neither `count` nor `bytes`.
    Metric(String),
    /// The scope does not end with `]`, or is empty.
    Scope(String),
    /// The limit is no number.
    Number(String),
    /// The unit is none of the known ones, or bytes for a count.
    Unit(String),
}

impl Gate {
    /// The gate of a file that other programs obey too: a scope that occurs in neither run is within the limit, not misspelt.
    #[must_use]
    pub fn of_shared_file(self) -> Self {
        Self {
            may_be_absent: true,
            ..self
        }
    }

    /// `growth in percent > limit` is `growth * 100 > limit * before`: from nothing, any growth is over any percentage.
    pub(super) fn is_over(&self, before: i128, after: i128) -> bool {
        let growth = after - before;
        let (value, limit) = match self.limit {
            Limit::GrowthPercent(percent) => {
                (growth * 100 * MILLION, percent.saturating_mul(before))
            }
            Limit::Growth(number) => (growth * MILLION, number),
            Limit::Budget(number) => (after * MILLION, number),
        };
        value > limit || (self.or_equal && value == limit)
    }
}

impl FromStr for Gate {
    type Err = GateError;

    fn from_str(text: &str) -> Result<Self, GateError> {
        let (subject, limit) = text.split_once('>').ok_or(GateError::NoComparison)?;
        let (or_equal, limit) = match limit.strip_prefix('=') {
            Some(limit) => (true, limit),
            None => (false, limit),
        };
        let (metric, scope) = parse_subject(subject.trim())?;
        Ok(Self {
            text: text.trim().to_owned(),
            metric,
            scope,
            or_equal,
            limit: parse_limit(limit.trim(), metric)?,
            may_be_absent: false,
        })
    }
}

fn parse_subject(subject: &str) -> Result<(Metric, Option<Scope>), GateError> {
    let (name, scope) = match subject.split_once('[') {
        None => (subject, None),
        Some((name, rest)) => {
            let scope = rest
                .strip_suffix(']')
                .map(str::trim)
                .filter(|scope| !scope.is_empty());
            (
                name,
                Some(
                    scope
                        .and_then(parse_scope)
                        .ok_or_else(|| GateError::Scope(rest.to_owned()))?,
                ),
            )
        }
    };
    match name.trim() {
        "count" => Ok((Metric::Count, scope)),
        "bytes" => Ok((Metric::Bytes, scope)),
        other => Err(GateError::Metric(other.to_owned())),
    }
}

fn parse_scope(scope: &str) -> Option<Scope> {
    match scope.strip_suffix("()") {
        None => Some(Scope::Package(scope.to_owned())),
        Some(site) => {
            let (class, method) = site.rsplit_once('.')?;
            let is_whole = !class.is_empty() && !method.is_empty();
            is_whole.then(|| {
                Scope::Site(SiteScope {
                    class: class.to_owned(),
                    method: method.to_owned(),
                })
            })
        }
    }
}

fn parse_limit(limit: &str, metric: Metric) -> Result<Limit, GateError> {
    let growth = limit.strip_prefix('+');
    let rest = growth.unwrap_or(limit);
    if let Some(percent) = rest.strip_suffix('%') {
        return match growth {
            Some(_) => parse_millionths(percent.trim(), 1).map(Limit::GrowthPercent),
            None => Err(GateError::Number(format!(
                "{limit} (a percentage needs a +)"
            ))),
        };
    }
    let at = rest
        .find(|c: char| !(c.is_ascii_digit() || c == '.'))
        .unwrap_or(rest.len());
    let (number, unit) = rest.split_at(at);
    let value = parse_millionths(number, unit_factor(unit.trim(), metric)?)?;
    Ok(if growth.is_some() {
        Limit::Growth(value)
    } else {
        Limit::Budget(value)
    })
}

fn unit_factor(unit: &str, metric: Metric) -> Result<i128, GateError> {
    let bare = match (metric, unit.strip_suffix('B')) {
        (Metric::Bytes, Some(bare)) => bare,
        _ => unit,
    };
    match bare {
        "" => Ok(1),
        "k" | "K" => Ok(1_000),
        "M" => Ok(1_000_000),
        "G" => Ok(1_000_000_000),
        "Ki" => Ok(1 << 10),
        "Mi" => Ok(1 << 20),
        "Gi" => Ok(1 << 30),
        _ => Err(GateError::Unit(unit.to_owned())),
    }
}

/// A decimal number times the factor, in millionths; digits beyond the sixth are refused, not rounded.
fn parse_millionths(number: &str, factor: i128) -> Result<i128, GateError> {
    let bad = || GateError::Number(number.to_owned());
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !digits(whole) || !digits(fraction) || whole.len() > 15 || fraction.len() > 6 {
        return Err(bad());
    }
    let whole: i128 = whole.parse().map_err(|_| bad())?;
    let fraction: i128 = format!("{fraction:0<6}").parse().map_err(|_| bad())?;
    Ok((whole * MILLION + fraction) * factor)
}

impl fmt::Display for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoComparison => f.write_str("there is no '>'; a gate looks like count>+5%"),
            Self::Metric(name) => write!(f, "'{name}' is no metric; use count or bytes"),
            Self::Scope(scope) => write!(
                f,
                "'[{scope}' is no scope; use [com.acme], or [com.acme.Parser.next()] for a method"
            ),
            Self::Number(number) => {
                write!(
                    f,
                    "'{number}' is no limit; use +5% or +1000 (growth), or 64Mi (a budget for the second run alone)"
                )
            }
            Self::Unit(unit) => write!(
                f,
                "'{unit}' is no unit here; use k, M, G, Ki, Mi, Gi (and B for bytes)"
            ),
        }
    }
}

impl std::error::Error for GateError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_gate_says_why() {
        for (text, error) in [
            ("count", GateError::NoComparison),
            ("size>+5%", GateError::Metric("size".into())),
            ("count[>+5%", GateError::Scope("".into())),
            ("count[]>+5%", GateError::Scope("]".into())),
            ("count[next()]>0", GateError::Scope("next()]".into())),
            ("count>", GateError::Number(String::new())),
            ("count>+x%", GateError::Number("x".into())),
            (
                "count>5%",
                GateError::Number("5% (a percentage needs a +)".into()),
            ),
            ("count>5B", GateError::Unit("B".into())),
            ("bytes>5T", GateError::Unit("T".into())),
            (
                "count>99999999999999999999",
                GateError::Number("99999999999999999999".into()),
            ),
        ] {
            assert_eq!(text.parse::<Gate>(), Err(error), "{text}");
        }
    }
}
