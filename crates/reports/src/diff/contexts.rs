//! What changed in contexts, for each execution of them: `GET /orders/{id}`: +31 objects a request, most of them at one place.

use std::collections::BTreeMap;

use super::ComparedRun;
use crate::contexts::{ContextAmountDoc, ContextsReport, ExecutionContextDoc};

/// A context whose executions make another number of objects or bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextChange {
    /// Its kind.
    pub kind: String,
    /// Its name.
    pub name: String,
    /// In the first run; `None`: it was not executed there.
    pub before: Option<ContextAmounts>,
    /// In the second run.
    pub after: Option<ContextAmounts>,
    /// The place that changed most, and by how much for each execution.
    pub most: Option<(String, Each)>,
}

/// What all executions of a context made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextAmounts {
    /// How many executions have ended.
    pub executions: u64,
    /// Objects.
    pub count: i64,
    /// Bytes.
    pub bytes: i64,
}

/// Objects and bytes of one execution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Each {
    /// Objects.
    pub count: f64,
    /// Bytes.
    pub bytes: f64,
}

impl ContextAmounts {
    fn of(context: &ExecutionContextDoc) -> Option<Self> {
        let executions = context.executions.as_ref()?.count;
        (executions > 0).then_some(Self {
            executions,
            count: context.count,
            bytes: context.bytes,
        })
    }

    /// For each execution.
    pub fn each(&self) -> Each {
        each(self.count, self.bytes, self.executions)
    }

    fn is_same_each(&self, other: &Self) -> bool {
        let cross = |mine: i64, others: i64| {
            i128::from(mine) * i128::from(other.executions)
                == i128::from(others) * i128::from(self.executions)
        };
        cross(self.count, other.count) && cross(self.bytes, other.bytes)
    }
}

impl ContextChange {
    /// Change for each execution.
    pub fn change(&self) -> Each {
        let each = |side: &Option<ContextAmounts>| side.as_ref().map(ContextAmounts::each);
        let (before, after) = (each(&self.before), each(&self.after));
        difference(before.unwrap_or_default(), after.unwrap_or_default())
    }
}

/// The contexts that changed, largest change first; `None` where a run's contexts are not known, or neither has any.
pub(super) fn changed_contexts(
    before: &ComparedRun<'_>,
    after: &ComparedRun<'_>,
) -> Option<Vec<ContextChange>> {
    let (before, after) = (before.contexts?, after.contexts?);
    if before.contexts.is_empty() && after.contexts.is_empty() {
        return None;
    }
    let mut pairs: BTreeMap<(&str, &str), [Option<&ExecutionContextDoc>; 2]> = BTreeMap::new();
    for (side, report) in [before, after].into_iter().enumerate() {
        for context in &report.contexts {
            let pair = pairs.entry((&context.kind, &context.name)).or_default();
            if let Some(place) = pair.get_mut(side) {
                *place = Some(context);
            }
        }
    }
    let changes = pairs
        .into_iter()
        .filter_map(|((kind, name), pair)| changed(kind, name, pair));
    let mut changes: Vec<ContextChange> = changes.collect();
    changes.sort_by(|a, b| {
        let size = |change: &ContextChange| change.change().bytes.abs();
        let count = |change: &ContextChange| change.change().count.abs();
        size(b)
            .total_cmp(&size(a))
            .then_with(|| count(b).total_cmp(&count(a)))
    });
    Some(changes)
}

fn changed(
    kind: &str,
    name: &str,
    [before, after]: [Option<&ExecutionContextDoc>; 2],
) -> Option<ContextChange> {
    let amounts = |side: Option<&ExecutionContextDoc>| side.and_then(ContextAmounts::of);
    let (first, second) = (amounts(before), amounts(after));
    let is_same = match (&first, &second) {
        (None, None) => true,
        (Some(first), Some(second)) => first.is_same_each(second),
        _ => false,
    };
    (!is_same).then(|| ContextChange {
        kind: kind.to_owned(),
        name: name.to_owned(),
        before: first,
        after: second,
        most: changed_most(before, after),
    })
}

/// The place whose objects of one execution changed most.
fn changed_most(
    before: Option<&ExecutionContextDoc>,
    after: Option<&ExecutionContextDoc>,
) -> Option<(String, Each)> {
    let (first, second) = (places(before), places(after));
    let all = first.keys().chain(second.keys());
    let changes = all.map(|place| {
        let of = |side: &BTreeMap<String, Each>| side.get(place).copied().unwrap_or_default();
        (place.clone(), difference(of(&first), of(&second)))
    });
    changes
        .max_by(|(_, a), (_, b)| {
            let bytes = a.bytes.abs().total_cmp(&b.bytes.abs());
            bytes.then_with(|| a.count.abs().total_cmp(&b.count.abs()))
        })
        .filter(|(_, change)| *change != Each::default())
}

fn places(context: Option<&ExecutionContextDoc>) -> BTreeMap<String, Each> {
    let mut places: BTreeMap<String, Each> = BTreeMap::new();
    let executions = context.and_then(|context| context.executions.as_ref());
    let Some((context, executions)) = context.zip(executions).filter(|(_, all)| all.count > 0)
    else {
        return places;
    };
    for site in &context.sites {
        let each = each(site.count, site.bytes, executions.count);
        let sum = places.entry(place(site)).or_default();
        sum.count += each.count;
        sum.bytes += each.bytes;
    }
    places
}

/// Lines move from one version of the program to the next, so that a place has none.
fn place(site: &ContextAmountDoc) -> String {
    let location = &site.location;
    let of_caller = site
        .caller
        .as_ref()
        .and_then(|caller| caller.split('(').next());
    match of_caller {
        Some(caller) => format!("{caller}()  {}", site.ty),
        None => format!("{}.{}()  {}", location.class, location.method, site.ty),
    }
}

/// The contexts that a pattern names, added up; `None`: there is none.
pub(super) fn amounts_of(report: &ContextsReport, pattern: &str) -> Option<ContextAmounts> {
    let filter = crate::filter::Filter {
        contexts: vec![pattern.to_owned()],
        ..crate::filter::Filter::default()
    };
    let wanted = report
        .contexts
        .iter()
        .filter(|context| filter.wants_context(&context.kind, &context.name));
    let mut sum = None;
    for amounts in wanted.filter_map(ContextAmounts::of) {
        let sum: &mut ContextAmounts = sum.get_or_insert_default();
        sum.executions += amounts.executions;
        sum.count = sum.count.saturating_add(amounts.count);
        sum.bytes = sum.bytes.saturating_add(amounts.bytes);
    }
    sum
}

fn each(count: i64, bytes: i64, executions: u64) -> Each {
    Each {
        count: count as f64 / executions as f64,
        bytes: bytes as f64 / executions as f64,
    }
}

fn difference(before: Each, after: Each) -> Each {
    Each {
        count: after.count - before.count,
        bytes: after.bytes - before.bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::super::judge::judge;
    use super::super::verdict::Outcome;
    use super::*;
    use crate::contexts::document::ContextExecutionsDoc;
    use crate::json::Document;
    use crate::view::Location;

    /// A context with a number of executions, and objects of 16 bytes by method.
    fn context(name: &str, executions: u64, sites: &[(&str, i64)]) -> ExecutionContextDoc {
        let site = |(method, count): &(&str, i64)| ContextAmountDoc {
            location: Location {
                class: "com.acme.Shop".to_owned(),
                method: (*method).to_owned(),
                ..Location::default()
            },
            ty: "Item".to_owned(),
            count: *count,
            bytes: 16 * count,
            ..ContextAmountDoc::default()
        };
        let sites: Vec<ContextAmountDoc> = sites.iter().map(site).collect();
        let count = sites.iter().map(|site| site.count).sum();
        ExecutionContextDoc {
            kind: "http".to_owned(),
            name: name.to_owned(),
            count,
            bytes: 16 * count,
            executions: Some(ContextExecutionsDoc {
                count: executions,
                ..ContextExecutionsDoc::default()
            }),
            sites,
            ..ExecutionContextDoc::default()
        }
    }

    fn reports() -> [ContextsReport; 2] {
        let report = |contexts: Vec<ExecutionContextDoc>| ContextsReport {
            contexts,
            ..ContextsReport::default()
        };
        [
            report(vec![
                context("GET /orders", 100, &[("find", 300), ("render", 500)]),
                context("GET /same", 10, &[("find", 30)]),
                context("GET /gone", 1, &[("find", 1)]),
            ]),
            report(vec![
                context("GET /orders", 200, &[("find", 800), ("render", 1000)]),
                context("GET /same", 30, &[("find", 90)]),
                context("GET /new", 2, &[("find", 1)]),
            ]),
        ]
    }

    fn run<'a>(document: &'a Document, contexts: Option<&'a ContextsReport>) -> ComparedRun<'a> {
        ComparedRun {
            name: "",
            document,
            contexts,
            stacks: None,
        }
    }

    #[test]
    fn what_changed_is_said_for_each_execution() {
        let (document, [before, after]) = (Document::default(), reports());
        let changes = changed_contexts(
            &run(&document, Some(&before)),
            &run(&document, Some(&after)),
        );
        let changes = changes.expect("contexts");
        let names: Vec<&str> = changes.iter().map(|change| change.name.as_str()).collect();
        assert_eq!(names, ["GET /gone", "GET /orders", "GET /new"]);
        let orders = &changes[1];
        let one = Each {
            count: 1.0,
            bytes: 16.0,
        };
        assert_eq!(orders.change(), one);
        let place = "com.acme.Shop.find()  Item".to_owned();
        assert_eq!(orders.most, Some((place, one)));
        let unknown = changed_contexts(&run(&document, Some(&before)), &run(&document, None));
        assert_eq!(unknown, None);
    }

    #[test]
    fn gates_on_contexts_are_for_the_sum_or_for_each_execution() {
        let document = Document {
            run: crate::json::RunDoc {
                ended: Some(String::new()),
                ..Default::default()
            },
            ..Document::default()
        };
        let [before, after] = reports();
        let check = |text: &str| {
            let gate = text.parse().expect("a gate");
            judge(
                &gate,
                &run(&document, Some(&before)),
                &run(&document, Some(&after)),
            )
        };
        for (text, outcome, numbers) in [
            (
                "count[context:GET /orders]>+0 per execution",
                Outcome::Broken,
                (8, 9),
            ),
            (
                "count[context:GET /orders]>+1 per execution",
                Outcome::Holds,
                (8, 9),
            ),
            (
                "count[context:GET /same]>+0 per execution",
                Outcome::Holds,
                (3, 3),
            ),
            ("count[context:GET /same]>+0", Outcome::Broken, (30, 90)),
            (
                "bytes[context:http:GET /*]>143 per execution",
                Outcome::Holds,
                (120, 130),
            ),
        ] {
            let verdict = check(text);
            assert_eq!(verdict.outcome, outcome, "{text}");
            assert_eq!((verdict.before, verdict.after), numbers, "{text}");
        }
        let absent = check("count[context:GET /nowhere]>+0 per execution");
        assert!(matches!(absent.outcome, Outcome::CannotTell(_)));
    }
}
