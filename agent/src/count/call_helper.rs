//! The helper classes `java.lang.DuckTrackCalls` and `DuckTrackOwn` in the VM: allocations of the application's calls.

use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};
use ducktrack_probe_vocabulary::helper::{calls, own};

use crate::core::Core;
use crate::count::application::Application;
use crate::count::call_totals::CallTotals;
use crate::helper_classes::definition::{self, HelperFile, helper_file, method};
use crate::options::App;

const OWN: HelperFile = helper_file!("DuckTrackOwn", own::COUNT);
const CALLS: HelperFile = helper_file!("DuckTrackCalls", calls::BEGIN);

/// Defines the classes, calls every native once, and asks for the main class.
fn define(jni: Jni) -> Result<Option<String>, Error> {
    let [_, class] = definition::define(jni, [OWN, CALLS])?;
    for native in [calls::LEAVE, calls::ARRIVE] {
        let native = method(jni, class, native)?;
        jni.call_static_void(class, native, &[jvalue { j: 0 }, jvalue { j: 0 }])?;
    }
    let main_class = method(jni, class, calls::MAIN_CLASS)?;
    let name = jni.call_static_object(class, main_class, &[])?;
    let main = match name.is_null() {
        true => None,
        false => Some(jni.string(name)?),
    };
    jni.delete_local_ref(name);
    Ok(main)
}

/// The helper classes for `app=`, and the classes of the application.
///
/// # Errors
/// Why nothing can be counted: one line.
pub(crate) fn prepare(core: &Core, jni: Jni) -> Result<(), String> {
    let Some(totals) = call_totals(core) else {
        if core.options.app != App::Off {
            core.add_note(
                "Calls of the application are not measured: an earlier recording in this JVM had app=off.".to_owned(),
            );
        }
        return Ok(());
    };
    if let Some(known) = totals.application() {
        core.registry.note_application(&known.0);
        return Ok(());
    }
    let main = define(jni).map_err(|error| format!("the helper class does not work: {error}"))?;
    match Application::find(&core.options.app, || main) {
        Ok(Some(application)) => {
            core.registry.note_application(&application.0);
            totals.set_application(application);
        }
        Ok(None) => {}
        Err(why) => core.add_note(why),
    }
    Ok(())
}

/// The measurement of the application's calls, if `app=` asks for it.
pub(crate) fn call_totals(core: &Core) -> Option<&'static CallTotals> {
    let asked = core.options.app != App::Off;
    CallTotals::get().filter(|_| asked)
}
