//! Does a filter keep anything of a run?

use ducktrack_count_model::{CountModel, MethodIndex, SitePart, SiteRow};

use crate::class_name::{readable_class, readable_type};
use crate::filter::Filter;

/// True when a site of the run is in the packages and makes the types that the filter
/// names, whether it was executed or not. A site is also in the packages of its callers.
#[must_use]
pub fn fits_any_site(run: &CountModel, filter: &Filter) -> bool {
    run.sites.iter().any(|site| fits(run, site, filter))
}

fn fits(run: &CountModel, site: &SiteRow, filter: &Filter) -> bool {
    let is_wanted =
        |method: MethodIndex| filter.wants_class(&readable_class(&run.method(method).class));
    let of_caller = |part: &SitePart| {
        let call = part.context.and_then(|call| run.calls.get(call.get()));
        call.is_some_and(|call| is_wanted(call.method))
    };
    let is_there = is_wanted(site.method) || site.parts.iter().any(of_caller);
    let makes = |ty: &str| filter.wants_type(&readable_type(ty));
    let types = site.parts.iter().filter_map(|part| part.ty.as_deref());
    // A site whose types are not known may make any.
    is_there
        && site.ty.as_deref().map_or_else(
            || types.clone().count() == 0 || types.clone().any(makes),
            makes,
        )
}
