//! `remove=SOURCE->TARGET`: the references that a trial removes.

use ducktrack_classfile::class_of;

/// Primitive types, as source names and descriptors.
const PRIMITIVES: [(&str, &str); 8] = [
    ("boolean", "Z"),
    ("byte", "B"),
    ("char", "C"),
    ("short", "S"),
    ("int", "I"),
    ("long", "J"),
    ("float", "F"),
    ("double", "D"),
];

/// References from objects of one class to those of another. Both are descriptors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypePair {
    /// The class of the referring objects.
    pub source: String,
    /// The class of the referenced objects.
    pub target: String,
}

impl TypePair {
    /// Parses `java.util.HashMap$Node->com.acme.Session`, `java.lang.Object[]->byte[]`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (source, target) = text.split_once("->")?;
        Some(Self {
            source: descriptor(source.trim())?,
            target: descriptor(target.trim())?,
        })
    }

    /// The source type as in source code.
    pub fn readable_source(&self) -> String {
        readable(&self.source)
    }

    /// The target type as in source code.
    pub fn readable_target(&self) -> String {
        readable(&self.target)
    }
}

/// `None` if it is not a type of objects.
fn descriptor(name: &str) -> Option<String> {
    let element = name.trim_end_matches("[]");
    let dimensions = (name.len() - element.len()) / 2;
    let is_name = !element.is_empty() && !element.contains(['[', ']', ';', ' ', '-', '>']);
    let primitive = PRIMITIVES.iter().find(|(word, _)| *word == element);
    let element = match primitive {
        Some(_) if dimensions == 0 => return None,
        Some((_, letter)) => (*letter).to_owned(),
        None => format!("L{};", element.replace('.', "/")),
    };
    is_name.then(|| "[".repeat(dimensions) + &element)
}

fn readable(descriptor: &str) -> String {
    let element = descriptor.trim_start_matches('[');
    let dimensions = descriptor.len() - element.len();
    let primitive = PRIMITIVES.iter().find(|(_, letter)| *letter == element);
    let name = match primitive {
        Some((word, _)) => (*word).to_owned(),
        None => class_of(element).replace('/', "."),
    };
    name + &"[]".repeat(dimensions)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_written() {
        let pair = TypePair::parse("java.util.HashMap$Node -> byte[][]").expect("a pair");
        assert_eq!(pair.source, "Ljava/util/HashMap$Node;");
        assert_eq!(pair.target, "[[B");
        assert_eq!(pair.readable_source(), "java.util.HashMap$Node");
        assert_eq!(pair.readable_target(), "byte[][]");
        for bad in ["", "a", "->b", "a->", "int->b", "a->b;", "a[->b", "a->b->c"] {
            assert_eq!(TypePair::parse(bad), None, "{bad}");
        }
    }
}
