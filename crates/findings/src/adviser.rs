//! From what is known of a finding to the next step.

use ducktrack_analyses::TraceModel;
use ducktrack_count_model::{Application, stable_class};
use ducktrack_holders::{HolderStep, Holdings, NamedField, NamedRoot, StepReference};
use ducktrack_leaks::{NotKnown, Verdict};
use rustc_hash::FxHashSet;

use crate::advice::Advice;
use crate::finding::{Finding, HeldBy, Holder};

const SOFT_REFERENCE: &str = "Ljava/lang/ref/SoftReference;";

/// Knows the recording.
pub(crate) struct Adviser<'a> {
    model: &'a TraceModel,
    holdings: Option<&'a Holdings>,
    /// Objects of the dump that are class loaders.
    loaders: FxHashSet<u32>,
    /// The program's own classes. `None`: not known.
    pub(crate) project: Option<Application>,
}

impl<'a> Adviser<'a> {
    pub(crate) fn new(model: &'a TraceModel, holdings: Option<&'a Holdings>) -> Self {
        let loaders = holdings.map(|holdings| holdings.dump.graph.loaders_of_classes());
        Self {
            model,
            holdings,
            loaders: loaders.unwrap_or_default().into_keys().collect(),
            project: Application::of_command(&model.count.run.command),
        }
    }

    /// The next step about a finding.
    pub(crate) fn advice(&self, finding: &Finding) -> Advice {
        let held = finding.held_by();
        let field = || held.and_then(|held| held.field.clone());
        if finding.is_soft() {
            return Advice::LeaveSoft(field());
        }
        match finding.verdict {
            Verdict::Fills => Advice::RunLonger,
            Verdict::NotKnown(why) => unknown(finding, why),
            _ => self.remove(finding),
        }
    }

    fn remove(&self, finding: &Finding) -> Advice {
        // What a person can change comes first.
        let place = || {
            let of_project = finding.added_for.clone();
            of_project.or_else(|| finding.place(&self.model.count))
        };
        let Holder::Path(held) = &finding.holder else {
            return Advice::FindHolder(place());
        };
        match (&held.field, &held.path.root) {
            (Some(field), _) if is_generated(field) => self.classes(finding),
            (None, _) if self.is_of_loader(held) => self.classes(finding),
            (Some(field), _) if held.is_thread_local => Advice::RemoveThreadLocal(field.clone()),
            (Some(field), _) if self.is_softly_held(held) => {
                Advice::RemoveSoftEntries(field.clone())
            }
            (Some(field), _) => Advice::Remove {
                outer: self.outer_field(held, field),
                also: self.also(held, field),
                adds: finding
                    .place(&self.model.count)
                    .filter(|place| place.is_own(&self.model.count)),
                adds_for: finding.added_for.clone(),
                field: field.clone(),
            },
            (None, NamedRoot::ClassField(_)) => Advice::RemoveClassValue(place()),
            (None, NamedRoot::NotInDump) => Advice::FindHolder(place()),
            (
                None,
                root @ (NamedRoot::Static { .. } | NamedRoot::Frame { .. } | NamedRoot::Thread(_)),
            ) => Advice::RemoveFromRoot(root.clone(), place()),
            (None, root) => Advice::KeepLess(root.clone(), place()),
        }
    }

    fn classes(&self, finding: &Finding) -> Advice {
        let count = &self.model.count;
        let own = finding.place(count).filter(|place| place.is_own(count));
        Advice::FewerClasses(finding.added_for.clone().or(own))
    }

    fn is_of_project(&self, class: &str) -> bool {
        let project = self.project.as_ref();
        project.is_some_and(|project| project.contains(class))
    }

    /// The nearest field of the project that leads to the field of a library.
    fn outer_field(&self, held: &HeldBy, field: &NamedField) -> Option<NamedField> {
        if self.is_of_project(&field.class) {
            return None;
        }
        let at = held.path.structure.as_ref()?.field?;
        let holdings = self.holdings?;
        let mut fields = (0..at)
            .rev()
            .filter_map(|step| holdings.field_at(&held.path, step));
        fields.find(|field| self.is_of_project(&field.class))
    }

    /// Another field that holds the same objects.
    fn also(&self, held: &HeldBy, field: &NamedField) -> Option<NamedField> {
        // A dump that cannot be read again has no better answer.
        let other = self.holdings?.other_holder(&held.path).ok().flatten();
        other.filter(|other| other != field)
    }

    /// A class loader holds it.
    fn is_of_loader(&self, held: &HeldBy) -> bool {
        let mut steps = held.path.steps.iter();
        steps.any(|step| self.loaders.contains(&step.example))
    }

    /// A soft reference after the field leads to it.
    fn is_softly_held(&self, held: &HeldBy) -> bool {
        let from = held.path.structure.as_ref().and_then(|one| one.field);
        let steps = held.path.steps.get(from.unwrap_or(0)..).unwrap_or_default();
        let is_referent = |step: &HolderStep| matches!(&step.reference, Some(StepReference::Field(field)) if field == "referent");
        let is_reference = |step: &HolderStep| {
            let types = self.holdings.map(|holdings| &holdings.types);
            types.is_some_and(|types| types.name(step.ty) == SOFT_REFERENCE)
        };
        let mut pairs = steps.iter().zip(steps.iter().skip(1));
        pairs.any(|(holder, step)| is_reference(holder) && is_referent(step))
    }
}

fn unknown(finding: &Finding, why: NotKnown) -> Advice {
    match why {
        _ if finding.judged.released => Advice::LookBeforeShutdown,
        NotKnown::Starting => Advice::RunPastStart,
        NotKnown::OldestGone | NotKnown::DeathsUndated | NotKnown::FewLooks => Advice::MoreLooks,
        NotKnown::Late => Advice::RunPastBatch,
        NotKnown::Unseen | NotKnown::FewCollections | NotKnown::WeakTable => Advice::Look,
    }
}

/// The field is that of a class that a library made while the program ran.
fn is_generated(field: &NamedField) -> bool {
    stable_class(&field.class) != field.class
}
