//! Runs statements on an engine that is installed here: DuckDB's command, or Python with DuckDB or PySpark.

use std::env;
use std::ffi::OsString;
use std::io::{ErrorKind, Write};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};
use ducktrack_fleet::Engine;

/// Reads statements from standard input, one JSON list; executes all, and prints the rows of the last.
const DUCKDB: &str = "
import csv, json, sys, duckdb
connection = duckdb.connect()
for statement in json.load(sys.stdin):
    answer = connection.execute(statement)
out = csv.writer(sys.stdout)
out.writerow([column[0] for column in answer.description])
out.writerows(answer.fetchall())
";

const SPARK: &str = "
import csv, json, os, sys
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master(os.environ.get('SPARK_MASTER', 'local[*]')).appName('ducktrack fleet')
         .config('spark.ui.enabled', 'false').config('spark.sql.shuffle.partitions', '8').getOrCreate())
spark.sparkContext.setLogLevel('ERROR')
for statement in json.load(sys.stdin):
    answer = spark.sql(statement)
out = csv.writer(sys.stdout)
out.writerow(answer.columns)
out.writerows(answer.collect())
";

/// The rows of the query as CSV.
pub(super) fn answer_of(engine: Engine, prelude: &[String], sql: &str) -> Result<String> {
    let statements: Vec<&str> = prelude.iter().map(String::as_str).chain([sql]).collect();
    match engine {
        Engine::DuckDb => match by_command(&statements)? {
            Some(csv) => Ok(csv),
            None => by_python("duckdb", DUCKDB, &statements),
        },
        Engine::Spark => by_python("pyspark", SPARK, &statements),
    }
}

/// `None`: there is no command `duckdb`.
fn by_command(statements: &[&str]) -> Result<Option<String>> {
    let script: String = statements.iter().map(|part| format!("{part};\n")).collect();
    let mut command = Command::new("duckdb");
    command.args(["-batch", "-bail", "-csv", "-init", "/dev/null"]);
    match output_of(command, &script) {
        Err(error) if is_missing(&error) => Ok(None),
        answer => answer.map(Some),
    }
}

fn by_python(module: &str, script: &str, statements: &[&str]) -> Result<String> {
    let python = env::var_os("DUCKTRACK_PYTHON").unwrap_or_else(|| OsString::from("python3"));
    let has_module = Command::new(&python)
        .args(["-c", &format!("import {module}")])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if !has_module.is_ok_and(|status| status.success()) {
        bail!(
            "{} has no {module}: pip install {module}, or let DUCKTRACK_PYTHON name a python3 that has it; --sql prints the query",
            python.display()
        );
    }
    let mut command = Command::new(python);
    command.args(["-c", script]);
    output_of(command, &serde_json::to_string(statements)?)
}

fn output_of(mut command: Command, input: &str) -> Result<String> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut into) = child.stdin.take() {
        // An engine that ends early has printed the reason.
        let _ = into.write_all(input.as_bytes());
    }
    let output = child
        .wait_with_output()
        .context("the engine has not answered")?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let mut lines = said.lines().filter(|line| !line.trim().is_empty());
        bail!(
            "the engine refuses the query: {}",
            lines.next_back().unwrap_or("it gives no reason")
        );
    }
    String::from_utf8(output.stdout).context("the engine's answer is no text")
}

fn is_missing(error: &anyhow::Error) -> bool {
    let cause = error.downcast_ref::<std::io::Error>();
    cause.is_some_and(|cause| cause.kind() == ErrorKind::NotFound)
}
