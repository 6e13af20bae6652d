//! The stacks of a view: those of the run, after the filter.

use std::borrow::Cow;

use ducktrack_count_model::CountModel;
use ducktrack_profile::{Interval, Profile, ProfileRow, Unit, profile};

use crate::class_name::printable;
use crate::filter::{Filter, in_scope};
use crate::stack_names::{classes_of_frames, type_name};
use crate::view::View;

/// The profile of a model. With `only`, what was made while code of the wanted packages ran, or is to blame for it, is kept.
pub(crate) fn stacks(model: &CountModel, filter: &Filter) -> Profile {
    let mut profile = profile(model);
    if !filter.is_partial() {
        return profile;
    }
    let classes = classes_of_frames(&profile);
    let wanted: Vec<bool> = classes
        .iter()
        .map(|class| {
            class
                .as_deref()
                .is_some_and(|class| filter.wants_class(class))
        })
        .collect();
    profile.retain(|profile, row| {
        let is_wanted = |at: usize| wanted.get(at).copied().unwrap_or(false);
        let thread = row.thread.as_deref().map(printable).unwrap_or_default();
        filter.wants_type(&type_name(row.ty.as_deref()))
            && filter.wants_thread(&thread)
            && (filter.only.is_empty()
                || profile
                    .frames_of(row.stack)
                    .any(|frame| is_wanted(frame.get())))
    });
    profile
}

/// The stacks of a view as a tree shows them: with `only` they begin at code of the wanted packages.
pub(crate) fn shown_stacks(view: &View) -> Cow<'_, Profile> {
    if view.filter.only.is_empty() {
        return Cow::Borrowed(&view.stacks);
    }
    let mut profile = view.stacks.clone();
    let classes = classes_of_frames(&profile);
    let is_wanted = |class: &Option<String>| {
        let class = class.as_deref();
        class.is_some_and(|class| view.filter.wants_class(class))
    };
    profile.begin_at(|frame| classes.get(frame.get()).is_some_and(is_wanted));
    Cow::Owned(profile)
}

/// The allocations below code of a package, each object once: the estimate, and its interval. `None` where nothing was sampled.
pub(crate) fn scope_estimate(
    profile: &Profile,
    scope: &str,
    unit: Unit,
) -> Option<(i64, Interval)> {
    if profile.samples == 0 {
        return None;
    }
    let rows = rows_below(profile, scope);
    let estimate = rows.iter().map(|row| unit.of(row.tally)).sum();
    Some((estimate, profile.inclusive_interval(rows, unit)))
}

/// Whether code of a package is on a sampled stack.
pub(crate) fn is_on_stacks(profile: &Profile, scope: &str) -> bool {
    !rows_below(profile, scope).is_empty()
}

fn rows_below<'a>(profile: &'a Profile, scope: &str) -> Vec<&'a ProfileRow> {
    let classes = classes_of_frames(profile);
    let in_scope =
        |at: usize| matches!(classes.get(at), Some(Some(class)) if in_scope(scope, class));
    let rows = profile.rows.iter();
    rows.filter(|row| {
        profile
            .frames_of(row.stack)
            .any(|frame| in_scope(frame.get()))
    })
    .collect()
}
