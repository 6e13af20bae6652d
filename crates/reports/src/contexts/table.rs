//! One row for each context, place and type. Figures of executions are in the first row of a context.

use super::document::{
    ContextAmountDoc, ContextExecutionsDoc, ContextsReport, ExecutionContextDoc,
    ExecutionObjectsDoc,
};
use crate::json::AmountDoc;
use crate::table::{Table, Unit, Value};

/// A context, or one of its places.
pub(super) struct Row<'a> {
    pub(super) context: &'a ExecutionContextDoc,
    pub(super) site: Option<&'a ContextAmountDoc>,
    pub(super) executions: Option<&'a ContextExecutionsDoc>,
}

impl<'a> Row<'a> {
    /// The part of its bytes in those of its whole: the run, or the context.
    fn share(&self, run: AmountDoc) -> Value {
        let context = self.context.bytes;
        self.site.map_or(Value::share(context, run.bytes), |site| {
            Value::share(site.bytes, context)
        })
    }

    fn name(&self) -> String {
        let Some(site) = self.site else {
            return self.context.name.clone();
        };
        let place = site
            .caller
            .clone()
            .unwrap_or_else(|| site.location.to_string());
        format!("  {} at {place}", site.ty)
    }

    fn figure(&self, of: fn(&ContextExecutionsDoc) -> Value) -> Value {
        self.executions.map_or(Value::Absent, of)
    }

    fn objects(&self) -> Option<&'a ExecutionObjectsDoc> {
        self.executions?.objects.as_ref()
    }
}

pub(super) fn csv(report: &ContextsReport) -> String {
    let rows = report.contexts.iter().flat_map(|context| {
        let first = Row {
            context,
            site: context.sites.first(),
            executions: context.executions.as_ref(),
        };
        let others = context.sites.iter().skip(1).map(move |site| Row {
            context,
            site: Some(site),
            executions: None,
        });
        std::iter::once(first).chain(others)
    });
    table(report).csv(rows)
}

#[rustfmt::skip]
pub(super) fn table(report: &ContextsReport) -> Table<'_, Row<'_>> {
    let tenths = |value: f64| format!("{value:.1}");
    let total = report.total;
    Table::<Row<'_>>::new()
        .in_csv("kind", |row| row.context.kind.clone())
        .in_csv("context", |row| row.context.name.clone())
        .in_csv("class", |row| Some(row.site?.location.class.clone()))
        .in_csv("method", |row| Some(row.site?.location.method.clone()))
        .in_csv("descriptor", |row| Some(row.site?.location.descriptor.clone()))
        .in_csv("bci", |row| Some(row.site?.location.bci))
        .in_csv("line", |row| row.site?.location.line)
        .in_csv("type", |row| Some(row.site?.ty.clone()))
        .in_csv("caller", |row| row.site?.caller.clone())
        .in_csv("count", |row| Some(row.site?.count))
        .in_csv("bytes", |row| Some(row.site?.bytes))
        .in_text("share", Unit::Share, move |row| row.share(total))
        .in_text("bytes", Unit::Bytes, |row| row.site.map_or(row.context.bytes, |site| site.bytes))
        .in_text("objects", Unit::Count, |row| row.site.map_or(row.context.count, |site| site.count))
        .column("executions", "executions", Unit::Count, |row| row.figure(|all| all.count.into()))
        .in_csv("execution_bytes", |row| Some(row.executions?.bytes))
        .in_csv("execution_mean", move |row| Some(tenths(row.executions?.mean)))
        .in_text("mean", Unit::Count, |row| row.figure(|all| (all.mean.round() as i64).into()))
        .column("execution_median", "median", Unit::Count, |row| row.figure(|all| all.median.into()))
        .column("execution_p99", "99 %", Unit::Count, |row| row.figure(|all| all.p99.into()))
        .column("execution_largest", "largest", Unit::Count, |row| row.figure(|all| all.largest.into()))
        .in_csv("largest_unix_millis", |row| row.executions?.largest_unix_millis)
        .in_csv("largest_thread", |row| row.executions?.largest_thread.clone())
        .in_csv("largest_trace", |row| row.executions?.largest_trace.clone())
        .in_csv("execution_objects_mean", move |row| Some(tenths(row.objects()?.mean)))
        .in_csv("execution_objects_median", |row| Some(row.objects()?.median))
        .in_csv("execution_objects_p99", |row| Some(row.objects()?.p99))
        .in_csv("execution_objects_most", |row| row.objects()?.most)
        .in_text("context", Unit::Text, Row::name)
}
