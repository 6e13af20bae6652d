//! Names that are the same in every run, for classes that are made while the program runs.
//!
//! The VM, the class library and well-known frameworks make classes whose names have a number or an address in
//! them. Rows of such classes are merged under the name of their pattern:
//!
//! | in the trace | stable name |
//! |---|---|
//! | `Main$$Lambda$14+0x00007f00`, `Main$$Lambda/0x00007f00`, `Main$$Lambda$1/1324578393` | `Main$$Lambda` |
//! | `java/lang/invoke/LambdaForm$MH/0x00000008`, `java/lang/invoke/LambdaForm$MH012` | `java/lang/invoke/LambdaForm$MH` |
//! | `jdk/internal/reflect/GeneratedConstructorAccessor12` | `jdk/internal/reflect/GeneratedConstructorAccessor#` |
//! | `jdk/proxy2/$Proxy12`, `com/sun/proxy/$Proxy12` | `jdk/proxy#/$Proxy#`, `com/sun/proxy/$Proxy#` |
//! | `a/Dao$$EnhancerBySpringCGLIB$$1b2c3d`, `a/Dao$MockitoMock$1593` | `a/Dao$$EnhancerBySpringCGLIB`, `a/Dao$MockitoMock` |
//!
//! All other names stay as they are.

use std::borrow::Cow;

/// Marks of code generators after which a number or a hash follows. Each begins with `$`.
const GENERATOR_MARKS: [&str; 8] = [
    "$$EnhancerBySpringCGLIB",
    "$$FastClassBySpringCGLIB",
    "$$EnhancerByCGLIB",
    "$$SpringCGLIB",
    "$MockitoMock",
    "$HibernateProxy",
    "$ByteBuddy",
    "$auxiliary",
];

/// Simple names that the VM's class library numbers.
const NUMBERED: [&str; 4] = [
    "GeneratedMethodAccessor",
    "GeneratedConstructorAccessor",
    "GeneratedSerializationConstructorAccessor",
    "$Proxy",
];

/// The stable name of a class in internal form. Borrowed when it is the name itself.
pub fn stable_class(internal: &str) -> Cow<'_, str> {
    let plain = without_lambda_number(without_hidden_suffix(internal));
    if let Some(form) = plain.strip_prefix("java/lang/invoke/LambdaForm$") {
        let kind = form.trim_end_matches(|c: char| c.is_ascii_digit());
        return Cow::Borrowed(&plain[..plain.len() - (form.len() - kind.len())]);
    }
    if let Some(cut) = generator_mark_end(plain) {
        return Cow::Borrowed(&plain[..cut]);
    }
    match numbered_pattern(plain) {
        Some(pattern) => Cow::Owned(pattern),
        None => Cow::Borrowed(plain),
    }
}

/// A type or method descriptor with stable class names in it.
pub fn stable_descriptor(descriptor: &str) -> String {
    let mut stable = String::with_capacity(descriptor.len());
    let mut rest = descriptor;
    while let Some(start) = rest.find('L') {
        let (before, reference) = rest.split_at(start);
        let Some(end) = reference.find(';') else {
            break;
        };
        stable.push_str(before);
        stable.push('L');
        stable.push_str(&stable_class(&reference[1..end]));
        stable.push(';');
        rest = &reference[end + 1..];
    }
    stable.push_str(rest);
    stable
}

/// The name of the loader of a generated class: loaders that are made for one class each are one (`... 12` is `... #`).
pub(crate) fn stable_loader(loader: &str) -> String {
    match loader.rsplit_once(' ') {
        Some((name, number)) if is_number(number) => format!("{name} #"),
        _ => loader.to_owned(),
    }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Cuts `+0x..`, `/0x..`, `.0x..` (hidden classes) and `/123` (anonymous classes of old VMs) off the end.
fn without_hidden_suffix(name: &str) -> &str {
    let Some(at) = name.rfind(['+', '/', '.']) else {
        return name;
    };
    let suffix = &name[at + 1..];
    let is_address = suffix
        .strip_prefix("0x")
        .is_some_and(|hex| !hex.is_empty() && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let is_index = name.as_bytes().get(at) == Some(&b'/') && is_number(suffix);
    if is_address || is_index {
        &name[..at]
    } else {
        name
    }
}

fn without_lambda_number(name: &str) -> &str {
    match name.rsplit_once("$$Lambda$") {
        Some((host, number)) if is_number(number) => &name[..host.len() + "$$Lambda".len()],
        _ => name,
    }
}

/// Where a generator's mark ends, if something that starts with `$` follows it up to the end of the name.
fn generator_mark_end(name: &str) -> Option<usize> {
    name.match_indices('$').find_map(|(at, _)| {
        let mark = GENERATOR_MARKS
            .iter()
            .find(|mark| name[at..].starts_with(**mark))?;
        let end = at + mark.len();
        let rest = &name[end..];
        (rest.starts_with('$') && !rest.contains('/')).then_some(end)
    })
}

fn numbered_pattern(name: &str) -> Option<String> {
    let (package, simple) = match name.rsplit_once('/') {
        Some((package, simple)) => (Some(package), simple),
        None => (None, name),
    };
    let prefix = NUMBERED
        .iter()
        .find(|prefix| simple.strip_prefix(**prefix).is_some_and(is_number))?;
    Some(match package {
        Some(package) => format!("{}/{prefix}#", stable_proxy_package(package)),
        None => format!("{prefix}#"),
    })
}

/// The module layer of dynamic proxies numbers its packages: `jdk/proxy1`.
fn stable_proxy_package(package: &str) -> &str {
    match package.strip_prefix("jdk/proxy") {
        Some(number) if is_number(number) => "jdk/proxy#",
        _ => package,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_generated_classes() {
        for (name, stable) in [
            ("Main$$Lambda$14+0x00007f00c8001000", "Main$$Lambda"),
            ("Main$$Lambda$14/0x0000000800c03000", "Main$$Lambda"),
            ("Main$$Lambda/0x00007f1c", "Main$$Lambda"),
            ("a/b/Main$$Lambda.0x00007f1c", "a/b/Main$$Lambda"),
            ("Main$$Lambda$1/1324578393", "Main$$Lambda"),
            (
                "java/lang/invoke/LambdaForm$MH+0x0000000800c05000",
                "java/lang/invoke/LambdaForm$MH",
            ),
            (
                "java/lang/invoke/LambdaForm$DMH012",
                "java/lang/invoke/LambdaForm$DMH",
            ),
            (
                "jdk/internal/reflect/GeneratedConstructorAccessor12",
                "jdk/internal/reflect/GeneratedConstructorAccessor#",
            ),
            (
                "sun/reflect/GeneratedMethodAccessor1",
                "sun/reflect/GeneratedMethodAccessor#",
            ),
            ("jdk/proxy2/$Proxy12", "jdk/proxy#/$Proxy#"),
            ("com/sun/proxy/$Proxy0", "com/sun/proxy/$Proxy#"),
            ("$Proxy7", "$Proxy#"),
            (
                "a/Dao$$EnhancerBySpringCGLIB$$1b2c3d",
                "a/Dao$$EnhancerBySpringCGLIB",
            ),
            ("a/Dao$MockitoMock$1593", "a/Dao$MockitoMock"),
            (
                "java/lang/String$$StringConcat/0x00007f",
                "java/lang/String$$StringConcat",
            ),
        ] {
            assert_eq!(stable_class(name), stable);
            assert_eq!(stable_class(stable), stable, "stable names are stable");
        }
    }

    #[test]
    fn other_names_stay() {
        for name in [
            "java/util/HashMap$Node",
            "Main$1",
            "a/Proxy12",
            "$ProxyThing",
            "GeneratedMethodAccessor",
            "a/Lambda$14",
            "java/lang/invoke/BoundMethodHandle$Species_LLL",
            "x/0xyz",
            "x/My$ByteBuddy",
            "",
            "/",
            "+0x",
        ] {
            assert_eq!(stable_class(name), name);
        }
    }

    #[test]
    fn descriptors() {
        assert_eq!(
            stable_descriptor("(I[LMain$$Lambda$14+0x7f;JL$Proxy3;)Ljava/lang/String;"),
            "(I[LMain$$Lambda;JL$Proxy#;)Ljava/lang/String;"
        );
        assert_eq!(stable_descriptor("[[J"), "[[J");
        assert_eq!(stable_descriptor("Lbroken"), "Lbroken");
    }

    #[test]
    fn loaders_of_generated_classes() {
        assert_eq!(
            stable_loader("jdk/internal/reflect/DelegatingClassLoader 12"),
            "jdk/internal/reflect/DelegatingClassLoader #"
        );
        assert_eq!(stable_loader("app"), "app");
    }

    proptest::proptest! {
        #[test]
        fn no_name_panics(name in "[$/+.0-9a-zL;é]{0,24}") {
            let _ = stable_class(&name);
            let _ = stable_descriptor(&name);
        }
    }
}
