//! The bytes of classes of the JDK as its image has them, without probes.

use ducktrack_classfile::ClassFile;
use ducktrack_jvmti::sys::{jobject, jvalue};
use ducktrack_jvmti::{Error, Jni};

/// References that the way to the bytes takes.
const REFERENCES: usize = 16;

/// The class files of a library class and its superclasses, from its name in
/// internal form on; none where the JDK does not give them out. Runs Java code.
pub(crate) fn with_superclasses(jni: Jni, class: &str) -> Vec<Vec<u8>> {
    let mut files = Vec::new();
    let mut next = Some(class.to_owned());
    while let Some(file) = next.and_then(|class| library_class(jni, &class)) {
        let class = ClassFile::parse(&file).ok();
        let superclass = class.and_then(|class| class.super_class());
        next = superclass.map(|name| String::from_utf8_lossy(name).into_owned());
        files.push(file);
    }
    files
}

fn library_class(jni: Jni, class: &str) -> Option<Vec<u8>> {
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
