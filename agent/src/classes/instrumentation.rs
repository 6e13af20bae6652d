//! Which code gets which probes: methods that pass the blame to their callers,
//! loaders that know the helper classes, versions for measured paths.

use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use ducktrack_class_rewriter::{Stamps, TrackedMethods};

use crate::classes::hot_library_sites::Tracking;
use crate::classes::kept_templates::KeptTemplates;
use crate::classes::prepared_classes::PreparedClasses;
use crate::classes::reinstrumentation::Reinstrumentation;
use crate::classes::retransformation::Stops;
use crate::contexts::points::ContextPoints;
use crate::helper_classes::loader_links::LoaderLinks;
use crate::options::{Context, Mode, Options};
use crate::recording::Probes;

/// See the module.
pub(crate) struct Instrumentation {
    pub(crate) tracking: Tracking,
    /// The methods that open contexts.
    pub(crate) contexts: ContextPoints,
    pub(crate) links: LoaderLinks,
    pub(crate) versions: Reinstrumentation,
    /// Sizes of classes.
    pub(crate) prepared: PreparedClasses,
    /// Rewritten classes of earlier runs.
    pub(crate) kept: KeptTemplates,
    /// The probe methods that rewritten code calls, once chosen.
    pub(crate) probes: OnceLock<Probes>,
    /// How long the program was stopped when the agent was attached.
    pub(crate) arrival: OnceLock<Stops>,
    /// Whether classes that are loaded are left as they are, because there is no metaspace for their probes.
    pub(crate) metaspace_is_full: AtomicBool,
    /// Whether hidden classes come in through a method that was rewritten.
    pub(crate) hidden_class_gate: AtomicBool,
}

impl Instrumentation {
    /// # Errors
    /// One line that says what is wrong with the file of option `context`.
    pub(crate) fn new(options: &Options) -> Result<Self, String> {
        Ok(Self {
            tracking: Tracking::new(tracked_methods(options)?),
            contexts: ContextPoints::new(&options.contexts),
            links: LoaderLinks::default(),
            versions: Reinstrumentation::default(),
            prepared: PreparedClasses::default(),
            kept: KeptTemplates::default(),
            probes: OnceLock::new(),
            arrival: OnceLock::new(),
            metaspace_is_full: AtomicBool::new(false),
            hidden_class_gate: AtomicBool::new(false),
        })
    }
}

impl Instrumentation {
    /// Frees what was kept for classes and loaders, after the probes are removed.
    pub(crate) fn forget(&self) {
        self.tracking.forget();
        self.links.forget();
        self.prepared.forget();
    }

    /// How the code of a class (internal name) stamps the objects it uses.
    pub(crate) fn stamps_of(&self, class: &str) -> Stamps {
        let probes = self.probes.get();
        probes.map_or(Stamps::None, |probes| probes.stamps_of(class))
    }
}

fn tracked_methods(options: &Options) -> Result<TrackedMethods, String> {
    let mut methods = match options.context {
        Context::Off => return Ok(TrackedMethods::none()),
        Context::Auto | Context::File(_) => TrackedMethods::built_in(),
    };
    if options.mode == Mode::Trace {
        methods.add_makers_of_values();
    }
    if let Context::File(path) = &options.context {
        add_file(&mut methods, path)?;
    }
    Ok(methods)
}

fn add_file(methods: &mut TrackedMethods, path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|error| {
        format!(
            "cannot read {} of option `context`: {error}",
            path.display()
        )
    })?;
    methods.add_lines(&text).map_err(|bad| {
        format!(
            "{}:{}: `{}` is not class.method",
            path.display(),
            bad.line,
            bad.text
        )
    })
}
