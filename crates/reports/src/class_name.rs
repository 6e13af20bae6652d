//! Names as people write them, and safe to print.
//!
//! The model has stable names in the VM's own form: `java/util/HashMap$Node`, `[[J`. Reports print dots and brackets:
//!
//! | in the model | in a report |
//! |---|---|
//! | `java/util/HashMap$Node` | `java.util.HashMap$Node` |
//! | `[[J` | `long[][]` |
//! | `[Ljava/lang/String;` | `java.lang.String[]` |
//!
//! Class files are untrusted and the VM allows nearly any character in a name. Characters that would steer a terminal or
//! turn the reading direction are written as `\u{1b}`.

pub(crate) use ducktrack_printable::printable;

/// A class in internal form with dots.
pub(crate) fn readable_class(internal: &str) -> String {
    printable(internal).replace('/', ".")
}

/// A field descriptor as Java source would write it: `[[J` is `long[][]`.
pub(crate) fn readable_type(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let mut name = match element {
        "B" => "byte".to_owned(),
        "C" => "char".to_owned(),
        "D" => "double".to_owned(),
        "F" => "float".to_owned(),
        "I" => "int".to_owned(),
        "J" => "long".to_owned(),
        "S" => "short".to_owned(),
        "Z" => "boolean".to_owned(),
        "V" => "void".to_owned(),
        reference => readable_class(
            reference
                .strip_prefix('L')
                .and_then(|name| name.strip_suffix(';'))
                .unwrap_or(reference),
        ),
    };
    for _ in 0..dimensions {
        name.push_str("[]");
    }
    name
}

/// A method descriptor as text without spaces: `(ILjava/lang/String;)V` is `(int,java.lang.String):void`.
pub(crate) fn readable_descriptor(descriptor: &str) -> String {
    let Some((parameters, result)) = descriptor
        .strip_prefix('(')
        .and_then(|rest| rest.split_once(')'))
    else {
        return printable(descriptor);
    };
    let mut types = Vec::new();
    let mut rest = parameters;
    while !rest.is_empty() {
        let element = rest.len() - rest.trim_start_matches('[').len();
        let end = match rest.get(element..).unwrap_or_default() {
            class if class.starts_with('L') => {
                class.find(';').map_or(rest.len(), |at| element + at + 1)
            }
            primitive => element + primitive.chars().next().map_or(0, char::len_utf8),
        };
        let (ty, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
        types.push(readable_type(ty));
        rest = after;
    }
    format!("({}):{}", types.join(","), readable_type(result))
}

/// The package of a class in dotted form; empty for the unnamed package.
pub(crate) fn package_of(dotted: &str) -> &str {
    dotted.rsplit_once('.').map_or("", |(package, _)| package)
}

/// The class without its package.
pub(crate) fn simple_name(dotted: &str) -> &str {
    dotted.rsplit_once('.').map_or(dotted, |(_, simple)| simple)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_steers_a_terminal_is_escaped() {
        assert_eq!(readable_class("a/B\u{1b}[2J"), "a.B\\u{1b}[2J");
        assert_eq!(printable("x\u{202e}y\n"), "x\\u{202e}y\\u{a}");
        assert_eq!(printable("größe$日本"), "größe$日本");
    }

    #[test]
    fn descriptors_become_source_types() {
        for (descriptor, expected) in [
            ("[[J", "long[][]"),
            ("Ljava/lang/String;", "java.lang.String"),
            ("[Ljava/util/HashMap$Node;", "java.util.HashMap$Node[]"),
            ("LMain$$Lambda;", "Main$$Lambda"),
            ("I", "int"),
            ("", ""),
            ("[", "[]"),
        ] {
            assert_eq!(readable_type(descriptor), expected);
        }
    }

    #[test]
    fn descriptors_of_methods() {
        for (descriptor, expected) in [
            ("()V", "():void"),
            (
                "(I[JLjava/lang/String;[[La/B;Z)[I",
                "(int,long[],java.lang.String,a.B[][],boolean):int[]",
            ),
            ("(Lbroken", "(Lbroken"),
            ("([)V", "([]):void"),
            ("(Lx)I", "(Lx):int"),
        ] {
            assert_eq!(readable_descriptor(descriptor), expected);
        }
    }

    #[test]
    fn packages() {
        assert_eq!(package_of("java.util.HashMap"), "java.util");
        assert_eq!(package_of("Main"), "");
        assert_eq!(simple_name("java.util.HashMap$Node"), "HashMap$Node");
    }
}
