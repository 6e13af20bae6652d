//! Joined dump to document.

use std::cmp::Reverse;

use ducktrack_analyses::TraceModel;
use ducktrack_count_model::SiteIndex;
use ducktrack_holders::{DumpError, Holding, Holdings, JoinOutcome, Origin, TypeNumber};

use super::document::{
    DirectBuffersDoc, DominatorDoc, HoldersReport, HoldingContextDoc, HoldingSiteDoc,
    HoldingTypeDoc, JoinDoc, SelectedDoc, TypeCountDoc,
};
use crate::class_name::readable_type;
use crate::event_trace::VERSION;
use crate::event_trace::amounts::signed;
use crate::event_trace::head::{RowsDoc, TraceHead};
use crate::event_trace::holder_docs::{HolderDocs, HolderPathDoc, HoldingDoc};
use crate::event_trace::place::PlaceDoc;
use crate::filter::{Filter, in_scope};
use crate::view::Location;

/// Paths shown when nothing says how many.
const PATHS: usize = 5;
/// Objects for each path that is shown: entries of one structure are many.
const POINTS: usize = 4;
/// Groups of dominators that retain less than this share of the heap are left out.
const LEAST_SHARE: u64 = 500;

/// The objects that are asked about; empty lists choose all.
#[derive(Clone, Debug, Default)]
pub struct HolderSelection {
    /// Patterns of types.
    pub types: Vec<String>,
    /// Places: a package, a class, `Class.method` or `Class.method:line`.
    pub sites: Vec<String>,
    /// Rows and paths shown.
    pub top: Option<usize>,
}

impl HolderSelection {
    fn is_partial(&self) -> bool {
        !(self.types.is_empty() && self.sites.is_empty())
    }

    fn wants_place(&self, at: &Location) -> bool {
        let method = format!("{}.{}", at.class, at.method);
        let line = at.line.map(|line| format!("{method}:{line}"));
        self.sites.is_empty()
            || self.sites.iter().any(|site| {
                in_scope(site, &at.class) || *site == method || Some(site) == line.as_ref()
            })
    }
}

/// Makes the report. `trace` and `dump` say where both were read from.
///
/// # Errors
/// When the dump cannot be read again, for the names of fields.
pub fn holders_report(
    model: &TraceModel,
    holdings: &Holdings,
    (trace, dump): (&str, &str),
    selection: &HolderSelection,
) -> Result<HoldersReport, DumpError> {
    let filter = Filter {
        types: selection.types.clone(),
        only: selection.sites.clone(),
        top: selection.top,
        ..Filter::default()
    };
    let view = crate::build::view(&model.count, trace, &Filter::default());
    let docs = HolderDocs {
        model,
        holdings,
        callers: &view.callers,
    };
    let chosen = Chosen::new(&docs, selection, &filter);
    let total = holdings.total();
    let (mut types, mut sites) = (types(&docs, &chosen), sites(&docs, &chosen));
    let rows = RowsDoc {
        sites: sites.len() as u64,
        types: types.len() as u64,
    };
    let top = selection.top.unwrap_or(usize::MAX);
    types.truncate(top);
    sites.truncate(top);
    Ok(HoldersReport {
        format: "ducktrack-holders".to_owned(),
        version: VERSION,
        head: TraceHead::of(model, &view, &filter),
        dump: dump.to_owned(),
        collection: holdings.dump.collection,
        without_sites: holdings.dump.without_sites.clone(),
        cut_at: holdings.dump.graph.cut(),
        join: join(&holdings.dump.outcome),
        total: HoldingDoc::of(&total),
        direct_buffers: direct_buffers(holdings),
        selected: selection.is_partial().then(|| chosen.selected(&docs)),
        rows,
        unattributed: unattributed(&docs),
        types,
        sites,
        paths: paths(&docs, &chosen, selection)?,
        dominators: dominators(&docs, total.bytes / LEAST_SHARE),
    })
}

fn direct_buffers(holdings: &Holdings) -> DirectBuffersDoc {
    let buffers = holdings.direct_buffers();
    DirectBuffersDoc {
        count: buffers.len() as u64,
        bytes: buffers.iter().map(|buffer| buffer.bytes).sum(),
    }
}

fn join(outcome: &JoinOutcome) -> JoinDoc {
    let count = |(ty, count): (String, &u64)| TypeCountDoc { ty, count: *count };
    let by_class = outcome.missing.iter();
    let by_type = outcome.only_in_trace.iter();
    let mut only_in_trace: Vec<TypeCountDoc> = by_type
        .map(|(ty, n)| count((readable_type(ty), n)))
        .collect();
    only_in_trace.sort_by_key(|row| Reverse(row.count));
    JoinDoc {
        objects: outcome.objects,
        found: outcome.found,
        fillers: outcome.fillers,
        made_since: outcome.made_since,
        missing: by_class
            .map(|(class, n)| count((crate::class_name::printable(class), n)))
            .collect(),
        archived_only_in_trace: outcome.archived_only_in_trace,
        only_in_trace,
    }
}

/// Which types and origins are chosen, by their numbers.
struct Chosen {
    types: Vec<bool>,
    origins: Vec<bool>,
    /// Objects without a site are chosen.
    without_site: bool,
}

impl Chosen {
    fn new(docs: &HolderDocs<'_>, selection: &HolderSelection, filter: &Filter) -> Self {
        let table = &docs.holdings.types;
        let types = (0..table.types() as u32)
            .map(|ty| filter.wants_type(&docs.type_name(TypeNumber(ty))))
            .collect();
        let origins = table.origins().iter().map(|origin| {
            let place = origin
                .site
                .and_then(|site| PlaceDoc::of(&docs.model.count, site));
            place.map_or(selection.sites.is_empty(), |place| {
                selection.wants_place(&place.location)
            })
        });
        Self {
            types,
            origins: origins.collect(),
            without_site: selection.sites.is_empty(),
        }
    }

    fn has_type(&self, ty: TypeNumber) -> bool {
        self.types.get(ty.0 as usize) == Some(&true)
    }

    fn has_origin(&self, origin: Option<u32>) -> bool {
        origin.map_or(self.without_site, |origin| {
            self.origins.get(origin as usize) == Some(&true)
        })
    }

    fn has(&self, holdings: &Holdings, object: u32) -> bool {
        self.has_type(holdings.type_of(object))
            && self.has_origin(holdings.types.origin_of(&holdings.dump, object))
    }

    fn selected(&self, docs: &HolderDocs<'_>) -> SelectedDoc {
        let holdings = docs.holdings;
        let is_member = |object: u32| self.has(holdings, object);
        let held = holdings.by_group(1, |object| is_member(object).then_some(0));
        SelectedDoc {
            held: HoldingDoc::of(&held.first().copied().unwrap_or_default()),
            exactly_retained: signed(holdings.exactly_retained(is_member)),
            frees_classes: holdings.frees_classes(is_member),
        }
    }
}

fn types(docs: &HolderDocs<'_>, chosen: &Chosen) -> Vec<HoldingTypeDoc> {
    let holdings = docs.holdings;
    let of_chosen_origin = |object: u32| {
        let origin = holdings.types.origin_of(&holdings.dump, object);
        chosen
            .has_origin(origin)
            .then(|| holdings.type_of(object).0)
    };
    let all = (0_u32..).zip(holdings.by_group(holdings.types.types(), of_chosen_origin));
    let mut rows: Vec<HoldingTypeDoc> = all
        .filter(|(ty, held)| held.objects > 0 && chosen.has_type(TypeNumber(*ty)))
        .map(|(ty, held)| HoldingTypeDoc {
            ty: docs.type_name(TypeNumber(ty)),
            held: HoldingDoc::of(&held),
        })
        .collect();
    rows.sort_by(|a, b| (b.held.retained, &a.ty).cmp(&(a.held.retained, &b.ty)));
    rows
}

fn sites(docs: &HolderDocs<'_>, chosen: &Chosen) -> Vec<HoldingSiteDoc> {
    let holdings = docs.holdings;
    let origins = holdings.types.origins();
    let origin_of = |object: u32| {
        let origin = holdings.types.origin_of(&holdings.dump, object);
        origin.filter(|_| chosen.has(holdings, object))
    };
    let by_origin = holdings.by_group(origins.len(), origin_of);
    let most = docs.model.count.sites.len();
    let site = |origin: u32| origins.get(origin as usize)?.site;
    let site_of = |object: u32| site(origin_of(object)?).and_then(number);
    let by_site = holdings.by_group(most, site_of);
    let mut context: Vec<Vec<HoldingContextDoc>> = vec![Vec::new(); most];
    for (origin, held) in origins.iter().zip(&by_origin) {
        add_context(docs, *origin, held, &mut context);
    }
    let rows = docs.model.count.indexed_sites().zip(by_site).zip(context);
    let mut rows: Vec<HoldingSiteDoc> = rows
        .filter(|((_, held), _)| held.objects > 0)
        .filter_map(|(((site, _), held), context)| {
            Some(HoldingSiteDoc {
                place: PlaceDoc::of(&docs.model.count, site)?,
                held: HoldingDoc::of(&held),
                context: known(context),
            })
        })
        .collect();
    rows.sort_by(|a, b| (b.held.retained, &a.place).cmp(&(a.held.retained, &b.place)));
    rows
}

fn number(site: SiteIndex) -> Option<u32> {
    u32::try_from(site.get()).ok()
}

fn add_context(
    docs: &HolderDocs<'_>,
    origin: Origin,
    held: &Holding,
    context: &mut [Vec<HoldingContextDoc>],
) {
    let Some(list) = origin.site.and_then(|site| context.get_mut(site.get())) else {
        return;
    };
    if held.objects > 0 {
        list.push(HoldingContextDoc {
            caller: docs.made(origin).and_then(|made| made.caller),
            held: HoldingDoc::of(held),
        });
    }
}

/// Callers, if one of them is known.
fn known(mut context: Vec<HoldingContextDoc>) -> Vec<HoldingContextDoc> {
    if context.iter().all(|row| row.caller.is_none()) {
        return Vec::new();
    }
    context.sort_by(|a, b| (b.held.retained, &a.caller).cmp(&(a.held.retained, &b.caller)));
    context
}

fn unattributed(docs: &HolderDocs<'_>) -> HoldingDoc {
    let holdings = docs.holdings;
    let group = |object: u32| holdings.origin_of(object).site.is_none().then_some(0);
    let held = holdings.by_group(1, group);
    HoldingDoc::of(&held.first().copied().unwrap_or_default())
}

fn paths(
    docs: &HolderDocs<'_>,
    chosen: &Chosen,
    selection: &HolderSelection,
) -> Result<Vec<HolderPathDoc>, DumpError> {
    let most = selection.top.unwrap_or(PATHS);
    let holdings = docs.holdings;
    if selection.is_partial() {
        let paths = holdings.holders(|object| chosen.has(holdings, object), most)?;
        return Ok(paths.iter().map(|path| docs.path(path)).collect());
    }
    // Several entries of one structure are one path.
    let points = holdings.accumulation_points(POINTS * most);
    let paths = holdings.holders(|object| points.contains(&object), most)?;
    Ok(paths.iter().map(|path| docs.path(path)).collect())
}

fn dominators(docs: &HolderDocs<'_>, least: u64) -> Vec<DominatorDoc> {
    let groups = docs.holdings.dominator_groups(least.max(1));
    let doc = |group: ducktrack_holders::DominatorGroup| DominatorDoc {
        parent: group.parent,
        ty: docs.object_name(group.ty, group.class.as_ref()),
        count: signed(group.objects),
        bytes: signed(group.bytes),
        retained: signed(group.retained),
        made: docs.made(docs.holdings.origin_of(group.example)),
    };
    groups.into_iter().map(doc).collect()
}
