//! Folds the records of a trace of count mode into a [`CountModel`].

use ducktrack_trace_format::{
    Application, CallTerms, Cause, CountedCall, Damage, End, HeapLimits, MethodId, MissingEnd,
    OffHeapMaker, OutOfMemory, Record, Refusal, Reinstrumented, Run, Snapshot, StackSamples, Trial,
};

use crate::causes::{Causes, cause_rows};
use crate::context_row::context_rows;
use crate::counted_calls::counted_call_rows;
use crate::definitions::Definitions;
use crate::increment_sums::increments;
use crate::model_sums::{FilledRows, fill_rows};
use crate::off_heap::off_heap_rows;
use crate::overloads::mark_alike;
use crate::own_objects;
use crate::row_checks::{impossible_sites, impossible_threads};
use crate::row_plan::{RowPlan, RowsById};
use crate::sampled_stacks::StackCollector;
use crate::snapshot_state::SnapshotState;
use crate::window_choice::{WindowChoice, WindowCut};
use crate::windows::{Marks, last_mark, total};
use crate::{
    Completeness, ContextRow, CountModel, FileDamage, Inconsistency, RefusalGroup,
    ReinstrumentedRow, SiteRow, Tally, ThreadRow, TraceNames, UnendedRun,
};

/// Takes records in the order of the trace.
///
/// [`CountModelBuilder::snapshots`] tells when another whole snapshot has been taken; a clone that is finished then gives
/// the model at that moment.
#[derive(Clone, Debug, Default)]
pub struct CountModelBuilder {
    run: Option<Run>,
    runs: u64,
    definitions: Definitions,
    state: SnapshotState,
    refusals: Vec<Refusal>,
    reinstrumented: Vec<Reinstrumented>,
    late_notes: Vec<String>,
    stacks: StackCollector,
    heap_limits: Option<HeapLimits>,
    shutdown_micros: Option<u64>,
    out_of_memory: Vec<OutOfMemory>,
    trial: Option<Trial>,
    application: Option<Application>,
    causes: Vec<Cause>,
    counted_calls: Vec<CountedCall>,
    call_terms: Vec<CallTerms>,
    off_heap: Vec<OffHeapMaker>,
    marks: Marks,
    /// Only these windows are counted.
    cut: Option<WindowCut>,
    end: Option<End>,
    unended: Option<MissingEnd>,
    damage: Vec<FileDamage>,
}

impl CountModelBuilder {
    /// A model of nothing.
    pub fn new() -> Self {
        Self::default()
    }

    /// A model of what was counted in some windows only. Before the first record.
    pub fn of_windows(choice: WindowChoice) -> Self {
        Self {
            cut: Some(WindowCut::new(choice, 0)),
            ..Self::default()
        }
    }

    /// From now on only what is counted after this moment is in the model.
    pub fn begin_window(&mut self) {
        self.cut = Some(WindowCut::from_here(&self.state));
    }

    /// Takes the next record.
    pub fn fold(&mut self, record: Record) {
        let definitions = &mut self.definitions;
        match record {
            Record::Run(run) => self.take_run(run),
            Record::Class(class) => definitions.classes.define(class.id, class),
            Record::Method(method) => definitions.methods.define(method.id, method),
            Record::Site(site) => definitions.sites.define(site.id, site),
            Record::Counter(counter) => definitions.counters.define(counter.id, counter),
            Record::CallSite(call) => definitions.calls.define(call.id, call),
            Record::CalledSite(called) => definitions.called_sites.define(called.id, called),
            Record::SiteSize { site, bytes } => definitions.set_size(site, bytes),
            Record::Application(application) => self.application = Some(application),
            Record::Cause(cause) => self.causes.push(cause),
            Record::Thread(thread) => definitions.set_thread(thread),
            Record::Refusal(refusal) => self.refusals.push(refusal),
            Record::Reinstrumented(event) => self.reinstrumented.push(event),
            Record::Snapshot(snapshot) => self.take_snapshot(snapshot),
            Record::Note(sentence) => self.late_notes.push(sentence),
            Record::StackDefinitions(definitions) => self.stacks.define(definitions),
            // Samples stand before the snapshot that they belong to.
            Record::StackSamples(samples) => self.take_samples(&samples),
            Record::HeapClass(class) => definitions.add_heap_class(class),
            Record::HeapLayout(layout) => definitions.layouts.add_layout(layout),
            Record::ReferenceLayout(layout) => definitions.references = layout,
            Record::CalledMethod(method) => definitions.called_methods.push(method),
            Record::StaticField(field) => definitions.static_fields.push(field),
            Record::HeapLimits(limits) => self.heap_limits = Some(limits),
            Record::Shutdown { unix_micros } => {
                self.shutdown_micros.get_or_insert(unix_micros);
            }
            Record::OutOfMemory(error) => self.out_of_memory.push(error),
            Record::BytecodeFacts(facts) => definitions.site_facts.add(facts),
            Record::VarargsMethod(method) => definitions.site_facts.add_varargs(method),
            Record::CountedCall(call) => self.counted_calls.push(call),
            Record::CallTerms(terms) => self.call_terms.push(terms),
            Record::OffHeapMaker(maker) => self.off_heap.push(maker),
            Record::Trial(trial) => self.trial = Some(trial),
            Record::Context(context) => definitions.set_context(context),
            Record::ContextBlock(block) => definitions.set_context_block(block),
            Record::ContextExecutions(executions) => self.state.take_executions(&executions),
            Record::End(end) => self.end = Some(end),
            // Records of other modes say nothing about counts.
            _ => {}
        }
    }

    fn take_samples(&mut self, samples: &StackSamples) {
        if self.cut.as_ref().is_none_or(WindowCut::is_open) {
            self.stacks.take(samples);
        }
    }

    fn take_snapshot(&mut self, snapshot: Snapshot) {
        let before = self.state.snapshots.len();
        self.state.take(snapshot);
        if self.state.snapshots.len() > before {
            self.marks.look(&self.state, &self.definitions);
            if let (Some(cut), Some((name, _))) = (&mut self.cut, last_mark(&self.state)) {
                cut.mark(name, &self.state);
            }
        }
    }

    /// Takes what the reader found wrong with a file.
    pub fn damage(&mut self, file: impl Into<String>, damage: Damage) {
        self.damage.push(FileDamage {
            file: file.into(),
            damage,
        });
    }

    /// Takes what the reader found of a run without an end record.
    pub fn unended(&mut self, unended: MissingEnd) {
        self.unended = Some(unended);
    }

    /// Number of whole snapshots taken so far.
    pub fn snapshots(&self) -> usize {
        self.state.snapshots.len()
    }

    fn take_run(&mut self, run: Run) {
        self.runs += 1;
        if let Some(cut) = &mut self.cut {
            cut.set_start(run.start_unix_millis);
        }
        match &mut self.run {
            None => self.run = Some(run),
            // Every file of a trace starts with the run.
            Some(known) if *known == run => self.runs -= 1,
            Some(_) => {}
        }
    }

    /// Adds everything up.
    pub fn finish(self) -> CountModel {
        self.finish_with_rows().0
    }

    /// Adds everything up, and gives the names that a replay of the trace's events needs.
    pub fn finish_trace(self) -> (CountModel, TraceNames) {
        self.finish_trace_after(&TraceNames::default())
    }

    /// The same when more has been defined. Names known `before` keep their positions, so that a replay can go on with these names.
    pub fn finish_trace_after(self, before: &TraceNames) -> (CountModel, TraceNames) {
        let layout = self.run.as_ref().map(|run| run.layout).unwrap_or_default();
        let mut names = TraceNames::of(&self.definitions, layout, before);
        let (model, rows) = self.finish_with_rows();
        names.set_columns(&rows, model.sites.len());
        (model, names)
    }

    fn finish_with_rows(mut self) -> (CountModel, RowsById) {
        // All that was executed, for the last of the windows.
        let chosen = self.cut.take().map(|cut| {
            let whole = total(&self.state, &self.definitions);
            (cut.finish(&mut self.state), whole)
        });
        let mut plan = RowPlan::of(&self.definitions);
        let causes = cause_rows(&self.causes, &self.state, &mut plan);
        let counted_calls = counted_call_rows(
            &self.counted_calls,
            &self.call_terms,
            &self.state,
            &self.definitions,
            &mut plan,
        );
        let mut increments = increments(&self.state, &self.definitions, &mut plan);
        let reinstrumented = reinstrumented_rows(&self.reinstrumented, |id| plan.method(id));
        let filled = fill_rows(&self.definitions, &self.state, plan);
        increments.one_per_site = filled.one_per_site;
        let inconsistencies = self.inconsistencies(&filled);
        let FilledRows {
            mut plan,
            threads,
            shared,
            own,
            ..
        } = filled;
        let of_program = |vm: u64| vm.saturating_sub(u64::try_from(own.bytes).unwrap_or(0));
        self.state.vm_allocated_bytes = self.state.vm_allocated_bytes.map(of_program);
        mark_alike(&mut plan.methods, &plan.sites, &plan.calls);
        let refusals = refusal_groups(self.refusals);
        let total = plan.sites.iter().map(|row| row.total).sum();
        self.late_notes.extend(own_objects::sentence(own, total));
        let completeness = completeness(&self.state, &plan.sites, &refusals, total, shared);
        let class_of = |site: &SiteRow| {
            plan.methods
                .get(site.method.get())
                .map_or("", |method| &method.class)
        };
        let causes = Causes::of(self.application, causes, &plan.sites, class_of);
        let start = self.run.as_ref().map_or(0, |run| run.start_unix_millis);
        let end = self
            .state
            .snapshots
            .last()
            .map_or(start, |last| last.unix_millis);
        let whole = chosen.as_ref().map_or(total, |(_, whole)| *whole);
        let windows = self.marks.windows(start, (end, whole));
        let model = CountModel {
            windows,
            counted_calls,
            off_heap: off_heap_rows(self.off_heap, &self.state),
            chosen_windows: chosen.map(|(found, _)| found),
            causes,
            run: with_notes(self.run.unwrap_or_default(), self.late_notes),
            methods: plan.methods,
            sites: plan.sites,
            calls: plan.calls,
            contexts: contexts_with_totals(&self.definitions, &self.state, &threads),
            threads,
            total,
            of_agent: own,
            completeness,
            increments,
            refusals,
            reinstrumented,
            cost: self.state.cost,
            snapshots: self.state.snapshots,
            end: self.end,
            unended: self
                .unended
                .map(|unended| UnendedRun::of(unended, &self.definitions)),
            damage: self.damage,
            inconsistencies,
            stacks: self.stacks.finish(&self.definitions),
            heap_limits: self.heap_limits,
            shutdown_micros: self.shutdown_micros,
            out_of_memory: self.out_of_memory,
            trial: self.trial,
            counts_events: false,
            field_layouts: self.definitions.layouts,
        };
        (model, plan.by_id)
    }

    fn inconsistencies(&self, filled: &FilledRows) -> Vec<Inconsistency> {
        let runs = (self.runs > 1).then_some(Inconsistency::SeveralRuns { runs: self.runs });
        let mut found: Vec<Inconsistency> = runs.into_iter().collect();
        found.extend(self.definitions.inconsistencies());
        found.extend(self.state.inconsistencies());
        found.extend(filled.inconsistencies.iter().cloned());
        found.extend(impossible_sites(&filled.plan.sites));
        found.extend(impossible_threads(&filled.threads));
        found
    }
}

fn contexts_with_totals(
    definitions: &Definitions,
    state: &SnapshotState,
    threads: &[ThreadRow],
) -> Vec<ContextRow> {
    let mut rows = context_rows(definitions, &state.executions);
    for thread in threads {
        for context in &thread.contexts {
            if let Some(row) = rows.get_mut(context.get()) {
                row.total += thread.total;
            }
        }
    }
    rows
}

/// Adds the notes that came after the run's facts, each once.
fn with_notes(mut run: Run, late: Vec<String>) -> Run {
    for sentence in late {
        if !run.notes.contains(&sentence) {
            run.notes.push(sentence);
        }
    }
    run
}

fn completeness(
    state: &SnapshotState,
    sites: &[SiteRow],
    refusals: &[RefusalGroup],
    total: Tally,
    shared: Tally,
) -> Completeness {
    let measured = sites.iter().filter_map(|row| row.materialized);
    let materialized = measured.reduce(|mut sum, tally| {
        sum += tally;
        sum
    });
    let ran_unmeasured = sites
        .iter()
        .any(|row| !row.total.is_zero() && row.materialized.is_none());
    Completeness {
        vm_bytes: state.vm_allocated_bytes,
        before_ready_bytes: state.before_ready_bytes,
        executed: total,
        shared,
        materialized,
        materialized_everywhere: materialized.is_some() && !ran_unmeasured,
        bytes_unknown: sites
            .iter()
            .fold(0, |sum, row| row.bytes_unknown.saturating_add(sum)),
        refused_sites: refusals.iter().map(|group| group.sites).sum(),
    }
}

/// By reason; most uncounted sites first, then by name.
fn refusal_groups(refusals: Vec<Refusal>) -> Vec<RefusalGroup> {
    let mut groups: std::collections::BTreeMap<String, RefusalGroup> = Default::default();
    for refusal in refusals {
        let group = groups
            .entry(refusal.reason.clone())
            .or_insert_with(|| RefusalGroup {
                reason: refusal.reason.clone(),
                classes: 0,
                methods: 0,
                sites: 0,
                items: Vec::new(),
            });
        match refusal.method {
            None => group.classes += 1,
            Some(_) => group.methods += 1,
        }
        group.sites += u64::from(refusal.sites);
        group.items.push(refusal);
    }
    let mut groups: Vec<RefusalGroup> = groups.into_values().collect();
    groups.sort_by_key(|group| core::cmp::Reverse(group.sites));
    groups
}

fn reinstrumented_rows(
    events: &[Reinstrumented],
    method: impl Fn(MethodId) -> Option<crate::MethodIndex>,
) -> Vec<ReinstrumentedRow> {
    let row = |event: &Reinstrumented| ReinstrumentedRow {
        method: method(event.method),
        version: event.version,
        entries: event.entries,
        before: event.before,
        after: event.after,
    };
    events.iter().map(row).collect()
}
