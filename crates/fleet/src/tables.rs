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
    fn file(
        &self,
        table: &str,
        day: Option<Day>,
        columns: impl Into<Vec<Column>>,
        sorted_by: &[usize],
    ) -> Table {
        let Origin { service, host, .. } = self.origin;
        let date = day.map_or_else(String::new, |day| format!("date={}/", day.date()));
        Table {
            path: format!(
                "{LAYOUT}/{table}/service={service}/{date}{host}-{:016x}.parquet",
                self.id
            ),
            columns: columns.into(),
            sorted_by: sorted_by.to_vec(),
        }
    }

    fn ids(&self, rows: usize) -> Column {
        column("run_id", Values::Numbers(vec![Some(self.id); rows]))
    }

    fn sites(&self, trace: Option<&TraceFacts>) -> Table {
        let mut places: BTreeMap<SiteId, &Place> = BTreeMap::new();
        let of_trace = trace.iter().flat_map(|trace| trace.places.values());
        for place in self.facts.places.values().chain(of_trace) {
            places.insert(place.id, place);
        }
        let all = || places.values();
        let text = |name, of: &dyn Fn(&Place) -> Arc<str>| {
            column(name, Values::texts(all().map(|place| of(place))))
        };
        let columns = [
            column(
                "site",
                Values::Sites(all().map(|place| Some(place.id)).collect()),
            ),
            text("package", &|place| place.package().into()),
            text("class", &|place| place.class.as_str().into()),
            text("method", &|place| Arc::clone(&place.method)),
            text("descriptor", &|place| Arc::clone(&place.descriptor)),
            text("type", &|place| place.ty.as_str().into()),
            text("how", &|place| place.how.into()),
            column(
                "ordinal",
                Values::numbers(all().map(|place| place.ordinal.into())),
            ),
            column("bci", Values::numbers(all().map(|place| place.bci.into()))),
            column(
                "line",
                Values::Numbers(all().map(|place| place.line.map(i64::from)).collect()),
            ),
            column(
                "file",
                Values::Texts(all().map(|place| place.file.clone()).collect()),
            ),
        ];
        self.file("sites", None, columns, &[0])
    }

    fn contexts(&self) -> Table {
        let combinations = self.facts.contexts.iter();
        let parts: Vec<(SiteId, &ContextName)> = combinations
            .flat_map(|(id, parts)| parts.iter().map(|part| (*id, part)))
            .collect();
        let text = |name, of: fn(&ContextName) -> &str| {
            column(name, Values::texts(parts.iter().map(|(_, part)| of(part))))
        };
        let columns = [
            column(
                "context",
                Values::Sites(parts.iter().map(|(id, _)| Some(*id)).collect()),
            ),
            text("kind", |part| &part.kind),
            text("name", |part| &part.name),
        ];
        self.file("contexts", None, columns, &[0, 1])
    }

    fn counts(&self, day: &DayFacts) -> Table {
        let rows = &day.counts;
        let moment = |at: u32, of: fn(&crate::Window) -> u64| {
            day.windows
                .get(at as usize)
                .map(|window| signed(of(window)))
        };
        let columns = [
            self.ids(rows.len()),
            column(
                "site",
                Values::Sites(rows.iter().map(|row| Some(row.site)).collect()),
            ),
            column(
                "caller",
                Values::Sites(rows.iter().map(|row| row.caller).collect()),
            ),
            column(
                "context",
                Values::Sites(rows.iter().map(|row| row.context).collect()),
            ),
            column(
                "window_start",
                Values::Times(
                    rows.iter()
                        .map(|row| moment(row.window, |window| window.start))
                        .collect(),
                ),
            ),
            column(
                "window_end",
                Values::Times(
                    rows.iter()
                        .map(|row| moment(row.window, |window| window.end))
                        .collect(),
                ),
            ),
            column(
                "objects",
                Values::amounts(rows.iter().map(|row| row.objects)),
            ),
            column("bytes", Values::amounts(rows.iter().map(|row| row.bytes))),
            column(
                "materialized",
                Values::Amounts(rows.iter().map(|row| row.materialized).collect()),
            ),
        ];
        self.file("counts", Some(day.day), columns, &[1, 2, 3, 4])
    }

    /// Facts of a whole traced run are in the day in which it began.
    fn traced(&self, trace: &TraceFacts) -> [Table; 4] {
        let day = Some(Day::of_millis(self.facts.run.start_unix_millis));
        let (ages, live, gcs, leaks) = (&trace.ages, &trace.live, &trace.gcs, &trace.leaks);
        let of_ages = [
            self.ids(ages.len()),
            column(
                "site",
                Values::Sites(ages.iter().map(|row| row.site).collect()),
            ),
            column(
                "collections_survived",
                Values::numbers(ages.iter().map(|row| row.collections_survived.into())),
            ),
            column(
                "objects",
                Values::amounts(ages.iter().map(|row| signed(row.objects))),
            ),
            column(
                "bytes",
                Values::amounts(ages.iter().map(|row| signed(row.bytes))),
            ),
        ];
        let gc = trace.gc.map(i64::from);
        let stale = |of: fn(&crate::LiveFact) -> Option<u64>| {
            Values::Amounts(live.iter().map(|row| of(row).map(signed)).collect())
        };
        let of_live = [
            self.ids(live.len()),
            column("gc", Values::Numbers(vec![gc; live.len()])),
            column(
                "site",
                Values::Sites(live.iter().map(|row| row.site).collect()),
            ),
            column(
                "objects",
                Values::amounts(live.iter().map(|row| signed(row.objects))),
            ),
            column(
                "bytes",
                Values::amounts(live.iter().map(|row| signed(row.bytes))),
            ),
            column(
                "median_age",
                Values::numbers(live.iter().map(|row| row.median_age.into())),
            ),
            column(
                "oldest_age",
                Values::numbers(live.iter().map(|row| row.oldest_age.into())),
            ),
            column("stale_objects", stale(|row| row.stale_objects)),
            column("stale_bytes", stale(|row| row.stale_bytes)),
        ];
        let of_gcs = [
            self.ids(gcs.len()),
            column("gc", Values::numbers(gcs.iter().map(|row| row.gc.into()))),
            column(
                "start_time",
                Values::Times(gcs.iter().map(|row| Some(signed(row.at / 1000))).collect()),
            ),
            column(
                "kind",
                Values::texts(gcs.iter().map(|row| row.kind.as_str())),
            ),
            column(
                "cause",
                Values::texts(gcs.iter().map(|row| row.cause.as_str())),
            ),
            column(
                "pause_ns",
                Values::amounts(gcs.iter().map(|row| signed(row.pause_ns))),
            ),
            column(
                "bytes_before",
                Values::amounts(gcs.iter().map(|row| signed(row.before))),
            ),
            column(
                "bytes_after",
                Values::amounts(gcs.iter().map(|row| signed(row.after))),
            ),
        ];
        let of_leaks = [
            self.ids(leaks.len()),
            column(
                "site",
                Values::Sites(leaks.iter().map(|row| row.site).collect()),
            ),
            column(
                "verdict",
                Values::texts(leaks.iter().map(|row| row.verdict)),
            ),
            column(
                "confidence_permille",
                Values::numbers(leaks.iter().map(|row| row.confidence_permille)),
            ),
            column(
                "objects_per_hour",
                Values::amounts(leaks.iter().map(|row| row.objects_per_hour)),
            ),
            column(
                "bytes_per_hour",
                Values::amounts(leaks.iter().map(|row| row.bytes_per_hour)),
            ),
            column(
                "live_objects",
                Values::amounts(leaks.iter().map(|row| signed(row.live_objects))),
            ),
            column(
                "live_bytes",
                Values::amounts(leaks.iter().map(|row| signed(row.live_bytes))),
            ),
        ];
        [
            self.file("ages", day, of_ages, &[1, 2]),
            self.file("live", day, of_live, &[2]),
            self.file("gcs", day, of_gcs, &[1]),
            self.file("leaks", day, of_leaks, &[]),
        ]
    }

    fn run(&self, day: &DayFacts) -> Table {
        let (run, origin) = (&self.facts.run, self.origin);
        let text = |name, text: &str| column(name, Values::texts([text].into_iter()));
        let maybe =
            |name, text: Option<&str>| column(name, Values::Texts(vec![text.map(Arc::from)]));
        let number = |name, number: Option<i64>| column(name, Values::Numbers(vec![number]));
        let start = day.windows.first().map(|window| signed(window.start));
        let end = day.windows.last().map(|window| signed(window.end));
        let millis = start.zip(end).map(|(start, end)| end - start);
        let is_last = day.state.is_some();
        let requests = origin.requests.filter(|_| is_last).map(signed);
        let columns = [
            self.ids(1),
            text("version", &origin.version),
            text("host", &origin.host),
            maybe("pod", origin.pod.as_deref()),
            number("pid", Some(run.pid.into())),
            text("jdk", &run.java_version),
            text("collector", &run.collector),
            text("mode", run.mode.name()),
            text("command", &run.command),
            text("agent", &run.agent_version),
            text("labels", &origin.labels.text()),
            column("start_time", Values::Times(vec![start])),
            column("end_time", Values::Times(vec![end])),
            number("millis", millis),
            number("objects", Some(day.objects)),
            number("bytes", Some(day.bytes)),
            number("vm_bytes", day.vm_bytes),
            number("explained_bytes", day.explained_bytes),
            number("requests", requests),
            text("state", day.state.map_or(CONTINUED, RunState::name)),
            maybe("lost", day.lost.as_deref()),
        ];
        self.file("runs", Some(day.day), columns, &[])
    }
}

fn column(name: &'static str, values: Values) -> Column {
    Column {
        name: name.into(),
        values,
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
