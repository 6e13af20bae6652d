//! Whose references a trial may set to null.
//!
//! HotSpot, its intrinsics and native code of the JDK read fields of many classes without a check for null:
//! `String.value`, `Thread.holder`, `Module.loader`, the arrays of `java.nio` buffers and of `Inflater`. With
//! such a field set to null the VM crashes. So of the JDK's classes only collections and the like may lose
//! references, in which Java code reads every field, and a lost one is at most a `NullPointerException`.

/// Packages of the JDK.
const JDK: [&str; 5] = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];
/// Its packages whose fields only Java code reads.
const READ_BY_JAVA: &str = "java/util/";
/// Exceptions: native code has their arrays, or threads of the VM run in them.
const READ_BY_OTHERS: [&str; 4] = [
    "java/util/zip/",
    "java/util/jar/",
    "java/util/prefs/",
    "java/util/concurrent/ForkJoin",
];
/// Arrays that programs and the VM both have; the agent looks at who holds one.
const COMMON_ELEMENTS: [&str; 2] = ["java/lang/Object", "java/lang/String"];

/// Whether references of the objects of a class may be set to null. The class is named by a
/// descriptor (`[Ljava/lang/Object;`), an internal name, or as in source code (`java.lang.Object[]`).
#[must_use]
pub fn may_lose_references(class: &str) -> bool {
    let (name, is_array) = element_name(class);
    if is_array && COMMON_ELEMENTS.contains(&name.as_str()) {
        return true;
    }
    let is_read_by_java = name.starts_with(READ_BY_JAVA)
        && !READ_BY_OTHERS.iter().any(|start| name.starts_with(start));
    !is_of_jdk(class) || is_read_by_java
}

/// Whether a class is one of the JDK's, or of arrays of these; named as for [`may_lose_references`].
#[must_use]
pub fn is_of_jdk(class: &str) -> bool {
    let (name, _) = element_name(class);
    JDK.iter().any(|start| name.starts_with(start))
}

/// The internal name of a class, or of an array's elements.
fn element_name(class: &str) -> (String, bool) {
    let element = class.trim_start_matches('[').trim_end_matches("[]");
    let is_array = element.len() != class.len();
    let named = element
        .strip_prefix('L')
        .and_then(|name| name.strip_suffix(';'));
    let name = named.map_or_else(|| element.replace('.', "/"), str::to_owned);
    (name, is_array)
}

#[cfg(test)]
mod tests {
    use super::may_lose_references;

    #[test]
    fn classes_that_the_vm_reads_are_left_alone() {
        for read in [
            "java.lang.String",
            "Ljava/lang/String;",
            "java.lang.Class",
            "java.lang.Thread",
            "java.lang.Module",
            "java.lang.ClassLoader",
            "java.lang.Throwable",
            "java.lang.invoke.MethodType",
            "java.lang.ref.WeakReference",
            "java.lang.reflect.Method",
            "java.lang.Class[]",
            "[Ljava/lang/Class;",
            "[Ljava/lang/invoke/LambdaForm$Name;",
            "java.nio.HeapByteBuffer",
            "java.util.zip.Inflater",
            "java.util.concurrent.ForkJoinPool$WorkQueue",
            "jdk.internal.loader.ClassLoaders$AppClassLoader",
            "java/net/URLClassLoader",
        ] {
            assert!(!may_lose_references(read), "{read}");
        }
        for own in [
            "com.acme.Cache",
            "Lcom/acme/Cache;",
            "Cache",
            "Logs",
            "java.util.HashMap$Node",
            "[Ljava/util/HashMap$Node;",
            "java.util.concurrent.ConcurrentHashMap$Node[]",
            "java.lang.Object[]",
            "[Ljava/lang/Object;",
            "java.lang.String[]",
            "com.acme.Cache[][]",
        ] {
            assert!(may_lose_references(own), "{own}");
        }
    }
}
