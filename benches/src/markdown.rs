//! The result as Markdown tables.

use crate::known_truth::Account;
use crate::{Comparison, Judgement, Metric, Outcome, Spread};

/// All tables of a comparison: the suite, each workload, the bare JVM's absolute values, and unfinished forks.
pub fn comparison_tables(comparison: &Comparison) -> String {
    let Some(first) = comparison.steadiest.first().copied() else {
        return format!("Nothing could be compared.\n\n{}", unfinished(comparison));
    };
    let mut text = suite(comparison, first);
    text += &format!(
        "\n## Per workload: {} against the bare JVM\n\n",
        first.title()
    );
    text += &per_workload(comparison, first);
    text += "\n## The bare JVM itself (medians)\n\n";
    text += &absolute(comparison);
    text + &unfinished(comparison)
}

/// One row per tool, with the least noisy metric first, and memory last.
fn suite(comparison: &Comparison, first: Metric) -> String {
    let others: Vec<Metric> = comparison
        .steadiest
        .iter()
        .copied()
        .filter(|metric| *metric != first)
        .collect();
    let mut columns = vec![
        "tool".to_owned(),
        format!("**{}**", first.title()),
        "worst workload".to_owned(),
    ];
    columns.extend(others.iter().map(|metric| metric.title().to_owned()));
    columns.extend([
        Metric::Memory.title().to_owned(),
        Metric::Allocated.title().to_owned(),
        Metric::WholeRun.title().to_owned(),
    ]);
    let mut text = format!(
        "## Over the suite: ratio to the bare JVM\n\nGeometric mean over {} workloads, {} forks each; the median of the rounds, and in brackets \
         the smallest and the largest round. The first column is the steadiest of the metrics of time here.\n\n",
        comparison.workloads.len(),
        comparison.rounds,
    );
    text += &head(&columns);
    for tool in comparison.tools.iter().filter(|tool| *tool != "bare") {
        let ratio = |metric: Metric| ratio_with_range(comparison.ratio(tool, None, metric));
        let mut cells = vec![
            tool.clone(),
            format!("**{}**", ratio(first)),
            worst(comparison, tool, first),
        ];
        cells.extend(others.iter().map(|metric| ratio(*metric)));
        cells.extend([
            ratio(Metric::Memory),
            ratio(Metric::Allocated),
            ratio(Metric::WholeRun),
        ]);
        text += &row(&cells);
    }
    text
}

fn per_workload(comparison: &Comparison, metric: Metric) -> String {
    let tools: Vec<&String> = comparison
        .tools
        .iter()
        .filter(|tool| *tool != "bare")
        .collect();
    let mut columns = vec!["workload".to_owned()];
    columns.extend(tools.iter().map(|tool| (*tool).clone()));
    let mut text = head(&columns);
    for workload in &comparison.workloads {
        let mut cells = vec![workload.clone()];
        let ratio =
            |tool: &&String| ratio_with_range(comparison.ratio(tool, Some(workload), metric));
        cells.extend(tools.iter().map(ratio));
        text += &row(&cells);
    }
    let mut cells = vec!["**geometric mean**".to_owned()];
    cells.extend(
        tools
            .iter()
            .map(|tool| ratio_with_range(comparison.ratio(tool, None, metric))),
    );
    text + &row(&cells)
}

fn absolute(comparison: &Comparison) -> String {
    let there = |metric: &Metric| {
        comparison
            .workloads
            .iter()
            .any(|workload| comparison.absolute("bare", workload, *metric).is_some())
    };
    let metrics: Vec<Metric> = Metric::ALL.into_iter().filter(there).collect();
    let mut columns = vec!["workload".to_owned()];
    columns.extend(
        metrics
            .iter()
            .map(|metric| format!("{} ({})", metric.title(), metric.unit().0)),
    );
    let mut text = head(&columns);
    for workload in &comparison.workloads {
        let value = |metric: &Metric| {
            let spread = comparison.absolute("bare", workload, *metric);
            spread.map_or("-".to_owned(), |spread| {
                format!("{:.0}", spread.median / metric.unit().1)
            })
        };
        let mut cells = vec![workload.clone()];
        cells.extend(metrics.iter().map(value));
        text += &row(&cells);
    }
    text
}

fn unfinished(comparison: &Comparison) -> String {
    if comparison.unfinished.is_empty() {
        return String::new();
    }
    let mut text = String::from("\n## Did not finish\n\n");
    for (workload, tool, round, outcome) in &comparison.unfinished {
        let why = match outcome {
            Outcome::Skipped(why) => format!("skipped: {why}"),
            Outcome::Failed(why) => format!("failed: {why}"),
            Outcome::Done => continue,
        };
        text += &format!("- {workload}, {tool}, round {round}: {why}\n");
    }
    text
}

/// Cost and error in one table, for the program with known counts.
pub fn judgement_table(judgements: &[Judgement]) -> String {
    let mut text = String::from(
        "## Cost and error on known counts\n\nThirteen ways to allocate, each with a count known by construction. Error: the ways' errors added up, as a share \
         of the truth; -100% is a way that the tool does not see at all.\n\n",
    );
    text += &head(
        &[
            "tool",
            "application CPU time",
            "objects reported",
            "error",
            "worst way",
            "bytes reported",
            "error",
            "worst way",
        ]
        .map(str::to_owned),
    );
    for judgement in judgements {
        let mut cells = vec![judgement.tool.clone(), ratio_with_range(judgement.cost)];
        cells.extend(account(judgement.objects.as_ref(), 1.0, ""));
        cells.extend(account(judgement.bytes.as_ref(), 1e6, " MB"));
        text += &row(&cells);
    }
    for judgement in judgements {
        if let Some(failure) = &judgement.failure {
            text += &format!("\n{} failed: {failure}\n", judgement.tool);
        }
    }
    text
}

fn account(account: Option<&Account>, unit: f64, unit_name: &str) -> [String; 3] {
    let Some(account) = account else {
        return ["-".to_owned(), "-".to_owned(), "-".to_owned()];
    };
    let amounts = format!(
        "{:.0} of {:.0}{unit_name}",
        account.reported / unit,
        account.truth / unit
    );
    let worst = account
        .worst
        .as_ref()
        .map_or("none".to_owned(), |(way, error)| {
            format!("{way} {}", signed_percent(*error))
        });
    [amounts, percent(account.error), worst]
}

/// Formats a share with enough digits to distinguish zero from almost zero.
fn percent(share: f64) -> String {
    match share.abs() * 100.0 {
        0.0 => "0".to_owned(),
        small if small < 0.01 => "<0.01%".to_owned(),
        some if some < 1.0 => format!("{some:.2}%"),
        more => format!("{more:.1}%"),
    }
}

fn signed_percent(share: f64) -> String {
    format!("{}{}", if share < 0.0 { "-" } else { "+" }, percent(share))
}

fn ratio_with_range(spread: Option<Spread>) -> String {
    match spread {
        None => "-".to_owned(),
        Some(spread) if spread.count == 1 => format!("{:.3}", spread.median),
        Some(spread) => format!("{:.3} ({:.3}-{:.3})", spread.median, spread.min, spread.max),
    }
}

fn worst(comparison: &Comparison, tool: &str, metric: Metric) -> String {
    comparison
        .worst(tool, metric)
        .map_or("-".to_owned(), |(workload, ratio)| {
            format!("{workload} {ratio:.2}")
        })
}

fn head(columns: &[String]) -> String {
    let rule: String = columns
        .iter()
        .enumerate()
        .map(|(at, _)| if at == 0 { "|---" } else { "|---:" })
        .collect();
    format!("{}{rule}|\n", row(columns))
}

fn row(cells: &[String]) -> String {
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::comparison::tests::fork;

    #[test]
    fn the_suites_table_quotes_the_steadiest_metric_first() {
        let comparison = Comparison::new(vec![
            fork("json", "bare", 0, 100.0, 100.0),
            fork("json", "jfr", 0, 110.0, 150.0),
            fork("json", "bare", 1, 100.0, 100.0),
            fork("json", "jfr", 1, 112.0, 110.0),
        ]);
        let text = comparison_tables(&comparison);
        assert!(
            text.contains(
                "| tool | **application CPU time** | worst workload | wall time | peak memory |"
            ),
            "{text}"
        );
        assert!(
            text.contains("| jfr | **1.110 (1.100-1.120)** | json 1.11 | 1.300 (1.100-1.500) |"),
            "{text}"
        );
        assert!(!text.contains("Did not finish"));
    }

    #[test]
    fn errors_keep_their_sign_and_their_size() {
        assert_eq!(
            [0.0, 0.00001, 0.005, 0.25].map(percent),
            ["0", "<0.01%", "0.50%", "25.0%"]
        );
        assert_eq!(signed_percent(-1.0), "-100.0%");
        let exact = Account {
            truth: 3e5,
            reported: 3e5,
            error: 0.0,
            worst: None,
        };
        assert_eq!(
            account(Some(&exact), 1.0, ""),
            ["300000 of 300000", "0", "none"]
        );
    }
}
