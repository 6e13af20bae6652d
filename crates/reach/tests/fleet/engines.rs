//! DuckDB and Spark, as `scripts/install-fleet-tools` has brought them.

use std::path::Path;
use std::process::Command;

use crate::place::{Place, err};

const DUCKDB: &str = "
import csv, sys, duckdb
connection = duckdb.connect()
root, query = sys.argv[1:]
for table in ['runs', 'counts']:
    connection.execute(f\"CREATE VIEW {table} AS SELECT * FROM read_parquet('{root}/v1/{table}/*/*/*.parquet')\")
connection.execute(f\"CREATE VIEW sites AS SELECT * FROM read_parquet('{root}/v1/sites/*/*.parquet')\")
csv.writer(sys.stdout, lineterminator='\\n').writerows(connection.execute(query).fetchall())
";

/// Rows of a query that is ours, not the command's.
pub(crate) fn duckdb(python: &Path, root: &Path, query: &str) -> Vec<String> {
    let output = Command::new(python)
        .args(["-c", DUCKDB])
        .arg(root)
        .arg(query)
        .output()
        .expect("Python");
    assert!(output.status.success(), "{}", err(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(str::to_owned).collect()
}

const WITHOUT: &str = "
import os, sys, duckdb
file, column = sys.argv[1:]
duckdb.execute(f\"COPY (SELECT * EXCLUDE {column} FROM read_parquet('{file}', hive_partitioning = false)) TO '{file}.less' (FORMAT parquet)\")
os.replace(file + '.less', file)
";

/// Makes a table's file one of a version that did not have this column.
pub(crate) fn drop_column(python: &Path, file: &Path, column: &str) {
    let output = Command::new(python)
        .args(["-c", WITHOUT])
        .arg(file)
        .arg(column)
        .output()
        .expect("Python");
    assert!(output.status.success(), "{}", err(&output));
}

/// The command's answer, as CSV.
pub(crate) fn answer(place: &Place, python: &Path, engine: &str, question: &str) -> String {
    let output = place
        .command(&[
            "fleet", "root", question, "--engine", engine, "--format", "csv", "--top", "50",
        ])
        .env("DUCKTRACK_PYTHON", python)
        .env("SPARK_MASTER", "local[2]")
        .output()
        .expect("the command");
    assert!(output.status.success(), "{question}: {}", err(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const SPARK: &str = "
import csv, sys
from pyspark.sql import SparkSession
spark = (SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false')
         .config('spark.sql.shuffle.partitions', '2').getOrCreate())
for script in sys.argv[1:]:
    statements = [part for part in script.split(';\\n') if part.strip()]
    for statement in statements:
        answer = spark.sql(statement)
    out = csv.writer(sys.stdout)
    out.writerow(answer.columns)
    out.writerows(answer.collect())
    print('====')
";

/// The same in one session of Spark, for it takes long to start: what `--sql` prints, one answer for each question.
pub(crate) fn spark(place: &Place, python: &Path, questions: &[&str]) -> Vec<String> {
    let script = |question: &&str| {
        let flags = ["--engine", "spark", "--sql", "--top", "50"];
        let output = place.ducktrack(&[["fleet", "root", question].as_slice(), &flags].concat());
        assert!(output.status.success(), "{question}: {}", err(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let output = Command::new(python)
        .args(["-c", SPARK])
        .args(questions.iter().map(script))
        .current_dir(place.path(""))
        .output()
        .expect("Python");
    assert!(output.status.success(), "{}", err(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let answers = text.split("====").map(str::trim_start);
    let answers = answers.filter(|answer| !answer.is_empty());
    answers.map(str::to_owned).collect()
}
