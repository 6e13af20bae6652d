//! The bytes of a class of the JDK as its image has them, without probes.

use ducktrack_jvmti::sys::{jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};

/// References that the way to the bytes takes.
const REFERENCES: usize = 16;

/// The class file of a library class, by its name in internal form; `None`: the JDK does not give it out. Runs Java code.
pub(crate) fn library_class(jni: Jni, class: &str) -> Option<Vec<u8>> {
    let bytes = jni.with_local_frame(REFERENCES, || {
        let bytes = read(jni, class);
        jni.clear_exception();
        bytes
    });
    bytes.ok()?.ok()?
}

/// `ClassLoader.getSystemResourceAsStream(class + ".class").readAllBytes()`
fn read(jni: Jni, class: &str) -> Result<Option<Vec<u8>>, Error> {
    let loaders = jni.find_class("java/lang/ClassLoader")?;
    let open = jni.static_method_id(
        loaders,
        "getSystemResourceAsStream",
        "(Ljava/lang/String;)Ljava/io/InputStream;",
    )?;
    let name: jobject = jni.new_string(&format!("{class}.class"))?;
    let stream = jni.call_static_object(loaders, open, &[jvalue { l: name }])?;
    if stream.is_null() {
        return Ok(None);
    }
    let streams = jni.find_class("java/io/InputStream")?;
    let read_all = jni.method_id(streams, "readAllBytes", "()[B")?;
    let bytes = jni.call_object(stream, read_all, &[])?;
    let close = jni.method_id(streams, "close", "()V")?;
    jni.call_void(stream, close, &[])?;
    jni.byte_array(bytes).map(Some)
}
