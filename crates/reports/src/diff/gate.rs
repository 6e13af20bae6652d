//! Gates: conditions under which a diff fails, for CI.
//!
//! ```text
//! gate      = metric [ "[" scope "]" ] ( ">" | ">=" ) limit
//! metric    = "count" | "bytes" | "native"
//!             objects, bytes of objects, bytes of memory outside of the heap: what is made, whether or not it is released
//! scope     = a package or class: its own allocations and those of its calls, each object once. Without: the whole run
//!           | "context:" [ kind ":" ] name         what is made in contexts of this name; `*` stands for any text
//!           | class "." method "()" a site: what methods of this name make, and what libraries make for their calls
//! limit     = limit " per execution"  of contexts: divided by how often they were executed
//!           | "+" number "%"        growth against the first run, in percent
//!           | "+" number [ unit ]   growth, in objects or bytes
//!           | number [ unit ]       the second run alone: a budget
//! unit      = "k" | "M" | "G" (powers of 1000) | "Ki" | "Mi" | "Gi" (of 1024), and "B" after it for bytes
//!
//! count>+5%    bytes>+1M    native[com.acme]>+0    count[com.acme]>+0    bytes[com.acme.db]>=64Mi    count[com.acme.Parser.next()]>0
//! ```
//! Limits are kept as whole millionths and compared without rounding.

use std::fmt;
use std::str::FromStr;

const MILLION: i128 = 1_000_000;
/// Before the name of a context in a scope.
const CONTEXT_PREFIX: &str = "context:";
const CONTEXT: &str = "[context:";
const PER_EXECUTION: &str = " per execution";

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
    /// Divided by how often its contexts were executed.
    pub(super) is_per_execution: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Metric {
    Count,
    Bytes,
    /// Bytes outside of the heap.
    Native,
}

/// Which allocations of a run a gate is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// A package or class, and its calls.
    Package(String),
    /// Methods of a name.
    Site(SiteScope),
    /// Contexts of a name.
    Context(String),
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
    /// The metric is none of `count`, `bytes` and `native`.
    Metric(String),
    /// The scope does not end with `]`, or is empty.
    Scope(String),
    /// The limit is no number.
    Number(String),
    /// Only contexts have executions.
    NoExecutions,
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

    /// The same for numbers that are divided: a quotient is not rounded.
    pub(super) fn is_over_each(
        &self,
        [before, after]: [i64; 2],
        [first, second]: [u64; 2],
    ) -> bool {
        let (first, second) = (i128::from(first), i128::from(second));
        let (before, after) = (i128::from(before) * second, i128::from(after) * first);
        let growth = after - before;
        let both = first.saturating_mul(second);
        let (value, limit) = match self.limit {
            Limit::GrowthPercent(percent) => (growth * 100, percent.saturating_mul(before)),
            Limit::Growth(number) => (growth, number.saturating_mul(both)),
            Limit::Budget(number) => (after, number.saturating_mul(both)),
        };
        let value = value.saturating_mul(MILLION);
        value > limit || (self.or_equal && value == limit)
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
        // Names of contexts may have a `>` themselves.
        let (subject, limit) = match text.contains(CONTEXT) {
            true => text
                .rsplit_once("]>")
                .and_then(|(subject, limit)| Some((text.get(..=subject.len())?, limit))),
            false => text.split_once('>'),
        }
        .ok_or(GateError::NoComparison)?;
        let (or_equal, limit) = match limit.strip_prefix('=') {
            Some(limit) => (true, limit),
            None => (false, limit),
        };
        let (metric, scope) = parse_subject(subject.trim())?;
        if metric == Metric::Native && matches!(scope, Some(Scope::Context(_))) {
            let (_, scope) = subject.split_once('[').unwrap_or_default();
            return Err(GateError::Scope(scope.to_owned()));
        }
        let each = limit.trim().strip_suffix(PER_EXECUTION);
        if each.is_some() && !matches!(scope, Some(Scope::Context(_))) {
            return Err(GateError::NoExecutions);
        }
        Ok(Self {
            text: text.trim().to_owned(),
            metric,
            scope,
            or_equal,
            limit: parse_limit(each.unwrap_or(limit).trim(), metric)?,
            may_be_absent: false,
            is_per_execution: each.is_some(),
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
        "native" => Ok((Metric::Native, scope)),
        other => Err(GateError::Metric(other.to_owned())),
    }
}

fn parse_scope(scope: &str) -> Option<Scope> {
    if let Some(name) = scope.strip_prefix(CONTEXT_PREFIX) {
        return (!name.is_empty()).then(|| Scope::Context(name.to_owned()));
    }
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
        (Metric::Bytes | Metric::Native, Some(bare)) => bare,
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
            Self::Metric(name) => write!(f, "'{name}' is no metric; use count, bytes or native"),
            Self::Scope(scope) => write!(
                f,
                "'[{scope}' is no scope; use [com.acme], [com.acme.Parser.next()] for a method, or [context:GET /orders]"
            ),
            Self::Number(number) => {
                write!(
                    f,
                    "'{number}' is no limit; use +5% or +1000 (growth), or 64Mi (a budget for the second run alone)"
                )
            }
            Self::NoExecutions => f.write_str(
                "only contexts are executed: count[context:GET /orders]>+0 per execution",
            ),
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
            ("count[context:]>0", GateError::Scope("context:]".into())),
            ("count[com.acme]>0 per execution", GateError::NoExecutions),
            ("bytes>5T", GateError::Unit("T".into())),
            (
                "count>99999999999999999999",
                GateError::Number("99999999999999999999".into()),
            ),
        ] {
            assert_eq!(text.parse::<Gate>(), Err(error), "{text}");
        }
    }

    #[test]
    fn quotients_are_compared_without_rounding() {
        let gate = |text: &str| text.parse::<Gate>().expect(text);
        let each = gate("count[context:sql:select * where a > 1]>+0 per execution");
        let scope = Scope::Context("sql:select * where a > 1".to_owned());
        assert_eq!((&each.scope, each.is_per_execution), (&Some(scope), true));
        // 1/3 and 2/6 are equal; 1/3 and 334/1000 are not.
        assert!(!each.is_over_each([1, 2], [3, 6]));
        assert!(each.is_over_each([1, 334], [3, 1000]));
        assert!(!each.is_over_each([1, 333], [3, 1000]));
        let percent = gate("bytes[context:GET /*]>=+50% per execution");
        assert!(percent.is_over_each([200, 600], [100, 200]));
        assert!(!percent.is_over_each([200, 599], [100, 200]));
        let budget = gate("bytes[context:GET /*]>2.5 per execution");
        assert!(!budget.is_over_each([0, 250], [1, 100]));
        assert!(budget.is_over_each([0, 251], [1, 100]));
    }
}
