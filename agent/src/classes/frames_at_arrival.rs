//! Methods that run when the agent arrives: their frames go on with the code that they were entered
//! with, which has no probes. The VM gives stack traces no file for a version of a class that is
//! not the latest (`get_source_file_name` in `javaClasses.cpp`), and `StackWalker` no line.

use std::collections::BTreeSet;

use ducktrack_classfile::class_of;
use ducktrack_jvmti::sys::jmethodID;
use ducktrack_jvmti::{FrameInfo, Jni};

use crate::core::Core;

/// Frames of one thread that are looked at.
const MOST_FRAMES: usize = 4096;
/// Methods that are named; the others are counted.
const MOST_NAMES: usize = 20;

/// Names, for the report, the methods that have got probes and still run without.
pub(crate) fn name_running_methods(core: &Core, jni: Jni) {
    let names = methods_without_probes(core, jni);
    if !names.is_empty() {
        core.add_note(sentence(&names));
    }
}

fn methods_without_probes(core: &Core, jni: Jni) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let Ok(threads) = core.env.all_threads() else {
        return names;
    };
    let nothing = FrameInfo {
        method: std::ptr::null_mut(),
        location: 0,
    };
    let mut frames = vec![nothing; MOST_FRAMES];
    for thread in threads.iter() {
        let depth = core.env.stack_trace(*thread, &mut frames).unwrap_or(0);
        let replaced = frames.iter().take(depth).filter(|frame| {
            // A version that was replaced by one with other code.
            core.env.is_method_obsolete(frame.method).unwrap_or(false)
        });
        names.extend(replaced.filter_map(|frame| method_name(core, jni, frame.method)));
    }
    names
}

fn method_name(core: &Core, jni: Jni, method: jmethodID) -> Option<String> {
    let class = core.env.method_declaring_class(method).ok()?;
    let signature = core.env.class_signature(class);
    jni.delete_local_ref(class);
    let class = class_of(&String::from_utf8_lossy(&signature.ok()?)).replace('/', ".");
    let name = core.env.method_name(method).ok()?.name;
    Some(format!("{class}.{}", String::from_utf8_lossy(&name)))
}

fn sentence(names: &BTreeSet<String>) -> String {
    let named: Vec<&str> = names.iter().take(MOST_NAMES).map(String::as_str).collect();
    let more = match names.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "Running when the agent arrived, not seen until they are entered again, and in stack traces without file and line until they return: {}{more}.",
        named.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_is_cut_and_counted() {
        let names = (0..23).map(|number| format!("a.B.m{number:02}")).collect();
        let text = sentence(&names);
        assert!(text.contains("return: a.B.m00, a.B.m01,"), "{text}");
        assert!(text.ends_with("a.B.m19 and 3 more."), "{text}");
    }
}
