//! Which classes are the program's own.

/// Packages of the JDK.
const OF_JDK: [&str; 5] = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];

/// A class that is not of the JDK, by its internal name (arrays: the element's).
pub fn is_own_class(class: &str) -> bool {
    let element = class.trim_start_matches('[');
    let is_array = element.len() < class.len();
    let name = match is_array {
        true => element.strip_prefix('L').unwrap_or(""),
        false => element,
    };
    !name.is_empty() && !OF_JDK.iter().any(|start| name.starts_with(start))
}

#[cfg(test)]
mod tests {
    use super::is_own_class;

    #[test]
    fn classes_of_the_jdk_are_not_the_programs_own() {
        for own in [
            "com/acme/Shop",
            "Shop",
            "[Lcom/acme/Shop;",
            "javassist/A",
            "org/x/java/B",
        ] {
            assert!(is_own_class(own), "{own}");
        }
        for other in [
            "java/lang/String",
            "[Ljava/lang/Object;",
            "[[B",
            "[I",
            "jdk/internal/A",
            "",
        ] {
            assert!(!is_own_class(other), "{other}");
        }
    }
}
