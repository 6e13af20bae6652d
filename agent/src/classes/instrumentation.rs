//! Which code gets which probes: methods that pass the blame to their callers,
//! loaders that know the helper classes, versions for measured paths.

use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};

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
        self.kept.forget();
    }

    /// How the code of a class (internal name) stamps the objects it uses.
    pub(crate) fn stamps_of(&self, class: &str) -> Stamps {
        let probes = self.probes.get();
        probes.map_or(Stamps::None, |probes| probes.stamps_of(class))
    }
}

fn tracked_methods(options: &Options) -> Result<Arc<TrackedMethods>, String> {
    match &options.context {
        Context::Off => Ok(Arc::default()),
        Context::Auto => Ok(built_in_methods(options.mode)),
        Context::File(path) => {
            let mut methods = TrackedMethods::clone(&built_in_methods(options.mode));
            add_file(&mut methods, path)?;
            Ok(Arc::new(methods))
        }
    }
}

/// The same for all runs of the process.
fn built_in_methods(mode: Mode) -> Arc<TrackedMethods> {
    static OF_COUNTS: OnceLock<Arc<TrackedMethods>> = OnceLock::new();
    static OF_TRACES: OnceLock<Arc<TrackedMethods>> = OnceLock::new();
    let methods = match mode {
        Mode::Trace => OF_TRACES.get_or_init(|| {
            let mut methods = TrackedMethods::built_in();
            methods.add_makers_of_values();
            Arc::new(methods)
        }),
        _ => OF_COUNTS.get_or_init(|| Arc::new(TrackedMethods::built_in())),
    };
    Arc::clone(methods)
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
