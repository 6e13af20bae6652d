//! The one kind of pattern for classes, in options of the agent and of the command.

/// Whether a class name matches a pattern. Dots and slashes are alike in both.
///
/// ```text
/// com.acme         everything in the package and below it
/// com.acme.Order   the class, and those nested in it
/// com.acme.*       * stands for any characters; then the whole name must match
/// ```
pub fn class_pattern_matches(pattern: &str, class: &str) -> bool {
    match pattern.contains('*') {
        true => matches_whole(pattern.as_bytes(), class.as_bytes()),
        false => is_in(pattern.as_bytes(), class.as_bytes()),
    }
}

fn is_in(scope: &[u8], class: &[u8]) -> bool {
    let is_begun = scope.len() <= class.len() && scope.iter().zip(class).all(are_alike);
    is_begun && matches!(class.get(scope.len()), None | Some(b'.' | b'/' | b'$'))
}

fn are_alike((wanted, byte): (&u8, &u8)) -> bool {
    let dotted = |byte: &u8| match byte {
        b'/' => b'.',
        other => *other,
    };
    dotted(wanted) == dotted(byte)
}

fn matches_whole(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t, mut retry) = (0, 0, None);
    while let Some(byte) = text.get(t) {
        match (pattern.get(p), retry) {
            (Some(b'*'), _) => {
                retry = Some((p, t));
                p += 1;
            }
            (Some(wanted), _) if are_alike((wanted, byte)) => {
                p += 1;
                t += 1;
            }
            (_, Some((star, from))) => {
                p = star + 1;
                t = from + 1;
                retry = Some((star, t));
            }
            (_, None) => return false,
        }
    }
    pattern
        .get(p..)
        .is_some_and(|rest| rest.iter().all(|byte| *byte == b'*'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters_of_the_whole_name() {
        assert!(class_pattern_matches("com.acme.*", "com/acme/x/Y"));
        assert!(class_pattern_matches("com/acme/*", "com.acme.Y"));
        assert!(class_pattern_matches("*a*b*", "xxayybzz"));
        assert!(!class_pattern_matches("*a*b", "xxayybzz"));
    }

    #[test]
    fn a_name_is_a_class_or_a_package() {
        for (pattern, class, matches) in [
            ("com.acme", "com/acme/Main", true),
            ("com.acme", "com.acme.db.Row$1", true),
            ("com.acme", "com/acmeology/Main", false),
            ("com/acme/Order", "com/acme/Order", true),
            ("com.acme.Order", "com/acme/Order$Line", true),
            ("com.acme.Order", "com/acme/Orders", false),
            ("com.acme.Order", "com/acme", false),
        ] {
            assert_eq!(
                class_pattern_matches(pattern, class),
                matches,
                "{pattern} on {class}"
            );
        }
    }
}
