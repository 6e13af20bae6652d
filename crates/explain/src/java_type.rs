//! Formats descriptors as Java types: `[[Ljava/lang/String;` is `java.lang.String[][]`.

/// The Java type for a descriptor or an internal class name.
pub(crate) fn java_type(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let name = match element {
        "Z" => "boolean",
        "B" => "byte",
        "C" => "char",
        "S" => "short",
        "I" => "int",
        "F" => "float",
        "J" => "long",
        "D" => "double",
        "V" => "void",
        _ => element
            .strip_prefix('L')
            .and_then(|name| name.strip_suffix(';'))
            .unwrap_or(element),
    };
    name.replace('/', ".") + &"[]".repeat(dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_spelled_as_in_java() {
        for (descriptor, java) in [
            ("Ljava/lang/String;", "java.lang.String"),
            ("[[I", "int[][]"),
            ("[Ljava/util/Map$Entry;", "java.util.Map$Entry[]"),
            ("J", "long"),
        ] {
            assert_eq!(java_type(descriptor), java);
        }
    }
}
