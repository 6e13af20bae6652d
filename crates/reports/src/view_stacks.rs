//! The stacks of a view: those of the run, after the filter.

use ducktrack_count_model::CountModel;
use ducktrack_profile::{Profile, profile};

use crate::class_name::printable;
use crate::filter::Filter;
use crate::stack_names::{classes_of_frames, type_name};

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
