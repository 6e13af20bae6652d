//! Parses and compares the VM's class histogram.
//!
//! ```text
//!  num     #instances         #bytes  class name (module)
//! -------------------------------------------------------
//!    1:         15866         976504  [B (java.base@17.0.15)
//! Total         73187        3333248
//! ```

use std::collections::BTreeMap;

/// Number and bytes of a class's objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassAmount {
    /// Number of objects.
    pub count: u64,
    /// Bytes of the objects, headers and padding included.
    pub bytes: u64,
}

/// The classes with which collectors fill the memory of dead objects, from JDK 19 on.
const FILLERS: &[&str] = &[
    "jdk.internal.vm.FillerArray",
    "jdk.internal.vm.FillerObject",
    "jdk.internal.vm.FillerElement[]",
];

/// The filler classes up to JDK 18, of which programs have objects too.
const FORMER_FILLERS: &[&str] = &["int[]", "java.lang.Object"];

/// Amounts by class, with hidden classes of one kind added up.
pub fn parse_class_histogram(text: &str) -> BTreeMap<String, ClassAmount> {
    let mut classes: BTreeMap<String, ClassAmount> = BTreeMap::new();
    for line in text.lines() {
        if let Some((name, amount)) = row(line) {
            let sum = classes.entry(stable_class_name(name)).or_default();
            sum.count += amount.count;
            sum.bytes += amount.bytes;
        }
    }
    classes
}

fn row(line: &str) -> Option<(&str, ClassAmount)> {
    let mut words = line.split_whitespace();
    words.next()?.strip_suffix(':')?.parse::<u32>().ok()?;
    let count = words.next()?.parse().ok()?;
    let bytes = words.next()?.parse().ok()?;
    Some((words.next()?, ClassAmount { count, bytes }))
}

/// A class name as in Java source, without the numbers of hidden classes, which differ from run to run: `[B` is
/// `byte[]`, `Main$$Lambda/0x00007f` and `Main$$Lambda$14` are `Main$$Lambda`.
pub fn stable_class_name(name: &str) -> String {
    let element = name.trim_start_matches('[');
    let dimensions = name.len() - element.len();
    let element = match (dimensions, element) {
        (1.., "B") => "byte",
        (1.., "C") => "char",
        (1.., "D") => "double",
        (1.., "F") => "float",
        (1.., "I") => "int",
        (1.., "J") => "long",
        (1.., "S") => "short",
        (1.., "Z") => "boolean",
        (_, class) => class
            .strip_suffix(';')
            .and_then(|class| class.strip_prefix('L'))
            .unwrap_or(class),
    };
    generated_kind(&element.replace('/', ".")) + &"[]".repeat(dimensions)
}

/// The name without the parts that differ from run to run.
fn generated_kind(name: &str) -> String {
    // Reports have all classes that such a generator makes for one under one name.
    for mark in ["$$Lambda", "$$SpringCGLIB"] {
        if let Some((host, _)) = name.split_once(mark) {
            return host.to_owned() + mark;
        }
    }
    let name = name.split(".0x").next().unwrap_or_default();
    let numbered = ["$Proxy", "ConstructorAccessor", "MethodAccessor"];
    if !numbered.iter().any(|part| name.contains(part)) {
        return name.to_owned();
    }
    let digits_as_one =
        |text: String, letter: char| match (letter.is_ascii_digit(), text.ends_with('#')) {
            (true, true) => text,
            (true, false) => text + "#",
            (false, _) => text + letter.encode_utf8(&mut [0; 4]),
        };
    name.chars().fold(String::new(), digits_as_one)
}

/// A heap rebuilt from a trace.
#[derive(Clone, Debug, Default)]
pub struct RebuiltHeap {
    /// All objects, by class.
    pub classes: BTreeMap<String, ClassAmount>,
    /// How many of them are in the JDK's archive.
    pub archived: BTreeMap<String, ClassAmount>,
}

/// One line per class that differs, except for what cannot be known:
///
/// - fillers: no program allocated them, and the VM counts those that it finds. Up to JDK 18 they cannot be distinguished from the
///   program's objects, so the VM may count more objects of their classes;
/// - dead objects of the archive: the VM does not count them, so it may count fewer objects, at most by the number of archived ones.
pub fn class_differences(
    jdk: u32,
    expected: &BTreeMap<String, ClassAmount>,
    rebuilt: &RebuiltHeap,
) -> Vec<String> {
    let mut names: Vec<&String> = expected.keys().chain(rebuilt.classes.keys()).collect();
    names.sort();
    names.dedup();
    let of = |classes: &BTreeMap<String, ClassAmount>, name| {
        classes.get(name).copied().unwrap_or_default()
    };
    names
        .into_iter()
        .filter(|name| !FILLERS.contains(&name.as_str()))
        .filter_map(|name| {
            let (vm, trace) = (of(expected, name), of(&rebuilt.classes, name));
            let dead = of(&rebuilt.archived, name);
            let with_fillers = jdk < 19 && FORMER_FILLERS.contains(&name.as_str());
            let fits = |vm: u64, trace: u64, dead: u64| {
                vm.saturating_add(dead) >= trace && (vm <= trace || with_fillers)
            };
            let is_explained =
                fits(vm.count, trace.count, dead.count) && fits(vm.bytes, trace.bytes, dead.bytes);
            (!is_explained).then(|| {
                format!(
                    "  {name}: the VM has {} objects of {} bytes, the trace {} of {}",
                    vm.count, vm.bytes, trace.count, trace.bytes
                )
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_one_kind_are_one() {
        for (name, stable) in [
            ("[B", "byte[]"),
            ("[[Ljava.lang.Object;", "java.lang.Object[][]"),
            ("Main$$Lambda$14/0x0000000800c01400", "Main$$Lambda"),
            ("Main$$Lambda/0x00007f", "Main$$Lambda"),
            (
                "java.lang.invoke.LambdaForm$MH/0x0000000800c02000",
                "java.lang.invoke.LambdaForm$MH",
            ),
            ("[Ljava/lang/String;", "java.lang.String[]"),
            ("Ljava/lang/String;", "java.lang.String"),
            ("jdk.proxy2.$Proxy14", "jdk.proxy#.$Proxy#"),
            ("a.B$$SpringCGLIB$$FastClass$$0", "a.B$$SpringCGLIB"),
        ] {
            assert_eq!(stable_class_name(name), stable);
        }
    }

    fn heap(count: u64, archived: u64) -> RebuiltHeap {
        RebuiltHeap {
            classes: ints(count),
            archived: ints(archived),
        }
    }

    fn ints(count: u64) -> BTreeMap<String, ClassAmount> {
        let bytes = 16 * count;
        BTreeMap::from([("int[]".to_owned(), ClassAmount { count, bytes })])
    }

    #[test]
    fn fillers_of_a_class_of_the_program_can_only_be_more() {
        assert!(class_differences(17, &ints(3), &heap(2, 0)).is_empty());
        assert_eq!(class_differences(17, &ints(2), &heap(3, 0)).len(), 1);
        assert_eq!(class_differences(21, &ints(3), &heap(2, 0)).len(), 1);
    }

    #[test]
    fn only_objects_of_the_archive_may_be_dead() {
        assert!(class_differences(17, &ints(2), &heap(3, 1)).is_empty());
        assert_eq!(class_differences(17, &ints(2), &heap(4, 1)).len(), 1);
    }

    #[test]
    fn a_missing_class_is_a_difference() {
        let text = " num     #instances         #bytes  class name (module)\n   1:  2  48  [B (java.base@17)\nTotal 2 48\n";
        let expected = parse_class_histogram(text);
        assert_eq!(
            expected["byte[]"],
            ClassAmount {
                count: 2,
                bytes: 48
            }
        );
        let same = RebuiltHeap {
            classes: expected.clone(),
            ..RebuiltHeap::default()
        };
        let nothing = RebuiltHeap::default();
        assert_eq!(class_differences(17, &expected, &nothing).len(), 1);
        assert!(class_differences(17, &expected, &same).is_empty());
    }
}
