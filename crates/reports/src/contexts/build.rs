//! Model to report: for each kind, the objects of each context, and those outside.

use std::collections::BTreeMap;

use ducktrack_count_model::{CallIndex, ContextIndex, CountModel, Distribution, Executions, Tally};

use super::document::{
    ContextAmountDoc, ContextExecutionsDoc, ContextKindDoc, ContextsReport, ExecutionContextDoc,
    ExecutionObjectsDoc,
};
use crate::amount_doc::amount;
use crate::build::{caller, location};
use crate::class_name::{printable, readable_class, readable_type};
use crate::filter::Filter;
use crate::json::run_of_model;

/// The value of the key `format`.
const FORMAT: &str = "ducktrack-contexts";
/// All sentences of the agent about contexts begin with it.
const OF_CONTEXTS: &str = "contexts";
/// The value of the key `version`.
const VERSION: u32 = 1;
/// Where the trace does not tell the type.
const UNKNOWN_TYPE: &str = "(type not known)";

/// A site of the model, a type, and the call to blame.
type Cell = (usize, String, Option<CallIndex>);

/// The report of a model, of one kind of contexts or of all.
pub fn contexts_report(
    model: &CountModel,
    trace: &str,
    kind: Option<&str>,
    filter: &Filter,
) -> ContextsReport {
    let cells = cells(model, filter);
    let is_wanted = |context: &ExecutionContextDoc| {
        kind.is_none_or(|kind| kind == context.kind)
            && filter.wants_context(&context.kind, &context.name)
    };
    let whole = model.total;
    let rows = model.contexts.iter().enumerate();
    let rows = rows.map(|(index, row)| {
        let cells = cells.get(&ContextIndex::at(index));
        let sites = cells.map(|cells| amounts(model, cells)).unwrap_or_default();
        let sum = |of: fn(&ContextAmountDoc) -> i64| sites.iter().map(of).sum();
        let bytes = sum(|site| site.bytes);
        ExecutionContextDoc {
            kind: printable(&row.kind),
            name: printable(&row.name),
            count: sum(|site| site.count),
            bytes,
            share: part(bytes, whole.bytes),
            executions: row.executions.as_ref().map(executions),
            sites,
        }
    });
    let mut contexts: Vec<ExecutionContextDoc> = rows.filter(is_wanted).collect();
    contexts.retain(|context| context.count > 0 || context.executions.is_some());
    contexts.sort_by(|a, b| {
        let largest_first = (b.bytes, b.count).cmp(&(a.bytes, a.count));
        a.kind
            .cmp(&b.kind)
            .then(largest_first)
            .then_with(|| a.name.cmp(&b.name))
    });
    ContextsReport {
        format: FORMAT.to_owned(),
        version: VERSION,
        run: run_of_model(model, trace),
        total: amount(whole),
        kinds: kinds(&contexts, whole),
        contexts,
        losses: losses(model),
    }
}

/// The objects of each context.
fn cells(model: &CountModel, filter: &Filter) -> BTreeMap<ContextIndex, BTreeMap<Cell, Tally>> {
    let mut cells: BTreeMap<ContextIndex, BTreeMap<Cell, Tally>> = BTreeMap::new();
    for (index, site) in model.sites.iter().enumerate() {
        let class = printable(&readable_class(&model.method(site.method).class));
        for part in &site.parts {
            let ty = part.ty.as_deref().or(site.ty.as_deref());
            let ty = ty.map_or_else(|| UNKNOWN_TYPE.to_owned(), readable_type);
            let caller = part.context.map(|call| {
                let method = model.method(model.call(call).method);
                printable(&readable_class(&method.class))
            });
            let is_in_scope = filter.wants_class(&class)
                || caller.is_some_and(|caller| filter.wants_class(&caller));
            if !is_in_scope || !filter.wants_type(&ty) {
                continue;
            }
            for thread in &part.threads {
                for context in &model.thread(thread.thread).contexts {
                    let of_context = cells.entry(*context).or_default();
                    let cell = (index, ty.clone(), part.context);
                    *of_context.entry(cell).or_default() += thread.tally;
                }
            }
        }
    }
    cells
}

fn amounts(model: &CountModel, cells: &BTreeMap<Cell, Tally>) -> Vec<ContextAmountDoc> {
    let amount = |((site, ty, call), tally): (&Cell, &Tally)| {
        let site = model.sites.get(*site)?;
        Some(ContextAmountDoc {
            location: location(model.method(site.method), site.bci, site.line),
            ty: ty.clone(),
            caller: call.map(|call| caller(model, model.call(call)).to_string()),
            count: tally.count,
            bytes: tally.bytes,
        })
    };
    let mut amounts: Vec<ContextAmountDoc> = cells.iter().filter_map(amount).collect();
    amounts.sort_by_key(|site| std::cmp::Reverse((site.bytes, site.count)));
    amounts
}

fn executions(row: &Executions) -> ContextExecutionsDoc {
    let largest = row.largest.as_ref();
    let known = largest.filter(|largest| largest.unix_millis > 0);
    ContextExecutionsDoc {
        count: row.count,
        bytes: row.bytes,
        mean: row.mean(),
        median: row.by_bytes.quantile(0.5).unwrap_or(0),
        p99: row.by_bytes.quantile(0.99).unwrap_or(0),
        largest: largest.map(|largest| largest.bytes),
        largest_unix_millis: known.map(|largest| largest.unix_millis),
        largest_thread: known.map(|largest| printable(&largest.thread)),
        largest_trace: largest
            .and_then(|largest| largest.trace.as_deref())
            .map(printable),
        distribution: buckets(&row.by_bytes),
        objects: row.objects.as_ref().map(|objects| ExecutionObjectsDoc {
            sum: objects.sum,
            mean: objects.sum as f64 / row.count.max(1) as f64,
            median: objects.by_objects.quantile(0.5).unwrap_or(0),
            p99: objects.by_objects.quantile(0.99).unwrap_or(0),
            most: objects.most,
            distribution: buckets(&objects.by_objects),
        }),
    }
}

fn buckets(all: &Distribution) -> Vec<[u64; 2]> {
    let buckets = all.buckets();
    buckets.map(|(lowest, count)| [lowest, count]).collect()
}

fn kinds(contexts: &[ExecutionContextDoc], whole: Tally) -> Vec<ContextKindDoc> {
    let mut kinds: BTreeMap<&str, (u64, Tally)> = BTreeMap::new();
    for context in contexts {
        let (number, inside) = kinds.entry(&context.kind).or_default();
        *number += 1;
        *inside += Tally {
            count: context.count,
            bytes: context.bytes,
        };
    }
    let doc = |(kind, (contexts, inside)): (&str, (u64, Tally))| ContextKindDoc {
        kind: kind.to_owned(),
        contexts,
        inside: amount(inside),
        outside: amount(Tally {
            count: whole.count - inside.count,
            bytes: whole.bytes - inside.bytes,
        }),
    };
    kinds.into_iter().map(doc).collect()
}

/// The agent's sentences about contexts.
fn losses(model: &CountModel) -> Vec<String> {
    let all = model.losses().iter().chain(&model.run.notes);
    let of_contexts = all.filter(|sentence| sentence.starts_with(OF_CONTEXTS));
    of_contexts.map(|sentence| printable(sentence)).collect()
}

fn part(bytes: i64, whole: i64) -> f64 {
    match whole {
        0 => 0.0,
        whole => bytes as f64 / whole as f64,
    }
}
