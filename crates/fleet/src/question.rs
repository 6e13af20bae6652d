//! The questions: SQL that DuckDB and Spark read alike, and the statements that each needs before it.

/// Tables of names: partitioned by service only.
const DICTIONARIES: &[&str] = &["sites", "contexts"];
/// The folder of the layout below a root.
const LAYOUT: &str = "v1";

/// A question about a fleet.
#[derive(Debug)]
pub struct Question {
    /// The word for it.
    pub name: &'static str,
    /// One line.
    pub about: &'static str,
    /// The query, the same for every engine. It reads views of the tables, and `asked` with one row.
    pub query: &'static str,
    /// The tables that it reads.
    pub tables: &'static [&'static str],
    /// It reads a column that files of earlier versions do not have (NULL there): the columns of every file are looked up first.
    pub reads_later_columns: bool,
}

/// All of them.
pub const QUESTIONS: &[Question] = &[
    Question {
        name: "regression",
        about: "sites that allocate more in the new version, for each million bytes of the service and for each request",
        query: include_str!("../queries/regression.sql"),
        tables: &["runs", "counts", "sites"],
        reads_later_columns: false,
    },
    Question {
        name: "release",
        about: "sites that are new in the new version, or gone",
        query: include_str!("../queries/release.sql"),
        tables: &["runs", "counts", "sites"],
        reads_later_columns: false,
    },
    Question {
        name: "growing",
        about: "sites whose live objects become more and more, over all traced processes",
        query: include_str!("../queries/growing.sql"),
        tables: &["runs", "leaks", "sites"],
        reads_later_columns: false,
    },
    Question {
        name: "host",
        about: "hosts that allocate more than their like, and at which site",
        query: include_str!("../queries/host.sql"),
        tables: &["runs", "counts", "sites"],
        reads_later_columns: false,
    },
    Question {
        name: "library",
        about: "objects and bytes of each package, by service",
        query: include_str!("../queries/library.sql"),
        tables: &["runs", "counts", "sites"],
        reads_later_columns: false,
    },
    Question {
        name: "context",
        about: "objects and bytes of each request, query and job, by service",
        query: include_str!("../queries/context.sql"),
        tables: &["runs", "counts", "contexts"],
        reads_later_columns: true,
    },
];

/// The filters and limits of a question.
#[derive(Clone, Debug, Default)]
pub struct Asked {
    /// Only this service.
    pub service: Option<String>,
    /// The old version; else the last but one of each service.
    pub before: Option<String>,
    /// The new version; else the last of each service.
    pub after: Option<String>,
    /// Only from this day on, `2026-11-27`.
    pub since: Option<String>,
    /// Only up to this day.
    pub until: Option<String>,
    /// Only this package and those below.
    pub package: Option<String>,
    /// At most so many rows.
    pub rows: u64,
}

/// Who runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    /// DuckDB 2.
    DuckDb,
    /// Spark SQL 4.
    Spark,
}

impl Question {
    /// The question of that name.
    pub fn named(name: &str) -> Option<&'static Self> {
        QUESTIONS.iter().find(|question| question.name == name)
    }

    /// The statements that the engine must execute first, each without a semicolon.
    pub fn prelude(&self, engine: Engine, root: &str, asked: &Asked) -> Vec<String> {
        let mut statements = match engine {
            Engine::DuckDb => vec![
                "SET TimeZone = 'UTC'".to_owned(),
                // It would go to standard output, among the rows.
                "SET enable_progress_bar = false".to_owned(),
            ],
            Engine::Spark => vec![
                "SET spark.sql.session.timeZone=UTC".to_owned(),
                "SET spark.sql.sources.partitionColumnTypeInference.enabled=false".to_owned(),
            ],
        };
        for table in self.tables {
            statements.extend(self.views(engine, root, table, asked));
        }
        statements.push(format!("{} asked AS {}", create(engine), asked.row()));
        statements
    }

    /// The query with its number of rows.
    pub fn sql(&self, asked: &Asked) -> String {
        format!("{}LIMIT {}", self.query, asked.rows)
    }

    fn views(&self, engine: Engine, root: &str, table: &str, asked: &Asked) -> Vec<String> {
        let create = create(engine);
        let has_days = !DICTIONARIES.contains(&table);
        let wanted = asked.partitions(has_days);
        match engine {
            Engine::DuckDb => {
                let (depth, types) = match has_days {
                    true => ("*/*", "'service': VARCHAR, 'date': DATE"),
                    false => ("*", "'service': VARCHAR"),
                };
                let files = quoted(&format!("{root}/{LAYOUT}/{table}/{depth}/*.parquet"));
                let later = match self.reads_later_columns {
                    true => ", union_by_name = true",
                    false => "",
                };
                vec![format!(
                    "{create} {table} AS SELECT * FROM read_parquet({files}, hive_partitioning = true, hive_types = {{{types}}}{later}){wanted}"
                )]
            }
            Engine::Spark => {
                let files = quoted(&format!("{root}/{LAYOUT}/{table}"));
                let columns = match has_days {
                    true => "* EXCEPT (date), CAST(date AS DATE) AS date",
                    false => "*",
                };
                let later = match self.reads_later_columns {
                    true => ", mergeSchema true",
                    false => "",
                };
                vec![
                    format!("{create} {table}_files USING parquet OPTIONS (path {files}{later})"),
                    format!(
                        "{create} {table} AS SELECT * FROM (SELECT {columns} FROM {table}_files){wanted}"
                    ),
                ]
            }
        }
    }
}

impl Asked {
    fn row(&self) -> String {
        let text = |text: &Option<String>| match text {
            Some(text) => quoted(text),
            None => "CAST(NULL AS VARCHAR(100))".to_owned(),
        };
        format!(
            "SELECT {} AS before_version, {} AS after_version, {} AS package",
            text(&self.before),
            text(&self.after),
            text(&self.package)
        )
    }

    /// Which partitions are wanted.
    fn partitions(&self, has_days: bool) -> String {
        let service = self
            .service
            .iter()
            .map(|name| format!("service = {}", quoted(name)));
        let since = self
            .since
            .iter()
            .map(|day| format!("date >= DATE {}", quoted(day)));
        let until = self
            .until
            .iter()
            .map(|day| format!("date <= DATE {}", quoted(day)));
        let days = since.chain(until).filter(|_| has_days);
        let all: Vec<String> = service.chain(days).collect();
        match all.is_empty() {
            true => String::new(),
            false => format!(" WHERE {}", all.join(" AND ")),
        }
    }
}

fn create(engine: Engine) -> &'static str {
    match engine {
        Engine::DuckDb => "CREATE OR REPLACE TEMPORARY VIEW",
        Engine::Spark => "CREATE OR REPLACE TEMPORARY VIEW",
    }
}

/// A text of SQL; a quote in it is written twice, which both engines read.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\\', "\\\\").replace('\'', "''"))
}
