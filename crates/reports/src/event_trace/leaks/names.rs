//! Findings as they are named: places, makers, fields.

use ducktrack_analyses::TraceModel;
use ducktrack_findings::{AddedBy, Finding, HolderMade, Maker, Place};
use ducktrack_holders::{Holdings, NamedField};

use crate::class_name::{printable, readable_class};
use crate::event_trace::place::{PlaceDoc, type_name};
use crate::stack_names::frame_name;
use crate::view::{Caller, Location, View};

/// Names what a recording has.
#[derive(Clone, Copy)]
pub(super) struct Names<'a> {
    pub(super) model: &'a TraceModel,
    pub(super) view: &'a View,
    pub(super) holdings: Option<&'a Holdings>,
}

impl Names<'_> {
    /// Where it is made.
    pub(super) fn location(&self, maker: &Maker) -> Option<Location> {
        let place = PlaceDoc::of(&self.model.count, maker.site?);
        place.map(|place| place.location)
    }

    /// The same as one text.
    pub(super) fn made(&self, maker: &Maker) -> Option<String> {
        self.location(maker).map(|location| location.to_string())
    }

    /// For whom it is made.
    pub(super) fn caller(&self, maker: &Maker) -> Option<&Caller> {
        self.view.callers.get(maker.call?.get())
    }

    /// Its type.
    pub(super) fn target(&self, maker: &Maker) -> String {
        type_name(maker.ty.as_deref())
    }

    /// A line as one text.
    pub(super) fn place(&self, place: &Place) -> Option<String> {
        match place {
            Place::Site(site) => {
                let place = PlaceDoc::of(&self.model.count, *site)?;
                Some(place.location.to_string())
            }
            Place::Call(call) => Some(self.view.callers.get(call.get())?.to_string()),
            Place::Frame(frame) => Some(frame_name(frame)),
        }
    }

    /// The line that adds to a structure; of one that only makes what is added, that.
    pub(super) fn added_by(&self, added: &AddedBy) -> Option<String> {
        let place = self.place(&added.place)?;
        Some(match added.is_near {
            true => format!("near {place}, which makes what is added"),
            false => place,
        })
    }

    /// The line that made the nearest holder.
    pub(super) fn holder_made(&self, made: &HolderMade) -> Option<String> {
        let place = self.place(&made.place)?;
        let holder = match &made.class {
            Some(class) => format!("class {}", readable_class(class)),
            None => type_name(self.holdings.map(|holdings| holdings.types.name(made.ty))),
        };
        Some(format!("{place}, which made the {holder} that holds it"))
    }

    /// Where it is made, in a sentence; code of the JDK works for a caller.
    pub(super) fn made_for(&self, finding: &Finding) -> String {
        let Some(place) = finding.made() else {
            return "made at a place that is not known (the VM or native code)".to_owned();
        };
        let is_own = place.is_own(&self.model.count);
        let caller = self.caller(&finding.maker).filter(|_| !is_own);
        match caller {
            Some(caller) => format!("made for {}", caller.location),
            None => format!("made at {}", self.place(&place).unwrap_or_default()),
        }
    }
}

/// `com.acme.Shop.OPEN`
pub(super) fn field_name(field: &NamedField) -> String {
    format!(
        "{}.{}",
        readable_class(&field.class),
        printable(&field.field)
    )
}
