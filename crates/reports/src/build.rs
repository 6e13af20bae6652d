//! Model to view: names resolved, filters applied, rows sorted.
//!
//! A filter keeps *cells* (type, blamed caller) of a site. Figures recorded for the site as a whole only, like
//! lengths and materialized objects, is shown when all of its cells are kept, and left out (not guessed) otherwise.

use std::borrow::Cow;
use std::cmp::Reverse;

use ducktrack_count_model::{
    CallRow, CountModel, MethodRow, SitePart, SiteRow as ModelSite, Tally, WindowRow,
};

use crate::caused::caused;
use crate::class_name::{printable, readable_class, readable_type};
use crate::completeness::Completeness;
use crate::context_part::in_contexts;
use crate::ending::Ending;
use crate::filter::{Filter, Sort};
use crate::off_heap;
use crate::view::{Caller, CallerId, Cell, Finding, Location, SiteRow, ThreadPart, Totals, View};
use crate::view_stacks::stacks;

/// What is shown where the trace does not tell the type.
const UNKNOWN_TYPE: &str = "(type not known)";

/// Makes the view of a model. `trace` says where it was read from.
pub fn view(model: &CountModel, trace: &str, filter: &Filter) -> View {
    let kept = in_wanted_contexts(model, filter);
    let whole_model = model;
    let model = kept.as_ref();
    let callers: Vec<Caller> = model.calls.iter().map(|call| caller(model, call)).collect();
    let whole = Builder {
        model: whole_model,
        filter: &Filter::default(),
        callers: &callers,
    };
    let totals = Totals::of(&whole.sites());
    let mut sites = Builder {
        model,
        filter,
        callers: &callers,
    }
    .sites();
    sort(&mut sites, filter.sort);
    View {
        windows: windows(model),
        chosen_windows: model.chosen_windows.clone(),
        caused: caused(model, filter, &callers, &sites),
        trace: printable(trace),
        run: printable_run(&model.run),
        snapshot: model.snapshots.last().cloned(),
        ending: Ending::of(model),
        filter: filter.clone(),
        selected: Totals::of(&sites),
        sites,
        callers,
        off_heap: off_heap::rows(whole_model, filter),
        stacks: stacks(model, filter),
        totals,
        completeness: Completeness::of(whole_model, printable),
        refusals: refusals(model),
        increments: model.increments,
        reinstrumented: model.reinstrumented.len(),
        cost: model.cost,
        damage: damage(model),
        losses: model.losses().iter().map(|loss| printable(loss)).collect(),
        notes: notes(model),
    }
}

/// What the run has noted, and which patterns of the application fit none of its classes.
fn notes(model: &CountModel) -> Vec<String> {
    let without = model.patterns_without_class().into_iter();
    let of_patterns = without
        .map(|pattern| format!("No class that allocates or calls other code fits app={pattern}."));
    let of_run = model.run.notes.iter().cloned();
    let notes = of_run.chain(of_patterns);
    notes.map(|note| printable(&note)).collect()
}

/// The part of a model that was counted in the contexts of a filter.
fn in_wanted_contexts<'m>(model: &'m CountModel, filter: &Filter) -> Cow<'m, CountModel> {
    if filter.contexts.is_empty() {
        return Cow::Borrowed(model);
    }
    Cow::Owned(model.of_threads(in_contexts(model, filter)))
}

struct Builder<'a> {
    model: &'a CountModel,
    filter: &'a Filter,
    callers: &'a [Caller],
}

impl Builder<'_> {
    fn sites(&self) -> Vec<SiteRow> {
        self.model
            .sites
            .iter()
            .filter_map(|site| self.site(site))
            .collect()
    }

    /// The kept part of a site; `None` when nothing of it ran or is kept.
    fn site(&self, site: &ModelSite) -> Option<SiteRow> {
        if site.total.is_zero() && site.parts.iter().all(|part| part.tally.is_zero()) {
            return None;
        }
        let location = location(self.model.method(site.method), site.bci, site.line);
        let threads = self.threads(&site.threads);
        let ty = site.ty.as_deref().map(readable_type);
        let mut cells = self.cells(site, ty.as_deref());
        cells.retain(|cell| self.keeps(&location, cell));
        if cells.is_empty() {
            return None;
        }
        sort_cells(&mut cells);
        let executed: Tally = cells.iter().map(|cell| cell.executed).sum();
        let whole = executed == site.total;
        Some(SiteRow {
            location,
            ty,
            kind: site.kind.name(),
            executed,
            bytes_unknown: if whole { site.bytes_unknown } else { 0 },
            materialized: site.materialized.filter(|_| whole),
            cells,
            threads,
            lengths: if whole {
                site.lengths.clone()
            } else {
                Vec::new()
            },
        })
    }

    fn threads(&self, parts: &[ducktrack_count_model::ThreadPart]) -> Vec<ThreadPart> {
        let mut threads: Vec<ThreadPart> = parts
            .iter()
            .map(|part| ThreadPart {
                name: printable(&self.model.thread(part.thread).name),
                executed: part.tally,
            })
            .filter(|part| self.filter.wants_thread(&part.name))
            .collect();
        threads.sort_by(|a, b| {
            largest_first(a.executed, b.executed).then_with(|| a.name.cmp(&b.name))
        });
        threads
    }

    /// The parts of a site that the wanted threads executed.
    fn cells(&self, site: &ModelSite, ty: Option<&str>) -> Vec<Cell> {
        let parts = site.parts.iter();
        parts
            .map(|part| Cell {
                executed: self.of_wanted_threads(part),
                ..self.cell(part, ty)
            })
            .collect()
    }

    fn of_wanted_threads(&self, part: &SitePart) -> Tally {
        if self.filter.threads.is_empty() {
            return part.tally;
        }
        let is_wanted = |thread: &&ducktrack_count_model::ThreadPart| {
            let name = &self.model.thread(thread.thread).name;
            self.filter.wants_thread(&printable(name))
        };
        let threads = part.threads.iter().filter(is_wanted);
        threads.map(|thread| thread.tally).sum()
    }

    fn cell(&self, part: &SitePart, ty: Option<&str>) -> Cell {
        let own = part.ty.as_deref().map(readable_type);
        Cell {
            ty: own
                .or_else(|| ty.map(str::to_owned))
                .unwrap_or_else(|| UNKNOWN_TYPE.to_owned()),
            caller: part
                .context
                .and_then(|call| u32::try_from(call.get()).ok())
                .map(CallerId),
            executed: part.tally,
            threads: self.threads(&part.threads),
        }
    }

    fn keeps(&self, location: &Location, cell: &Cell) -> bool {
        if cell.executed.is_zero() || !self.filter.wants_type(&cell.ty) {
            return false;
        }
        let caller = cell.caller.and_then(|id| self.callers.get(id.0 as usize));
        self.filter.wants_class(&location.class)
            || caller.is_some_and(|caller| self.filter.wants_class(&caller.location.class))
    }
}

pub(crate) fn location(method: &MethodRow, bci: u16, line: Option<u16>) -> Location {
    Location {
        class: readable_class(&method.class),
        method: printable(&method.name),
        descriptor: printable(&method.descriptor),
        bci,
        line,
        source_file: method.source_file.as_deref().map(printable),
        reads_alike: method.reads_alike,
    }
}

pub(crate) fn caller(model: &CountModel, call: &CallRow) -> Caller {
    Caller {
        location: location(model.method(call.method), call.bci, call.line),
        target: readable_class(&call.target),
    }
}

fn sort(sites: &mut [SiteRow], sort: Sort) {
    let key = |site: &SiteRow| match sort {
        Sort::Bytes => (Reverse(site.executed.bytes), Reverse(site.executed.count)),
        Sort::Count => (Reverse(site.executed.count), Reverse(site.executed.bytes)),
    };
    sites.sort_by(|a, b| {
        key(a)
            .cmp(&key(b))
            .then_with(|| a.location.cmp(&b.location))
            .then_with(|| (a.kind, &a.ty).cmp(&(b.kind, &b.ty)))
    });
}

fn sort_cells(cells: &mut [Cell]) {
    cells.sort_by(|a, b| {
        largest_first(a.executed, b.executed)
            .then_with(|| (&a.ty, a.caller).cmp(&(&b.ty, b.caller)))
    });
}

fn largest_first(a: Tally, b: Tally) -> std::cmp::Ordering {
    (b.bytes, b.count).cmp(&(a.bytes, a.count))
}

pub(crate) fn printable_run(run: &ducktrack_count_model::Run) -> ducktrack_count_model::Run {
    let mut run = run.clone();
    for text in [
        &mut run.agent_version,
        &mut run.options,
        &mut run.counters,
        &mut run.vm_name,
        &mut run.vm_version,
        &mut run.java_version,
        &mut run.java_home,
        &mut run.command,
        &mut run.collector,
        &mut run.slot,
    ] {
        *text = printable(text);
    }
    run
}

fn refusals(model: &CountModel) -> Vec<ducktrack_count_model::RefusalGroup> {
    let mut groups = model.refusals.clone();
    for group in &mut groups {
        group.reason = printable(&group.reason);
        for refused in &mut group.items {
            refused.class = readable_class(&refused.class);
            refused.method = refused.method.as_deref().map(printable);
        }
    }
    groups
}

fn windows(model: &CountModel) -> Vec<WindowRow> {
    let mut windows = model.windows.clone();
    for window in &mut windows {
        window.name = window.name.as_deref().map(printable);
    }
    windows
}

fn damage(model: &CountModel) -> Vec<Finding> {
    let of_files = model.real_damage().map(|found| Finding {
        file: Some(printable(&found.file)),
        name: found.damage.name(),
        text: printable(&found.damage.to_string()),
    });
    let of_trace = model.inconsistencies.iter().map(|found| Finding {
        file: None,
        name: found.name(),
        text: printable(&found.to_string()),
    });
    of_files.chain(of_trace).collect()
}
