//! Which code gets which probes: methods that pass the blame to their callers, loaders that know the helper classes, versions for measured paths.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use ducktrack_class_rewriter::{Stamps, TrackedMethods};

use crate::classes::hot_library_sites::Tracking;
use crate::classes::prepared_classes::PreparedClasses;
use crate::classes::reinstrumentation::Reinstrumentation;
use crate::classes::retransformation::Stops;
use crate::helper_classes::loader_links::LoaderLinks;
use crate::options::{Context, Options};
use crate::recording::Probes;

/// See the module.
pub(crate) struct Instrumentation {
    pub(crate) tracking: Tracking,
    pub(crate) links: LoaderLinks,
    pub(crate) versions: Reinstrumentation,
    /// Sizes of classes.
    pub(crate) prepared: PreparedClasses,
    /// The probe methods that rewritten code calls, once chosen.
    pub(crate) probes: OnceLock<Probes>,
    /// How long the program was stopped when the agent was attached.
    pub(crate) arrival: OnceLock<Stops>,
    /// Whether hidden classes come in through a method that was rewritten.
    pub(crate) hidden_class_gate: AtomicBool,
}

impl Instrumentation {
    /// # Errors
    /// One line that says what is wrong with the file of option `context`.
    pub(crate) fn new(options: &Options) -> Result<Self, String> {
        Ok(Self {
            tracking: Tracking::new(tracked_methods(&options.context)?),
            links: LoaderLinks::default(),
            versions: Reinstrumentation::default(),
            prepared: PreparedClasses::default(),
            probes: OnceLock::new(),
            arrival: OnceLock::new(),
            hidden_class_gate: AtomicBool::new(false),
        })
    }
}

impl Instrumentation {
    /// How the code of a class (internal name) stamps the objects it uses.
    pub(crate) fn stamps_of(&self, class: &str) -> Stamps {
        let probes = self.probes.get();
        probes.map_or(Stamps::None, |probes| probes.stamps_of(class))
    }
}

fn tracked_methods(context: &Context) -> Result<TrackedMethods, String> {
    match context {
        Context::Off => Ok(TrackedMethods::none()),
        Context::Auto => Ok(TrackedMethods::built_in()),
        Context::File(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| {
                format!(
                    "cannot read {} of option `context`: {error}",
                    path.display()
                )
            })?;
            let mut methods = TrackedMethods::built_in();
            methods.add_lines(&text).map_err(|bad| {
                format!(
                    "{}:{}: `{}` is not class.method",
                    path.display(),
                    bad.line,
                    bad.text
                )
            })?;
            Ok(methods)
        }
    }
}
