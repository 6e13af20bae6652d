//! Gates: conditions under which a diff fails, for CI.
//!
//! ```text
//! gate      = metric [ "[" scope "]" ] ( ">" | ">=" ) limit
//! metric    = "count" | "bytes"
//! scope     = a package or class; what it allocates or causes (with `app=`: each object that its calls bring, once; else what it is
//!             blamed for). Without: the whole run
//! limit     = "+" number "%"        growth against the first run, in percent
//!           | "+" number [ unit ]   growth, in objects or bytes
//!           | number [ unit ]       the second run alone: a budget
//! unit      = "k" | "M" | "G" (powers of 1000) | "Ki" | "Mi" | "Gi" (of 1024), and "B" after it for bytes
//!
//! count>+5%    bytes>+1M    count[com.acme]>+0    bytes[com.acme.db]>=64Mi
//! ```
//! Limits are kept as whole millionths and compared without rounding.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use super::{in_scopes, own_in_scopes};
use crate::filter::in_scope;
use crate::json::{CauseDoc, Document, SiteDoc};
use crate::quantity::{grouped, grouped_signed};

const MILLION: i128 = 1_000_000;

/// One condition that must not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    text: String,
    metric: Metric,
    scope: Option<String>,
    or_equal: bool,
    limit: Limit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Metric {
    Count,
    Bytes,
}

/// In millionths of a percent, an object or a byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Limit {
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

/// What a gate says about two runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The gate as given.
    pub gate: String,
    /// The first run's number in scope.
    pub before: i64,
    /// The second run's.
    pub after: i64,
    /// `objects` or `bytes`.
    pub unit: &'static str,
    /// True when the condition does not hold.
    pub passed: bool,
    /// The limit is for the second run alone.
    pub is_budget: bool,
    /// Of a gate that failed, the place that grew most, and by how much.
    pub most: Option<(String, i64)>,
}

impl Gate {
    /// Checks the gate on the sites of two runs.
    pub fn check(&self, before: &Document, after: &Document) -> Verdict {
        // Where only one run says what calls bring, both are compared without.
        let with_causes = before.caused.is_some() && after.caused.is_some();
        let parts = |document| self.parts(document, with_causes);
        let (parts_before, parts_after) = (parts(before), parts(after));
        let sum = |parts: &BTreeMap<_, i64>| {
            parts
                .values()
                .fold(0, |sum: i64, part| sum.saturating_add(*part))
        };
        let (before, after) = (sum(&parts_before), sum(&parts_after));
        let passed = !self.is_over(i128::from(before), i128::from(after));
        Verdict {
            most: match passed {
                true => None,
                false => grown_most(&parts_before, &parts_after),
            },
            gate: self.text.clone(),
            is_budget: matches!(self.limit, Limit::Budget(_)),
            before,
            after,
            unit: match self.metric {
                Metric::Count => "objects",
                Metric::Bytes => "bytes",
            },
            passed,
        }
    }

    /// The number in scope, by place.
    fn parts(&self, document: &Document, with_causes: bool) -> BTreeMap<Place, i64> {
        let scopes: &[String] = self.scope.as_slice();
        let with_causes = with_causes && !scopes.is_empty();
        let mut parts = BTreeMap::new();
        let mut add = |place: Place, number: i64| {
            let part: &mut i64 = parts.entry(place).or_default();
            *part = part.saturating_add(number);
        };
        for site in &document.sites {
            let part = match with_causes {
                true => own_in_scopes(site, scopes),
                false => in_scopes(site, scopes),
            };
            let number = match self.metric {
                Metric::Count => part.count,
                Metric::Bytes => part.bytes,
            };
            add(Place::of_site(site), number);
        }
        let causes = document.causes.iter().filter(|_| with_causes);
        for cause in causes.filter(|cause| scopes.iter().any(|scope| in_scope(scope, &cause.class)))
        {
            let number = match self.metric {
                Metric::Count => cause.charged_objects,
                Metric::Bytes => cause.charged_bytes,
            };
            add(Place::of_cause(cause), number);
        }
        parts
    }

    /// `growth in percent > limit` is `growth * 100 > limit * before`: from nothing, any growth is over any percentage.
    fn is_over(&self, before: i128, after: i128) -> bool {
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

/// A site or a call. Lines move from version to version; what is made or called at a place of a method does not.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    class: String,
    method: String,
    descriptor: String,
    what: String,
    is_call: bool,
    /// Where it is in one of the runs; no part of the comparison.
    at: At,
}

/// Equal to every other one.
#[derive(Clone, Debug, Default)]
struct At(Option<String>);

impl PartialEq for At {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for At {}

impl PartialOrd for At {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for At {
    fn cmp(&self, _: &Self) -> Ordering {
        Ordering::Equal
    }
}

impl Place {
    fn of_site(site: &SiteDoc) -> Self {
        Self {
            class: site.class.clone(),
            method: site.method.clone(),
            descriptor: site.descriptor.clone(),
            what: site.ty.clone().unwrap_or_default(),
            is_call: false,
            at: At(source(site.source_file.as_deref(), site.line)),
        }
    }

    fn of_cause(cause: &CauseDoc) -> Self {
        Self {
            class: cause.class.clone(),
            method: cause.method.clone(),
            descriptor: cause.descriptor.clone(),
            what: cause.target.clone(),
            is_call: true,
            at: At(source(cause.source_file.as_deref(), cause.line)),
        }
    }
}

/// `Shop.java:12`
fn source(file: Option<&str>, line: Option<u16>) -> Option<String> {
    Some(format!("{}:{}", file?, line?))
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.class, self.method)?;
        if let Some(at) = &self.at.0 {
            write!(f, "({at})")?;
        }
        let verb = if self.is_call { "calls" } else { "makes" };
        write!(f, " {verb} {}", self.what)
    }
}

/// The place that grew most, and by how much. Where the same place is in both runs, the second says its line.
fn grown_most(
    before: &BTreeMap<Place, i64>,
    after: &BTreeMap<Place, i64>,
) -> Option<(String, i64)> {
    let growth = |(place, number): (&Place, &i64)| {
        let was = before.get(place).copied().unwrap_or(0);
        (place.to_string(), number.saturating_sub(was))
    };
    let (place, growth) = after.iter().map(growth).max_by_key(|(_, growth)| *growth)?;
    (growth > 0).then_some((place, growth))
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
        })
    }
}

fn parse_subject(subject: &str) -> Result<(Metric, Option<String>), GateError> {
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
                        .ok_or_else(|| GateError::Scope(rest.to_owned()))?
                        .to_owned(),
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

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.passed { "ok    " } else { "FAILED" };
        let change = i128::from(self.after) - i128::from(self.before);
        write!(
            f,
            "{word}  {}: {} -> {} {} ({}{})",
            self.gate,
            grouped(self.before),
            grouped(self.after),
            self.unit,
            grouped_signed(change),
            match crate::quantity::percent(change, self.before) {
                Some(percent) => format!(", {percent:+.2} %"),
                None => String::new(),
            }
        )?;
        if self.is_budget {
            f.write_str("; a budget for the second run alone: growth is written +N or +N%")?;
        }
        match &self.most {
            Some((place, growth)) => write!(f, "; most at {place}, {}", grouped_signed(*growth)),
            None => Ok(()),
        }
    }
}

impl fmt::Display for GateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoComparison => f.write_str("there is no '>'; a gate looks like count>+5%"),
            Self::Metric(name) => write!(f, "'{name}' is no metric; use count or bytes"),
            Self::Scope(scope) => write!(f, "'[{scope}' is no scope; use [com.acme]"),
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

    fn sites(count: i64, bytes: i64) -> Vec<SiteDoc> {
        vec![SiteDoc {
            class: "com.acme.Main".into(),
            count,
            bytes,
            ..SiteDoc::default()
        }]
    }

    fn run(sites: Vec<SiteDoc>) -> Document {
        Document {
            sites,
            ..Document::default()
        }
    }

    fn passes(gate: &str, before: i64, after: i64) -> bool {
        let gate: Gate = gate.parse().expect("a gate");
        gate.check(&run(sites(before, before)), &run(sites(after, after)))
            .passed
    }

    #[test]
    fn growth_in_percent_is_exact_at_the_limit() {
        assert!(passes("count>+5%", 100, 105));
        assert!(!passes("count>+5%", 100, 106));
        assert!(!passes("count>=+5%", 100, 105));
        assert!(passes("count>+0.5%", 1000, 1005));
        assert!(!passes("count>+0.5%", 1000, 1006));
        assert!(!passes("count>+1000%", 0, 1));
        assert!(passes("count>+0%", 7, 7));
        assert!(!passes("count>+0%", i64::MAX - 1, i64::MAX));
    }

    #[test]
    fn growth_and_budgets_with_units() {
        assert!(passes("bytes>+1M", 5, 1_000_005));
        assert!(!passes("bytes>+1M", 5, 1_000_006));
        assert!(passes("bytes > 1 MiB", 0, 1 << 20));
        assert!(!passes("bytes>1Mi", 0, (1 << 20) + 1));
        assert!(!passes("count>1.5k", 0, 1501));
        assert!(passes("count>+10", 50, 20));
    }

    #[test]
    fn a_scope_counts_its_classes_and_what_they_are_blamed_for() {
        let gate: Gate = "count[com.acme]>10".parse().expect("a gate");
        let mut library = sites(100, 100);
        library[0].class = "java.util.Arrays".into();
        assert!(gate.check(&run(vec![]), &run(library.clone())).passed);
        library[0].context = vec![crate::json::ContextDoc {
            caller: crate::json::CallerDoc {
                class: Some("com.acme.Main".into()),
                ..Default::default()
            },
            count: 11,
            bytes: 11,
            ..Default::default()
        }];
        let verdict = gate.check(&run(vec![]), &run(library));
        assert_eq!((verdict.after, verdict.passed), (11, false));
    }

    #[test]
    fn a_scope_counts_what_its_calls_bring_and_names_the_call() {
        let with = |objects: i64, line| Document {
            caused: Some(crate::json::CausedDoc::default()),
            causes: vec![CauseDoc {
                class: "com.acme.Main".into(),
                method: "run".into(),
                source_file: Some("Main.java".into()),
                line: Some(line),
                target: "java.text.SimpleDateFormat.<init>".into(),
                objects: 2 * objects,
                charged_objects: objects,
                ..CauseDoc::default()
            }],
            ..run(sites(5, 5))
        };
        let gate: Gate = "count[com.acme]>+0".parse().expect("a gate");
        assert!(gate.check(&with(10, 7), &with(10, 8)).passed);
        let verdict = gate.check(&with(10, 7), &with(30, 8));
        assert_eq!(
            (verdict.before, verdict.after, verdict.passed),
            (15, 35, false)
        );
        let text = verdict.to_string();
        assert!(
            text.contains("most at com.acme.Main.run(Main.java:8) calls java.text.SimpleDateFormat.<init>, +20"),
            "{text}"
        );
        // A baseline without causes: what both know is compared.
        let verdict = gate.check(&run(sites(5, 5)), &with(30, 8));
        assert_eq!((verdict.before, verdict.after), (5, 5));
    }

    #[test]
    fn what_is_no_gate_says_why() {
        for (text, error) in [
            ("count", GateError::NoComparison),
            ("size>+5%", GateError::Metric("size".into())),
            ("count[>+5%", GateError::Scope("".into())),
            ("count[]>+5%", GateError::Scope("]".into())),
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
