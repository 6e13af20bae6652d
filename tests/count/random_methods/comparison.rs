//! Reports against the program's own counts, and against each other.

use std::collections::BTreeMap;

use ducktrack_tests::Jdk;

use crate::actions::INTEGER;
use crate::ledger::SiteName;
use crate::outcome::{Amount, Counted, Truth};
use crate::program::{Manner, Program};

/// The one reason for which a generated method may be left alone, once in fifty.
const TOO_LARGE: &str = "method-too-large-for-the-jit";

/// How the program is run under the agent.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) vm_options: &'static [&'static str],
    /// Of the agent.
    pub(crate) options: &'static str,
    pub(crate) manner: Manner,
    /// Methods must get new versions while they run.
    pub(crate) new_versions: bool,
    /// Where the stack ends, this is how many objects of all may be missing or too many.
    pub(crate) may_be_off_by: u64,
}

/// All runs of one program.
pub(crate) struct Comparison<'p> {
    program: &'p Program,
    methods: usize,
    /// The report of the first run.
    first: Option<BTreeMap<SiteName, Amount>>,
    pub(crate) wrong: Vec<String>,
}

impl<'p> Comparison<'p> {
    pub(crate) fn new(program: &'p Program, methods: usize) -> Self {
        Self {
            program,
            methods,
            first: None,
            wrong: Vec::new(),
        }
    }

    /// Runs the program under the agent and compares.
    pub(crate) fn run(&mut self, jdk: &Jdk, run: &Run, bare: &Truth) {
        let title = format!(
            "{jdk} {} {}",
            run.options,
            run.vm_options.last().unwrap_or(&"")
        );
        let wrong = match Counted::run(jdk, self.program, run.vm_options, run.options, run.manner) {
            Ok(counted) => self.differences(&counted, run, bare, &title),
            Err(error) => vec![format!("{error:#}")],
        };
        println!("{} {title}", if wrong.is_empty() { "ok  " } else { "FAIL" });
        self.wrong
            .extend(wrong.into_iter().map(|line| format!("{title}: {line}")));
    }

    fn differences(
        &mut self,
        counted: &Counted,
        run: &Run,
        bare: &Truth,
        title: &str,
    ) -> Vec<String> {
        let increments = &counted.report["increments"];
        println!(
            "     {title}: {} sites, {} ends of the stack, increments {increments}",
            counted.amounts.len(),
            counted.truth.overflows
        );
        let mut wrong = self.complaints(counted);
        let different = self.against_cells(counted, run);
        if let Manner::Deep { .. } = run.manner {
            // Where the stack ends is not the same in any two runs, so there is nothing else to compare.
            if counted.truth.overflows == 0 {
                wrong.push("the stack never ended".to_owned());
            }
            let off: u64 = different.iter().map(|(_, by)| by).sum();
            println!("     {title}: off by {off}");
            if off > run.may_be_off_by {
                wrong.extend(different.into_iter().map(|(line, _)| line));
            }
            return wrong;
        }
        wrong.extend(different.into_iter().map(|(line, _)| line));
        if counted.truth != *bare {
            wrong.push(format!(
                "sum {}, without agent {}",
                counted.truth.sum, bare.sum
            ));
        }
        if run.new_versions && increments["reinstrumented"] == 0 {
            wrong.push("no method got a new version".to_owned());
        }
        let first = self.first.get_or_insert_with(|| counted.amounts.clone());
        wrong.extend(against(first, &counted.amounts));
        wrong
    }

    /// The deviations that the report itself admits.
    fn complaints(&self, counted: &Counted) -> Vec<String> {
        let refused = counted.refused();
        let reasons = refused.iter().filter(|(_, reason)| *reason != TOO_LARGE);
        let mut wrong: Vec<String> = reasons
            .map(|(method, reason)| format!("{method} refused: {reason}"))
            .collect();
        if refused.len() * 50 > self.methods {
            wrong.push(format!("{} methods refused", refused.len()));
        }
        for key in ["losses", "damage"] {
            wrong.extend(
                counted.report[key]
                    .as_array()
                    .into_iter()
                    .flatten()
                    .map(ToString::to_string),
            );
        }
        wrong
    }

    /// The report against what the program counted itself: what differs, and by how
    /// much. A box is counted before it is made: not if the stack ends between.
    fn against_cells(&self, counted: &Counted, run: &Run) -> Vec<(String, u64)> {
        let refused = counted.refused();
        let deep = matches!(run.manner, Manner::Deep { .. });
        let mut wrong = Vec::new();
        for (site, cell) in &self.program.ledger.sites {
            let Some(cell) = cell.filter(|_| !refused.contains_key(&site.full_method())) else {
                continue;
            };
            if deep && site.ty == INTEGER {
                continue;
            }
            let expected = counted.truth.cells.get(&cell).copied().unwrap_or(0);
            let reported = counted.amounts.get(site).map_or(0, |amount| amount.0);
            if expected != reported {
                let line = format!("{site}: {reported} reported, {expected} executed");
                wrong.push((line, expected.abs_diff(reported)));
            }
        }
        for (site, amount) in &counted.amounts {
            if !self.program.ledger.sites.contains_key(site) {
                let line = format!("{site}: {} reported, where nothing allocates", amount.0);
                wrong.push((line, amount.0.unsigned_abs()));
            }
        }
        wrong
    }
}

/// Two reports against each other.
fn against(first: &BTreeMap<SiteName, Amount>, second: &BTreeMap<SiteName, Amount>) -> Vec<String> {
    let sites = first
        .keys()
        .chain(second.keys().filter(|site| !first.contains_key(site)));
    let amount = |report: &BTreeMap<SiteName, Amount>, site: &SiteName| {
        report.get(site).copied().unwrap_or_default()
    };
    sites
        .map(|site| (site, amount(first, site), amount(second, site)))
        .filter(|(_, first, second)| first != second)
        .map(|(site, first, second)| {
            format!("{site}: {second:?} (count, bytes), in the first run {first:?}")
        })
        .collect()
}
