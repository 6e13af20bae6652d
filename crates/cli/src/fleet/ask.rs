//! `ducktrack fleet ROOT QUESTION`

use std::path::Path;
use std::process::ExitCode;

use anyhow::{Result, bail};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use ducktrack_fleet::{Asked, Engine, QUESTIONS, Question};
use ducktrack_reports::FleetAnswer;

use super::answer::rows_of_csv;
use super::engine::answer_of;
use crate::output::{self, Charts, Output};

#[derive(Args)]
#[command(after_help = "Questions:
  regression
      sites that allocate more in the new version, for each million bytes of the
      service and for each request
  release
      sites that are new in the new version, or gone
  growing
      sites whose live objects become more and more, over all traced processes
  host
      hosts that allocate more than their like, and at which site
  library
      objects and bytes of each package, by service
  context
      objects and bytes of each request, query and job, by service

Examples:
  ducktrack fleet /var/fleet regression --service orders
  ducktrack fleet /var/fleet host --since 2026-11-20 --format html -o host.html
  ducktrack fleet s3://bucket/fleet library --engine spark --sql > library.sql

DuckDB answers: its command duckdb, or Python with it (pip install duckdb);
Spark: Python with pyspark. DUCKTRACK_PYTHON names another python3.")]
pub(crate) struct FleetArgs {
    /// The root that `ducktrack export --to parquet` wrote to
    #[arg(value_name = "ROOT")]
    root: String,
    /// What is asked
    #[arg(value_name = "QUESTION", value_parser = PossibleValuesParser::new(names()))]
    question: String,
    /// Only this service
    #[arg(long, value_name = "NAME")]
    service: Option<String>,
    /// The old version [default: the last but one of each service]
    #[arg(long, value_name = "VERSION")]
    before: Option<String>,
    /// The new version [default: the last of each service]
    #[arg(long, value_name = "VERSION")]
    after: Option<String>,
    /// Only from this day on
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    since: Option<String>,
    /// Only up to this day
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = day)]
    until: Option<String>,
    /// Only this package and those below (library)
    #[arg(long, value_name = "PACKAGE")]
    package: Option<String>,
    /// Show this many rows
    #[arg(long, value_name = "N", default_value_t = 20)]
    top: u64,
    /// Who answers
    #[arg(long, value_enum, default_value_t)]
    engine: EngineName,
    /// Print the statements instead
    #[arg(long)]
    sql: bool,
    #[command(flatten)]
    output: Output<Charts>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum EngineName {
    /// DuckDB, on this machine
    #[default]
    Duckdb,
    /// Spark SQL
    Spark,
}

fn names() -> Vec<&'static str> {
    QUESTIONS.iter().map(|question| question.name).collect()
}

/// A date; its text becomes part of the SQL.
fn day(text: &str) -> Result<String, String> {
    let is_day = text.len() == 10
        && text.bytes().enumerate().all(|(at, byte)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    match is_day {
        true => Ok(text.to_owned()),
        false => Err("give a day: 2026-11-27".to_owned()),
    }
}

pub(crate) fn run(args: &FleetArgs) -> Result<ExitCode> {
    let Some(question) = Question::named(&args.question) else {
        bail!("no question {}", args.question);
    };
    let asked = Asked {
        service: args.service.clone(),
        before: args.before.clone(),
        after: args.after.clone(),
        since: args.since.clone(),
        until: args.until.clone(),
        package: args.package.clone(),
        rows: args.top,
    };
    let engine = match args.engine {
        EngineName::Duckdb => Engine::DuckDb,
        EngineName::Spark => Engine::Spark,
    };
    let prelude = question.prelude(engine, &args.root, &asked);
    let sql = question.sql(&asked);
    if args.sql {
        let statements: String = prelude.iter().map(|part| format!("{part};\n")).collect();
        output::write(&format!("{statements}{sql};\n"), None)?;
        return Ok(ExitCode::SUCCESS);
    }
    look_for_tables(&args.root, question)?;
    let csv = answer_of(engine, &prelude, &sql)?;
    let mut rows = rows_of_csv(&csv);
    let columns = match rows.is_empty() {
        true => bail!("the engine has answered nothing"),
        false => rows.remove(0),
    };
    args.output.print(&FleetAnswer {
        format: FleetAnswer::FORMAT.to_owned(),
        version: FleetAnswer::VERSION,
        question: question.name.to_owned(),
        about: question.about.to_owned(),
        root: args.root.clone(),
        engine: match engine {
            Engine::DuckDb => "DuckDB".to_owned(),
            Engine::Spark => "Spark".to_owned(),
        },
        columns,
        rows,
        sql,
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Names a missing table in one line, before an engine does in many.
fn look_for_tables(root: &str, question: &Question) -> Result<()> {
    let folder = root.strip_prefix("file://").unwrap_or(root);
    if folder.contains("://") {
        return Ok(());
    }
    for table in question.tables {
        if !Path::new(folder).join("v1").join(table).is_dir() {
            let of_what = match *table {
                "leaks" => " of a traced run (run --mode trace)",
                "contexts" => " with contexts (run --contexts)",
                _ => "",
            };
            bail!(
                "{root} has no table {table}: export recordings{of_what} into it with ducktrack export DIR --to parquet -o {root}"
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn days() {
        assert!(day("2026-11-27").is_ok());
        for bad in ["", "2026-11-2", "27.11.2026", "2026-11-27'", "x026-11-27"] {
            assert!(day(bad).is_err(), "{bad}");
        }
    }
}
