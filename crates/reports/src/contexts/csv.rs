//! One row for each context, place and type. Figures of executions are in the first row of a context.

use super::document::{ContextAmountDoc, ContextsReport, ExecutionContextDoc, ExecutionObjectsDoc};
use crate::csv::quoted;

/// Figures of the executions of a context.
const FIGURES: usize = 13;
const HEADER: &str = "kind,context,class,method,descriptor,bci,line,type,caller,count,bytes,executions,execution_bytes,execution_mean,execution_median,\
                      execution_p99,execution_largest,largest_unix_millis,largest_thread,largest_trace,execution_objects_mean,\
                      execution_objects_median,execution_objects_p99,execution_objects_most\r\n";

pub(super) fn csv(report: &ContextsReport) -> String {
    let mut out = String::from(HEADER);
    for context in &report.contexts {
        let first = context.sites.first();
        push(&mut out, context, first, executions(context));
        for site in context.sites.iter().skip(1) {
            push(&mut out, context, Some(site), Default::default());
        }
    }
    out
}

fn push(
    out: &mut String,
    context: &ExecutionContextDoc,
    site: Option<&ContextAmountDoc>,
    executions: [String; FIGURES],
) {
    let of_site = |field: fn(&ContextAmountDoc) -> String| site.map(field).unwrap_or_default();
    let fields = [
        context.kind.clone(),
        context.name.clone(),
        of_site(|site| site.location.class.clone()),
        of_site(|site| site.location.method.clone()),
        of_site(|site| site.location.descriptor.clone()),
        of_site(|site| site.location.bci.to_string()),
        of_site(|site| {
            site.location
                .line
                .map(|line| line.to_string())
                .unwrap_or_default()
        }),
        of_site(|site| site.ty.clone()),
        of_site(|site| site.caller.clone().unwrap_or_default()),
        of_site(|site| site.count.to_string()),
        of_site(|site| site.bytes.to_string()),
    ];
    let fields: Vec<String> = fields
        .iter()
        .chain(&executions)
        .map(|field| quoted(field))
        .collect();
    out.push_str(&fields.join(","));
    out.push_str("\r\n");
}

fn executions(context: &ExecutionContextDoc) -> [String; FIGURES] {
    let Some(all) = &context.executions else {
        return Default::default();
    };
    let number = |value: Option<u64>| value.map(|value| value.to_string()).unwrap_or_default();
    let of_objects = |figure: &dyn Fn(&ExecutionObjectsDoc) -> String| {
        all.objects.as_ref().map(figure).unwrap_or_default()
    };
    [
        all.count.to_string(),
        all.bytes.to_string(),
        format!("{:.1}", all.mean),
        all.median.to_string(),
        all.p99.to_string(),
        number(all.largest),
        number(all.largest_unix_millis),
        all.largest_thread.clone().unwrap_or_default(),
        all.largest_trace.clone().unwrap_or_default(),
        of_objects(&|objects| format!("{:.1}", objects.mean)),
        of_objects(&|objects| objects.median.to_string()),
        of_objects(&|objects| objects.p99.to_string()),
        of_objects(&|objects| number(objects.most)),
    ]
}
