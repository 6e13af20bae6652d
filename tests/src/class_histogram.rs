//! The VM's class histogram, and how it is compared.
//!
//! ```text
//!  num     #instances         #bytes  class name (module)
//! -------------------------------------------------------
//!    1:         15866         976504  [B (java.base@17.0.15)
//! Total         73187        3333248
//! ```

use std::collections::BTreeMap;

/// Objects of a class and their bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassAmount {
    /// Objects.
    pub count: u64,
    /// Their bytes, headers and padding included.
    pub bytes: u64,
}

/// See [`class_differences`].
const FILLERS: &[&str] = &[
    "jdk.internal.vm.FillerArray",
    "jdk.internal.vm.FillerObject",
    "jdk.internal.vm.FillerElement[]",
];

/// Amounts by class, hidden classes of one kind together.
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

/// A class as Java source writes it, hidden ones without the number that differs from run to run: `[B` is `byte[]`,
/// `Main$$Lambda/0x00007f` and `Main$$Lambda$14` are `Main$$Lambda`.
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

/// The name less what differs from run to run.
fn generated_kind(name: &str) -> String {
    if let Some((host, _)) = name.split_once("$$Lambda") {
        return host.to_owned() + "$$Lambda";
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

/// One line per class that differs, but for what collectors put where objects have been: no program made it, and the VM counts it where it meets
/// it. It has classes of its own from JDK 19 on; before, it is `int[]`.
pub fn class_differences(
    jdk: u32,
    expected: &BTreeMap<String, ClassAmount>,
    rebuilt: &BTreeMap<String, ClassAmount>,
) -> Vec<String> {
    let mut names: Vec<&String> = expected.keys().chain(rebuilt.keys()).collect();
    names.sort();
    names.dedup();
    let nothing = ClassAmount::default();
    names
        .into_iter()
        .filter(|name| !FILLERS.contains(&name.as_str()) && (jdk >= 19 || name.as_str() != "int[]"))
        .filter_map(|name| {
            let vm = expected.get(name).unwrap_or(&nothing);
            let trace = rebuilt.get(name).unwrap_or(&nothing);
            (vm != trace).then(|| {
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
        ] {
            assert_eq!(stable_class_name(name), stable);
        }
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
        assert_eq!(class_differences(17, &expected, &BTreeMap::new()).len(), 1);
        assert!(class_differences(17, &expected, &expected).is_empty());
    }
}
