//! Facts to the tables of the star, and the tables into a store.
//!
//! The row of `runs` is written last: no question joins the files of a killed export, and the next export replaces them.

use std::collections::BTreeMap;
use std::sync::Arc;

use ducktrack_count_model::{ContextName, RunState};

use crate::day::Day;
use crate::{
    Column, DayFacts, FleetError, Origin, Place, RunFacts, SiteId, Table, TraceFacts, Values,
};

/// The version of the layout; see `SCHEMA.md`.
const LAYOUT: &str = "v1";
/// The state of a run that goes on in the next day.
const CONTINUED: &str = "continued";

/// Gives tables their format, and puts them below a root.
pub trait TableWriter {
    /// Writes a file, or replaces it; returns its bytes.
    ///
    /// # Errors
    /// When it cannot be written; then the file that was there before is still there.
    fn write(&mut self, table: &Table) -> Result<u64, FleetError>;
}

/// Writes all tables, in an order in which a crash does no harm; returns rows and bytes.
///
/// # Errors
/// At the first file that cannot be written.
pub fn export(
    writer: &mut dyn TableWriter,
    origin: &Origin,
    facts: &RunFacts,
    trace: Option<&TraceFacts>,
) -> Result<(usize, u64), FleetError> {
    let (mut rows, mut bytes) = (0, 0);
    for table in tables(origin, facts, trace)? {
        rows += table.rows();
        bytes += writer.write(&table)?;
    }
    Ok((rows, bytes))
}

/// All files, in the order in which they must be written.
///
/// # Errors
/// When names cannot stand in paths.
pub fn tables(
    origin: &Origin,
    facts: &RunFacts,
    trace: Option<&TraceFacts>,
) -> Result<Vec<Table>, FleetError> {
    origin.check()?;
    let run = RunFiles {
        origin,
        facts,
        id: run_id(origin, facts),
    };
    let mut files = vec![run.sites(trace)];
    if !facts.contexts.is_empty() {
        files.push(run.contexts());
    }
    for day in &facts.days {
        files.push(run.counts(day));
    }
    if let Some(trace) = trace {
        files.extend(run.traced(trace));
    }
    for day in &facts.days {
        files.push(run.run(day));
    }
    Ok(files)
}

/// The same recording is the same run, whoever exports it and how often.
fn run_id(origin: &Origin, facts: &RunFacts) -> i64 {
    let run = &facts.run;
    let SiteId(id) = SiteId::of(&[
        &origin.host,
        &run.pid.to_string(),
        &run.start_unix_millis.to_string(),
        &run.command,
    ]);
    let [first, ..] = id.as_chunks::<8>().0 else {
        return 0;
    };
    i64::from_be_bytes(*first)
}

/// The files of one run.
struct RunFiles<'a> {
    origin: &'a Origin,
    facts: &'a RunFacts,
    id: i64,
}

impl RunFiles<'_> {
    fn file<R>(
        &self,
        table: &str,
        day: Option<Day>,
        rows: Columns<'_, R>,
        sorted_by: &[usize],
    ) -> Table {
        let Origin { service, host, .. } = self.origin;
        let date = day.map_or_else(String::new, |day| format!("date={}/", day.date()));
        Table {
            path: format!(
                "{LAYOUT}/{table}/service={service}/{date}{host}-{:016x}.parquet",
                self.id
            ),
            columns: rows.columns,
            sorted_by: sorted_by.to_vec(),
        }
    }

    /// Rows of a table whose first column is the run.
    fn of_run<'r, R>(&self, rows: &'r [R]) -> Columns<'r, R> {
        Columns::of(rows).column("run_id", Values::Numbers, |_| Some(self.id))
    }

    #[rustfmt::skip]
    fn sites(&self, trace: Option<&TraceFacts>) -> Table {
        let of_trace = trace.iter().flat_map(|trace| trace.places.values());
        let places = self.facts.places.values().chain(of_trace);
        let places: BTreeMap<SiteId, &Place> = places.map(|place| (place.id, place)).collect();
        let places: Vec<&Place> = places.into_values().collect();
        let columns = Columns::of(&places)
            .column("site", Values::Sites, |row| Some(row.id))
            .column("package", Values::Texts, |row| text(row.package()))
            .column("class", Values::Texts, |row| text(&row.class))
            .column("method", Values::Texts, |row| Some(Arc::clone(&row.method)))
            .column("descriptor", Values::Texts, |row| Some(Arc::clone(&row.descriptor)))
            .column("type", Values::Texts, |row| text(&row.ty))
            .column("how", Values::Texts, |row| text(row.how))
            .column("ordinal", Values::Numbers, |row| Some(row.ordinal.into()))
            .column("bci", Values::Numbers, |row| Some(row.bci.into()))
            .column("line", Values::Numbers, |row| row.line.map(i64::from))
            .column("file", Values::Texts, |row| row.file.clone());
        self.file("sites", None, columns, &[0])
    }

    fn contexts(&self) -> Table {
        let combinations = self.facts.contexts.iter();
        let parts: Vec<(SiteId, &ContextName)> = combinations
            .flat_map(|(id, parts)| parts.iter().map(|part| (*id, part)))
            .collect();
        let columns = Columns::of(&parts)
            .column("context", Values::Sites, |(id, _)| Some(*id))
            .column("kind", Values::Texts, |(_, part)| text(&part.kind))
            .column("name", Values::Texts, |(_, part)| text(&part.name));
        self.file("contexts", None, columns, &[0, 1])
    }

    #[rustfmt::skip]
    fn counts(&self, day: &DayFacts) -> Table {
        let moment = |at: u32, of: fn(&crate::Window) -> u64| {
            let window = day.windows.get(at as usize);
            window.map(|window| signed(of(window)))
        };
        let columns = self
            .of_run(&day.counts)
            .column("site", Values::Sites, |row| Some(row.site))
            .column("caller", Values::Sites, |row| row.caller)
            .column("context", Values::Sites, |row| row.context)
            .column("window_start", Values::Times, |row| moment(row.window, |at| at.start))
            .column("window_end", Values::Times, |row| moment(row.window, |at| at.end))
            .column("objects", Values::Amounts, |row| Some(row.objects))
            .column("bytes", Values::Amounts, |row| Some(row.bytes))
            .column("materialized", Values::Amounts, |row| row.materialized);
        self.file("counts", Some(day.day), columns, &[1, 2, 3, 4])
    }

    /// Facts of a whole traced run are in the day in which it began.
    #[rustfmt::skip]
    fn traced(&self, trace: &TraceFacts) -> [Table; 4] {
        let day = Some(Day::of_millis(self.facts.run.start_unix_millis));
        let gc = trace.gc.map(i64::from);
        let of_ages = self
            .of_run(&trace.ages)
            .column("site", Values::Sites, |row| row.site)
            .column("collections_survived", Values::Numbers, |row| Some(row.collections_survived.into()))
            .column("objects", Values::Amounts, |row| Some(signed(row.objects)))
            .column("bytes", Values::Amounts, |row| Some(signed(row.bytes)));
        let of_live = self
            .of_run(&trace.live)
            .column("gc", Values::Numbers, |_| gc)
            .column("site", Values::Sites, |row| row.site)
            .column("objects", Values::Amounts, |row| Some(signed(row.objects)))
            .column("bytes", Values::Amounts, |row| Some(signed(row.bytes)))
            .column("median_age", Values::Numbers, |row| Some(row.median_age.into()))
            .column("oldest_age", Values::Numbers, |row| Some(row.oldest_age.into()))
            .column("stale_objects", Values::Amounts, |row| row.stale_objects.map(signed))
            .column("stale_bytes", Values::Amounts, |row| row.stale_bytes.map(signed));
        let of_gcs = self
            .of_run(&trace.gcs)
            .column("gc", Values::Numbers, |row| Some(row.gc.into()))
            .column("start_time", Values::Times, |row| Some(signed(row.at / 1000)))
            .column("kind", Values::Texts, |row| text(&row.kind))
            .column("cause", Values::Texts, |row| text(&row.cause))
            .column("pause_ns", Values::Amounts, |row| Some(signed(row.pause_ns)))
            .column("bytes_before", Values::Amounts, |row| Some(signed(row.before)))
            .column("bytes_after", Values::Amounts, |row| Some(signed(row.after)));
        let of_leaks = self
            .of_run(&trace.leaks)
            .column("site", Values::Sites, |row| row.site)
            .column("verdict", Values::Texts, |row| text(row.verdict))
            .column("confidence_permille", Values::Numbers, |row| Some(row.confidence_permille))
            .column("objects_per_hour", Values::Amounts, |row| Some(row.objects_per_hour))
            .column("bytes_per_hour", Values::Amounts, |row| Some(row.bytes_per_hour))
            .column("live_objects", Values::Amounts, |row| Some(signed(row.live_objects)))
            .column("live_bytes", Values::Amounts, |row| Some(signed(row.live_bytes)));
        [
            self.file("ages", day, of_ages, &[1, 2]),
            self.file("live", day, of_live, &[2]),
            self.file("gcs", day, of_gcs, &[1]),
            self.file("leaks", day, of_leaks, &[]),
        ]
    }

    #[rustfmt::skip]
    fn run(&self, day: &DayFacts) -> Table {
        let (run, origin) = (&self.facts.run, self.origin);
        let start = day.windows.first().map(|window| signed(window.start));
        let end = day.windows.last().map(|window| signed(window.end));
        let millis = start.zip(end).map(|(start, end)| end - start);
        let is_last = day.state.is_some();
        let requests = origin.requests.filter(|_| is_last).map(signed);
        let rows = [day];
        let columns = self
            .of_run(&rows)
            .column("version", Values::Texts, |_| text(&origin.version))
            .column("host", Values::Texts, |_| text(&origin.host))
            .column("pod", Values::Texts, |_| text(origin.pod.as_ref()?))
            .column("pid", Values::Numbers, |_| Some(run.pid.into()))
            .column("jdk", Values::Texts, |_| text(&run.java_version))
            .column("collector", Values::Texts, |_| text(&run.collector))
            .column("mode", Values::Texts, |_| text(run.mode.name()))
            .column("command", Values::Texts, |_| text(&run.command))
            .column("agent", Values::Texts, |_| text(&run.agent_version))
            .column("labels", Values::Texts, |_| text(&origin.labels.text()))
            .column("start_time", Values::Times, |_| start)
            .column("end_time", Values::Times, |_| end)
            .column("millis", Values::Numbers, |_| millis)
            .column("objects", Values::Numbers, |row| Some(row.objects))
            .column("bytes", Values::Numbers, |row| Some(row.bytes))
            .column("vm_bytes", Values::Numbers, |row| row.vm_bytes)
            .column("explained_bytes", Values::Numbers, |row| row.explained_bytes)
            .column("requests", Values::Numbers, |_| requests)
            .column("state", Values::Texts, |row| text(row.state.map_or(CONTINUED, RunState::name)))
            .column("lost", Values::Texts, |row| text(row.lost.as_ref()?));
        self.file("runs", Some(day.day), columns, &[])
    }
}

/// The columns of some rows.
struct Columns<'a, R> {
    rows: &'a [R],
    columns: Vec<Column>,
}

impl<'a, R> Columns<'a, R> {
    fn of(rows: &'a [R]) -> Self {
        let columns = Vec::new();
        Self { rows, columns }
    }

    fn column<V>(
        mut self,
        name: &'static str,
        values: fn(Vec<Option<V>>) -> Values,
        value: impl Fn(&R) -> Option<V>,
    ) -> Self {
        let values = values(self.rows.iter().map(value).collect());
        let name = name.into();
        self.columns.push(Column { name, values });
        self
    }
}

fn text(text: &str) -> Option<Arc<str>> {
    Some(text.into())
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
