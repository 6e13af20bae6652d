//! Lines of source, and whose they are.

use std::sync::Arc;

use ducktrack_count_model::{CallIndex, CountModel, SiteIndex, is_of_jdk};
use ducktrack_profile::Frame;

/// A line of source.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// It allocates: a row of [`CountModel::sites`].
    Site(SiteIndex),
    /// It calls a method that allocates: a row of [`CountModel::calls`].
    Call(CallIndex),
    /// It was on sampled stacks.
    Frame(Frame),
}

impl Place {
    /// Its class, in internal form. `None`: the place is not of this model.
    pub fn class<'a>(&'a self, model: &'a CountModel) -> Option<&'a str> {
        match self {
            Self::Site(site) => {
                let method = model.sites.get(site.get())?.method;
                model.methods.get(method.get()).map(|method| &*method.class)
            }
            Self::Call(call) => {
                let method = model.calls.get(call.get())?.method;
                model.methods.get(method.get()).map(|method| &*method.class)
            }
            Self::Frame(Frame::Method { class, .. }) => Some(class),
            Self::Frame(Frame::NoStack | Frame::Deeper) => None,
        }
    }

    /// It is in a class that is not of the JDK: a person can change it.
    pub fn is_own(&self, model: &CountModel) -> bool {
        self.class(model).is_some_and(|class| !is_of_jdk(class))
    }
}

/// A line of a method: class in internal form, method, line.
pub(crate) type Line = (Arc<str>, Arc<str>, Option<u16>);

/// The line of a site.
pub(crate) fn line_of_site(model: &CountModel, site: SiteIndex) -> Option<Line> {
    let row = model.sites.get(site.get())?;
    let method = model.methods.get(row.method.get())?;
    Some((method.class.clone(), method.name.clone(), row.line))
}

/// The line of a call.
pub(crate) fn line_of_call(model: &CountModel, call: CallIndex) -> Option<Line> {
    let row = model.calls.get(call.get())?;
    let method = model.methods.get(row.method.get())?;
    Some((method.class.clone(), method.name.clone(), row.line))
}

/// The line of a frame.
pub(crate) fn line_of_frame(frame: &Frame) -> Option<Line> {
    match frame {
        Frame::Method {
            class,
            method,
            line,
            ..
        } => Some((class.clone(), method.clone(), *line)),
        Frame::NoStack | Frame::Deeper => None,
    }
}

/// A class, or one that it shares its outermost class with; both in internal form.
pub(crate) fn shares_outermost_class(one: &str, other: &str) -> bool {
    let outermost = |class: &str| class.split('$').next().map(str::to_owned);
    outermost(one) == outermost(other)
}
