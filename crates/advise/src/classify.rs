//! Which rule a portion falls under.

use ducktrack_count_model::{AllocationKind, Captures};

use crate::jdk;
use crate::portion::Portion;
use crate::rule::Rule;

/// Smaller arrays are no buffers.
const LEAST_BUFFER: u32 = 1024;
/// The array of a collection that is made with smaller ones is not worth keeping.
const LEAST_TABLE: u32 = 256;

/// The rule; `None`: nothing is known that would be better.
pub(crate) fn rule_of(portion: &Portion<'_>) -> Option<Rule> {
    let is_iterator =
        portion.site.method.1 == "iterator" && portion.site.kind == AllocationKind::New;
    if is_iterator && portion.callee().is_none_or(|(_, name)| name == "iterator") {
        return Some(Rule::Iterator);
    }
    if portion.site.method.1 == "values" && portion.site.kind == AllocationKind::Clone {
        return Some(Rule::EnumValues);
    }
    if portion.path.is_empty() {
        return of_own(portion);
    }
    let callee = portion.callee()?;
    if portion.passes(jdk::is_of_exception) {
        return Some(Rule::Exception);
    }
    if jdk::is_costly(callee) {
        return Some(Rule::Costly);
    }
    if portion.passes(jdk::is_stream) {
        return (!is_result(portion)).then_some(Rule::Stream);
    }
    if jdk::is_optional(callee.0) {
        return Some(Rule::Optional);
    }
    if portion.site.ty.as_deref().is_some_and(jdk::is_box) {
        return Some(Rule::Box);
    }
    // The caller cannot choose the capacity of a builder inside of such a method.
    if jdk::makes_text(callee) && !jdk::is_builder(callee.0) {
        return Some(Rule::Text);
    }
    if is_growth(portion) {
        return Some(Rule::Growth);
    }
    if jdk::is_regex(callee) {
        return Some(Rule::Regex);
    }
    // Who asks for a `listIterator` changes the list by it.
    let is_loop = jdk::makes_iterator(callee.1) && callee.1 != "listIterator";
    if is_loop && jdk::makes_iterator(portion.site.method.1) {
        return Some(Rule::Iterator);
    }
    if is_filled(portion) || jdk::copies(callee) || portion.site.kind == AllocationKind::Clone {
        return Some(Rule::Copy);
    }
    if jdk::makes_text(callee) || appends_text(portion) {
        return Some(Rule::Text);
    }
    None
}

/// An object or number is appended by way of its text.
fn appends_text(portion: &Portion<'_>) -> bool {
    let is_text = |method: jdk::Method<'_>| {
        !jdk::is_builder(method.0)
            && (method.1 == "toString" || method == ("java/lang/String", "valueOf"))
    };
    let is_builder = |(class, _): jdk::Method<'_>| jdk::is_builder(class);
    portion.callee().is_some_and(is_builder) && portion.passes(is_text)
}

/// The array of a collection that is made with many elements, or for them, or the parts of a copy of another collection.
pub(crate) fn is_filled(portion: &Portion<'_>) -> bool {
    let is_array = |ty: &str| ty.starts_with('[');
    let has_many =
        portion.site.ty.as_deref().is_some_and(is_array) && average(portion) >= LEAST_TABLE;
    makes_collection(portion) && has_many || copies_another(portion)
}

/// A part of a collection that its constructor makes.
pub(crate) fn makes_collection(portion: &Portion<'_>) -> bool {
    portion
        .callee()
        .is_some_and(|(class, name)| name == "<init>" && jdk::is_collection(class))
}

/// A part of a collection that its constructor copies from another one.
fn copies_another(portion: &Portion<'_>) -> bool {
    makes_collection(portion) && portion.passes(jdk::takes_over)
}

/// Allocated by the line itself.
fn of_own(portion: &Portion<'_>) -> Option<Rule> {
    let site = &portion.site;
    match site.kind {
        AllocationKind::Boxing => Some(Rule::Box),
        AllocationKind::Varargs => Some(Rule::Varargs),
        AllocationKind::Lambda | AllocationKind::MethodReference => Some(Rule::Capture),
        AllocationKind::Clone => Some(Rule::Copy),
        AllocationKind::StringConcat => Some(Rule::Text),
        AllocationKind::New if site.ty.as_deref() == Some("Ljava/lang/StringBuilder;") => {
            Some(Rule::Text)
        }
        AllocationKind::New if site.ty.as_deref().is_some_and(jdk::is_costly_type) => {
            Some(Rule::Costly)
        }
        AllocationKind::NewArray => {
            let is_primitive = site.ty.as_deref().is_some_and(|ty| ty.len() == 2);
            let bytes = match site.size {
                Some(bytes) => bytes,
                None => average(portion),
            };
            (is_primitive && bytes >= LEAST_BUFFER).then_some(Rule::Buffer)
        }
        _ => None,
    }
}

fn average(portion: &Portion<'_>) -> u32 {
    let count = portion.tally.count.max(1);
    u32::try_from(portion.tally.bytes / count).unwrap_or(0)
}

/// The array or collection that a stream ends in is wanted.
fn is_result(portion: &Portion<'_>) -> bool {
    let ty = portion.site.ty.as_deref().unwrap_or("");
    let is_collection = [
        "Ljava/util/ArrayList;",
        "Ljava/util/HashMap",
        "Ljava/util/HashSet;",
    ]
    .iter()
    .any(|start| ty.starts_with(start));
    ty.starts_with('[') || is_collection
}

/// The array that a collection or builder puts in the place of a smaller one.
pub(crate) fn is_growth(portion: &Portion<'_>) -> bool {
    let ty = portion.site.ty.as_deref().unwrap_or("");
    // A copy is made as large as the other collection.
    if !ty.starts_with('[') || copies_another(portion) {
        return false;
    }
    // A builder's text goes into its array by `append`; a copy of it that is larger is made by `Arrays.copyOf`.
    let appends = portion
        .callee()
        .is_some_and(|(class, name)| jdk::is_builder(class) && matches!(name, "append" | "insert"));
    let is_copy = portion.site.method == ("java/util/Arrays", "copyOf");
    // The first array of a list or table is none.
    let is_first = portion.site.method == ("java/util/ArrayList", "grow")
        || portion.site.method == ("java/util/HashMap", "resize") && average(portion) <= 80;
    appends && is_copy || portion.passes(jdk::grows) && !is_first
}

/// Whether a closure captures the same values each time.
pub(crate) fn captures_same(portion: &Portion<'_>) -> bool {
    portion.site.facts.captures != Captures::Unknown
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use ducktrack_count_model::{SiteFacts, SiteIndex, Tally};

    use super::*;
    use crate::advice::Place;
    use crate::portion::{Basis, Site};

    /// The rule of arrays of bytes that a line of the program asks for by these methods.
    fn rule_of_bytes(path: &[&'static str]) -> Option<Rule> {
        rule_of_arrays("[B", path)
    }

    fn rule_of_arrays(ty: &str, path: &[&'static str]) -> Option<Rule> {
        let facts = SiteFacts::default();
        let split = |method: &&'static str| method.rsplit_once('.').expect("a dot");
        let methods: Vec<_> = path.iter().map(split).collect();
        let portion = Portion {
            site: Site {
                index: SiteIndex::at(0),
                kind: AllocationKind::NewArray,
                method: *methods.last().expect("a site"),
                ty: Some(Arc::from(ty)),
                size: None,
                facts: &facts,
            },
            place: Place {
                class: Arc::from("Shop"),
                method: Arc::from("sell"),
                line: Some(3),
            },
            path: methods
                .iter()
                .map(|(class, name)| (Arc::from(*class), Arc::from(*name)))
                .collect(),
            constructed: None,
            tally: Tally {
                count: 10,
                bytes: 1_000,
            },
            basis: Basis::Exact,
            heap: None,
            has_constant_argument: false,
        };
        rule_of(&portion)
    }

    #[test]
    fn a_builder_makes_text_where_it_begins_and_ends() {
        let text = "java/lang/StringBuilder.toString";
        assert_eq!(
            rule_of_bytes(&[text, "java/util/Arrays.copyOfRange"]),
            Some(Rule::Text)
        );
        let append = "java/lang/StringBuilder.append";
        let grown = [append, "java/util/Arrays.copyOf"];
        assert_eq!(rule_of_bytes(&grown), Some(Rule::Growth));
        // An array of wider characters instead of the narrow one: appending is what the advice would be.
        let wider = [
            append,
            "java/lang/AbstractStringBuilder.inflate",
            "java/lang/StringUTF16.newBytesFor",
        ];
        assert_eq!(rule_of_bytes(&wider), None);
        let number = [
            append,
            "java/lang/String.valueOf",
            "java/lang/Double.toString",
        ];
        assert_eq!(rule_of_bytes(&number), Some(Rule::Text));
    }

    #[test]
    fn the_table_of_a_copied_map_has_not_grown() {
        let table = "java/util/HashMap.resize";
        let of = |path: &[&'static str]| rule_of_arrays("[Ljava/util/HashMap$Node;", path);
        let copied = [
            "java/util/HashMap.<init>",
            "java/util/HashMap.putMapEntries",
            table,
        ];
        assert_eq!(of(&copied), Some(Rule::Copy));
        let of_set = [
            "java/util/HashSet.<init>",
            "java/util/AbstractCollection.addAll",
            table,
        ];
        assert_eq!(of(&of_set), Some(Rule::Copy));
        assert_eq!(of(&["java/util/HashMap.put", table]), Some(Rule::Growth));
        assert_eq!(of(&["java/util/HashMap.putAll", table]), Some(Rule::Growth));
    }
}
