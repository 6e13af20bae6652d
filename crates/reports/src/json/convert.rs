//! View to document: the same facts under the documented keys.

use ducktrack_count_model::{
    AgentCost, ChosenWindows, CountModel, LengthBucket, RefusalGroup, Run, SnapshotRow,
    WindowChoice, WindowRow,
};

use ducktrack_profile::{Frame, MethodTotal, Profile, Unit, method_totals};

use super::document::*;
use crate::amount_doc::amount;
use crate::build::printable_run;
use crate::class_name::{printable, readable_class};
use crate::ending::Ending;
use crate::filter::Filter;
use crate::grouping::{by_caller, by_kind, by_type};
use crate::quantity::percent;
use crate::report_version::{FORMAT, VERSION};
use crate::view::{CauseView, Caused, Cell, Finding, SiteRow, Totals, View, eliminated};

/// The report under the documented keys.
pub fn document(view: &View) -> Document {
    Document {
        format: FORMAT.to_owned(),
        version: VERSION,
        run: run(view),
        filter: filter(&view.filter),
        totals: totals(&view.totals),
        selected: totals(&view.selected),
        kinds: kinds(view),
        completeness: completeness(view),
        increments: increments(view),
        refusals: refusals(view),
        cost: cost(&view.cost),
        damage: view.damage.iter().map(finding).collect(),
        losses: view.losses.clone(),
        notes: view.notes.clone(),
        stacks: stacks(&view.stacks),
        windows: view.windows.iter().map(|row| window(view, row)).collect(),
        chosen_windows: view.chosen_windows.as_ref().map(chosen_windows),
        caused: view.caused.as_ref().map(caused),
        causes: view
            .caused
            .iter()
            .flat_map(|caused| caused.calls.iter().map(cause))
            .collect(),
        off_heap: view.off_heap.clone(),
        sites: view
            .top_sites(usize::MAX)
            .iter()
            .map(|row| site(view, row))
            .collect(),
    }
}

fn window(view: &View, row: &WindowRow) -> RunWindowDoc {
    RunWindowDoc {
        name: row.name.clone(),
        start_millis: row
            .start_unix_millis
            .saturating_sub(view.run.start_unix_millis),
        millis: row.end_unix_millis.saturating_sub(row.start_unix_millis),
        objects: row.made.count,
        bytes: row.made.bytes,
    }
}

fn chosen_windows(chosen: &ChosenWindows) -> ChosenWindowsDoc {
    let (window, from, until) = match &chosen.choice {
        WindowChoice::Named(name) => (Some(name), None, None),
        WindowChoice::Between { from, until } => (None, from.as_ref(), until.as_ref()),
    };
    ChosenWindowsDoc {
        window: window.cloned(),
        from: from.cloned(),
        until: until.cloned(),
        windows: chosen.windows,
        millis: chosen.millis,
    }
}

fn caused(caused: &Caused) -> CausedDoc {
    CausedDoc {
        application: caused.application.clone(),
        own: amount(caused.own),
        charged: amount(caused.charged),
        no_call: amount(caused.no_call),
    }
}

fn cause(call: &CauseView) -> CauseDoc {
    let at = &call.caller.location;
    CauseDoc {
        class: at.class.clone(),
        method: at.method.clone(),
        descriptor: at.descriptor.clone(),
        bci: at.bci,
        line: at.line,
        source_file: at.source_file.clone(),
        target: call.caller.target.clone(),
        objects: call.inclusive.count,
        bytes: call.inclusive.bytes,
        charged_objects: call.charged.count,
        charged_bytes: call.charged.bytes,
    }
}

/// Methods in the report; the rest is little.
const MOST_METHODS: usize = 1000;

fn stacks(profile: &Profile) -> Option<StacksDoc> {
    let total = profile.total.bytes.max(1) as f64;
    let method = |method: &MethodTotal| {
        let Frame::Method {
            class,
            method: name,
            descriptor,
            ..
        } = profile.frame(method.frame)
        else {
            return None;
        };
        let interval = method.interval(profile, Unit::Bytes);
        Some(StackMethodDoc {
            class: readable_class(class),
            method: printable(name),
            descriptor: printable(descriptor),
            count: method.inclusive.count,
            bytes: method.inclusive.bytes,
            own_count: method.own.count,
            own_bytes: method.own.bytes,
            share: method.inclusive.bytes as f64 / total,
            interval: [interval.low / total, interval.high / total],
        })
    };
    (profile.samples > 0).then(|| StacksDoc {
        samples: profile.samples,
        dropped: profile.skipped,
        unmatched: profile.unmatched,
        micros: profile.micros,
        share: profile.share_with_stacks(Unit::Bytes),
        methods: method_totals(profile, Unit::Bytes)
            .iter()
            .take(MOST_METHODS)
            .filter_map(method)
            .collect(),
    })
}

fn site(view: &View, row: &SiteRow) -> SiteDoc {
    let at = &row.location;
    SiteDoc {
        class: at.class.clone(),
        method: at.method.clone(),
        descriptor: at.descriptor.clone(),
        bci: at.bci,
        line: at.line,
        source_file: at.source_file.clone(),
        ty: row.ty.clone(),
        kind: row.kind.to_owned(),
        count: row.executed.count,
        bytes: row.executed.bytes,
        size_unknown: row.bytes_unknown,
        materialized: row.materialized.map(amount),
        types: types(&row.cells),
        context: contexts(view, row),
        threads: threads(row),
        lengths: lengths(row),
    }
}

fn types<'a>(cells: impl IntoIterator<Item = &'a Cell>) -> Vec<TypeDoc> {
    by_type(cells)
        .into_iter()
        .map(|(ty, amount)| TypeDoc {
            ty: ty.to_owned(),
            count: amount.count,
            bytes: amount.bytes,
        })
        .collect()
}

fn contexts(view: &View, row: &SiteRow) -> Vec<ContextDoc> {
    if row.cells.iter().all(|cell| cell.caller.is_none()) {
        return Vec::new();
    }
    by_caller(&row.cells)
        .into_iter()
        .map(|(id, amount)| {
            let caller = id.and_then(|id| view.caller(id));
            let types = types(row.cells.iter().filter(|cell| cell.caller == id));
            ContextDoc::of(caller, self::amount(amount), types)
        })
        .collect()
}

fn threads(row: &SiteRow) -> Vec<ThreadDoc> {
    row.threads
        .iter()
        .map(|thread| ThreadDoc {
            name: thread.name.clone(),
            count: thread.executed.count,
            bytes: thread.executed.bytes,
        })
        .collect()
}

fn lengths(row: &SiteRow) -> Vec<LengthDoc> {
    row.lengths.iter().map(|bucket| length(*bucket)).collect()
}

fn length(bucket: LengthBucket) -> LengthDoc {
    let (low, high) = bucket.range();
    LengthDoc {
        low,
        high,
        count: bucket.count,
    }
}

fn kinds(view: &View) -> Vec<KindDoc> {
    by_kind(&view.sites)
        .into_iter()
        .map(|(kind, amount)| KindDoc {
            kind: kind.to_owned(),
            count: amount.count,
            bytes: amount.bytes,
        })
        .collect()
}

fn totals(totals: &Totals) -> TotalsDoc {
    TotalsDoc {
        sites: totals.sites as u64,
        count: totals.executed.count,
        bytes: totals.executed.bytes,
        materialized: totals.materialized.map(amount),
        eliminated: totals.materialized.map(|materialized| {
            amount(eliminated(totals.executed_where_materialized, materialized))
        }),
    }
}

pub(crate) fn filter(filter: &Filter) -> FilterDoc {
    FilterDoc {
        only: filter.only.clone(),
        types: filter.types.clone(),
        thread: filter.threads.clone(),
        context: filter.contexts.clone(),
        top: filter.top.map(|top| top as u64),
        sort: filter.sort.name().to_owned(),
    }
}

pub(crate) fn run(view: &View) -> RunDoc {
    run_of(
        (&view.trace, &view.run),
        view.snapshot.as_ref(),
        &view.ending,
    )
}

/// The same of a model, without a view of its objects.
pub(crate) fn run_of_model(model: &CountModel, trace: &str) -> RunDoc {
    let (trace, run) = (printable(trace), printable_run(&model.run));
    run_of((&trace, &run), model.snapshots.last(), &Ending::of(model))
}

fn run_of((trace, run): (&str, &Run), snapshot: Option<&SnapshotRow>, ending: &Ending) -> RunDoc {
    let snapshot_millis = snapshot.map(|snapshot| snapshot.unix_millis);
    RunDoc {
        trace: trace.to_owned(),
        pid: run.pid,
        command: run.command.clone(),
        vm: format!("{} {}", run.vm_name, run.vm_version)
            .trim()
            .to_owned(),
        java_version: run.java_version.clone(),
        collector: run.collector.clone(),
        agent_version: run.agent_version.clone(),
        options: run.options.clone(),
        mode: run.mode.to_string(),
        counters: run.counters.clone(),
        slot: run.slot.clone(),
        attached: run.attached,
        start_unix_millis: run.start_unix_millis,
        duration_millis: snapshot_millis.and_then(|at| at.checked_sub(run.start_unix_millis)),
        ready_after_millis: run.ready_after_millis,
        snapshot: snapshot.map(|snapshot| snapshot.sequence),
        snapshot_cause: snapshot.map(|snapshot| snapshot.cause.clone()),
        ended: ending.cause.clone(),
        state: ending.state.name().to_owned(),
        values: ending.values,
        private_threads: ending.private_threads.clone(),
        out_of_memory: ending.out_of_memory.clone(),
    }
}

fn completeness(view: &View) -> CompletenessDoc {
    let completeness = &view.completeness;
    let explained = completeness.explained_bytes();
    CompletenessDoc {
        basis: completeness.basis().name().to_owned(),
        executed_bytes: completeness.executed_bytes,
        materialized_bytes: completeness.materialized_bytes,
        vm_bytes: completeness.vm_bytes,
        explained_bytes: explained,
        explained_percent: explained
            .zip(completeness.vm_bytes)
            .and_then(|(part, whole)| percent(part, whole)),
        rest_bytes: completeness.rest_bytes(),
        eliminated_bytes: completeness.eliminated_bytes(),
        before_ready_bytes: completeness.before_ready_bytes,
        shared_objects: completeness.shared_objects,
        size_unknown_objects: completeness.bytes_unknown,
        refused_sites: view.refused_sites(),
        threads: completeness
            .threads
            .iter()
            .map(|thread| ThreadCompletenessDoc {
                name: thread.name.clone(),
                kind: thread.kind.to_owned(),
                executed_bytes: thread.executed_bytes,
                vm_bytes: thread.vm_bytes,
            })
            .collect(),
    }
}

fn increments(view: &View) -> IncrementsDoc {
    let increments = &view.increments;
    // Events have no counters.
    let saved = increments
        .saved_share()
        .filter(|_| !view.run.mode.has_events());
    IncrementsDoc {
        executed: increments.executed,
        one_per_site: increments.one_per_site,
        saved_percent: saved.map(|share| share * 100.0),
        profiling: increments.profile,
        extra: increments.extra,
        keyed_objects: increments.keyed,
        reinstrumented: view.reinstrumented as u64,
    }
}

fn refusals(view: &View) -> RefusalsDoc {
    RefusalsDoc {
        sites: view.refused_sites(),
        by_reason: view.refusals.iter().map(reason).collect(),
    }
}

fn reason(group: &RefusalGroup) -> ReasonDoc {
    ReasonDoc {
        reason: group.reason.clone(),
        classes: group.classes,
        methods: group.methods,
        sites: group.sites,
        list: group
            .items
            .iter()
            .map(|refused| RefusalDoc {
                class: refused.class.clone(),
                method: refused.method.clone(),
                sites: refused.sites,
            })
            .collect(),
    }
}

fn cost(cost: &AgentCost) -> CostDoc {
    CostDoc {
        classes_seen: cost.classes_seen,
        classes_rewritten: cost.classes_rewritten,
        methods_rewritten: cost.methods_rewritten,
        rewrite_micros: cost.rewrite_micros,
        bytecode_bytes_before: cost.bytecode_bytes_before,
        bytecode_bytes_after: cost.bytecode_bytes_after,
        counters: cost.counters,
        memory_bytes: cost.memory_bytes,
        snapshot_micros: cost.snapshot_micros,
    }
}

pub(crate) fn finding(finding: &Finding) -> FindingDoc {
    FindingDoc {
        file: finding.file.clone(),
        name: finding.name.to_owned(),
        text: finding.text.clone(),
    }
}
