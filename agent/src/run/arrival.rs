//! The classes that are loaded when the agent arrives are rewritten, and how far that is.

use std::sync::atomic::Ordering;

use ducktrack_classfile::class_of;
use ducktrack_jvmti::sys::jclass;
use ducktrack_jvmti::{Env, Jni};
use ducktrack_trace_format::Application;

use crate::classes::metaspace_room::{METASPACE, MetaspaceRoom};
use crate::classes::retransformation::{Progress, Stops, retransform_in_view};
use crate::classes::stop_forecast::StopForecast;
use crate::core::Core;
use crate::core::registry::LoaderId;
use crate::run::agent::Agent;
use crate::run::arrival_progress::{Arrival, Forecast};

impl Agent {
    /// `before` is how the program was stopped before.
    pub(super) fn retransform_loaded_classes(&self, jni: Jni, before: &Stops) {
        let core = &self.core;
        let Ok(classes) = core.env.loaded_classes() else {
            return;
        };
        let mut project = Project::of_main_class(core.env);
        let mut wanted = classes_to_rewrite(core, &classes, &mut project);
        let room = self.look_for_room(jni);
        if room.is_some() {
            wanted.sort_by_cached_key(|class| rank(core, jni, *class));
        }
        let fitting = |exchanged| match &room {
            Some(room) => room.classes_that_fit(jni, exchanged),
            None => usize::MAX,
        };
        let refused = |class, error| {
            core.log
                .debug(|| format!("a class cannot be retransformed: {error}"));
            refuse_class(core, class, "not-retransformable");
        };
        let watch = |progress: Progress<'_>| self.watch_arrival(&progress, wanted.len(), &project);
        let stops = retransform_in_view(core.env, &wanted, fitting, refused, watch);
        self.leave_out(wanted.split_off(wanted.len() - stops.left_out));
        let mut stops = before.and(&stops);
        let arriving = self.arriving.lock().take();
        stops.forecast = arriving.map(|arrival| arrival.forecast.stops);
        if core.attached {
            core.add_note(stops.sentence());
        }
        // The run starts only once.
        let _ = self.instrumentation.arrival.set(stops);
        for class in classes.iter() {
            jni.delete_local_ref(*class);
        }
    }

    /// The metaspace that the classes may take; `None` where it has no bound.
    fn look_for_room(&self, jni: Jni) -> Option<MetaspaceRoom> {
        let core = &self.core;
        if !core.attached || !core.facts()?.is_metaspace_bounded {
            return None;
        }
        let room = MetaspaceRoom::look(jni);
        let sentence = match &room {
            Ok(room) => room.sentence()?,
            Err(error) => {
                format!("Metaspace is limited, and how much of it is free is not known: {error}.")
            }
        };
        core.add_note(sentence);
        room.ok()
    }

    /// Classes that do not fit into the metaspace, and all that are loaded from now on.
    fn leave_out(&self, classes: Vec<jclass>) {
        let core = &self.core;
        if !classes.is_empty() {
            let note = format!(
                "{} classes stay as they are, and those that are loaded from now on: with probes they would not fit into the metaspace.",
                classes.len()
            );
            core.log.warn(&note);
            core.notes.add(note);
            self.instrumentation
                .metaspace_is_full
                .store(true, Ordering::Release);
        }
        for class in classes {
            refuse_class(core, class, METASPACE);
        }
    }

    /// The first batches tell how long all others will stop the program.
    fn watch_arrival(&self, progress: &Progress<'_>, classes: usize, project: &Project) {
        if !progress.is_known() {
            return;
        }
        let mut arriving = self.arriving.lock();
        let is_first = arriving.is_none();
        let stops_left = progress.stops_for(progress.classes_left);
        let forecast = match arriving.take() {
            Some(before) => before.forecast,
            None => Forecast {
                classes,
                stops: stops_left.after(progress.stops.together),
                project: project.forecast(progress, classes),
            },
        };
        *arriving = Some(Arrival {
            classes_left: progress.classes_left,
            stops_left,
            forecast,
        });
        drop(arriving);
        if is_first && self.core.attached {
            self.core.log.info(&format!(
                "{classes} classes are loaded: to rewrite them, the program is stopped for {} in all",
                stops_left.text()
            ));
        }
    }
}

/// Classes of the project of the main class.
struct Project {
    application: Option<Application>,
    classes: usize,
}

impl Project {
    fn of_main_class(env: Env) -> Self {
        let command = env.system_property("sun.java.command").ok().flatten();
        let command = String::from_utf8_lossy(&command.unwrap_or_default()).into_owned();
        Self {
            application: project_of_command(&command),
            classes: 0,
        }
    }

    fn look(&mut self, class: &str) {
        let application = self.application.as_ref();
        let is_own = application.is_some_and(|application| application.contains(class));
        self.classes += usize::from(is_own);
    }

    /// Where it is a part of what is to be rewritten.
    fn forecast(
        &self,
        progress: &Progress<'_>,
        all: usize,
    ) -> Option<(String, usize, StopForecast)> {
        let pattern = self.application.as_ref()?.patterns.first()?;
        let is_part = (1..all).contains(&self.classes);
        is_part.then(|| {
            let stops = progress.stops_for(self.classes);
            (pattern.clone(), self.classes, stops)
        })
    }
}

/// `command`: a main class, `module/class`, or the path of a jar, and arguments.
fn project_of_command(command: &str) -> Option<Application> {
    let main = command.split(' ').next()?;
    let is_class = !main.is_empty() && !main.ends_with(".jar");
    let class = main.split_once('/').map_or(main, |(_, class)| class);
    is_class.then(|| Application::of_main(class)).flatten()
}

/// The loaded classes that are to be rewritten. Others are refused by name.
fn classes_to_rewrite(core: &Core, classes: &[jclass], project: &mut Project) -> Vec<jclass> {
    let env = core.env;
    let mut wanted = Vec::new();
    for class in classes.iter().copied() {
        if env.is_array_class(class).unwrap_or(true) {
            continue;
        }
        if !env.is_modifiable_class(class).unwrap_or(false) {
            refuse_class(core, class, "not-modifiable");
            continue;
        }
        let name = name_of(env, class);
        project.look(&name);
        if is_to_be_rewritten(core, &name) {
            wanted.push(class);
        }
    }
    wanted
}

/// Which classes come first where there is no room for all: the program's, and then those of the JDK that most programs use.
fn rank(core: &Core, jni: Jni, class: jclass) -> u8 {
    let name = name_of(core.env, class);
    let is_boot = core.loader_id(jni, class) == LoaderId(0);
    match name.strip_prefix("java/") {
        _ if !is_boot => 0,
        Some(name) if name.starts_with("lang/") => 1,
        Some(name) if name.starts_with("util/") => 2,
        _ => 3,
    }
}

/// The internal name.
fn name_of(env: Env, class: jclass) -> String {
    let signature = env.class_signature(class).unwrap_or_default();
    let signature = String::from_utf8_lossy(&signature);
    class_of(&signature).to_owned()
}

/// Whether the hook may have anything to do with a class.
fn is_to_be_rewritten(core: &Core, name: &str) -> bool {
    let is_wanted = core.chosen.wants(name);
    if !is_wanted {
        core.registry.refuse(name.as_bytes(), "excluded-by-option");
    }
    is_wanted
}

/// Refuses a class, such as one that the VM does not allow to be modified:
/// a hidden class defined before the agent controlled their definition.
fn refuse_class(core: &Core, class: jclass, why: &'static str) {
    let name = core.env.class_signature(class).unwrap_or_default();
    if let Some(name) = name
        .strip_prefix(b"L")
        .and_then(|name| name.strip_suffix(b";"))
    {
        core.registry.refuse(name, why);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_project_is_that_of_the_main_class() {
        let pattern = |command: &str| project_of_command(command)?.patterns.first().cloned();
        assert_eq!(
            pattern("com.acme.shop.Main 1 2").as_deref(),
            Some("com.acme.*")
        );
        assert_eq!(pattern("app/com.acme.Main").as_deref(), Some("com.acme.*"));
        for unknown in ["", "/srv/app.jar x", "Main"] {
            assert_eq!(pattern(unknown), None, "{unknown}");
        }
    }
}
