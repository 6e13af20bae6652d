//! The helper classes `java.lang.DuckTrackCalls` and `DuckTrackOwn` in the VM: what the application's calls bring.

use ducktrack_jvmti::sys::jvalue;
use ducktrack_jvmti::{Error, Jni};

use crate::core::Core;
use crate::count::application::Application;
use crate::count::call_totals::CallTotals;
use crate::options::App;

const CALLS_BYTES: &[u8] = include_bytes!("../helper/DuckTrackCalls.class");
const CALLS_NAME: &str = "java/lang/DuckTrackCalls";
const OWN_BYTES: &[u8] = include_bytes!("../helper/DuckTrackOwn.class");
const OWN_NAME: &str = "java/lang/DuckTrackOwn";

/// Defines the classes, calls every native once, and asks for the main class.
fn define(jni: Jni) -> Result<Option<String>, Error> {
    let own = jni.define_class(OWN_NAME, std::ptr::null_mut(), OWN_BYTES)?;
    // The id of a method makes the VM initialize its class.
    jni.static_method_id(own, "c", "(I)V")?;
    jni.delete_local_ref(own);
    let calls = jni.define_class(CALLS_NAME, std::ptr::null_mut(), CALLS_BYTES)?;
    for native in ["leave", "arrive"] {
        let method = jni.static_method_id(calls, native, "(JJ)V")?;
        jni.call_static_void(calls, method, &[jvalue { j: 0 }, jvalue { j: 0 }])?;
    }
    let main_class = jni.static_method_id(calls, "mainClass", "()Ljava/lang/String;")?;
    let name = jni.call_static_object(calls, main_class, &[])?;
    let main = match name.is_null() {
        true => None,
        false => Some(jni.string(name)?),
    };
    jni.delete_local_ref(name);
    jni.delete_local_ref(calls);
    Ok(main)
}

/// The helper classes, where what calls bring is asked for, and which classes are the application's.
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

/// What calls of the application bring, where it is asked for.
pub(crate) fn call_totals(core: &Core) -> Option<&'static CallTotals> {
    let asked = core.options.app != App::Off;
    core.resident.call_totals().filter(|_| asked)
}
