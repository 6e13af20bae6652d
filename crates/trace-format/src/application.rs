//! Which classes belong to the application.

use serde::{Deserialize, Serialize};

use crate::class_pattern::class_pattern_matches;

/// Prefixes (internal names) of the JDK's classes, which never belong to the application.
const JDK: [&str; 5] = ["java/", "javax/", "jdk/", "sun/", "com/sun/"];

/// Top-level names shared by many projects: one more name identifies the application.
const SHARED_NAMES: [&str; 9] = [
    "org.apache",
    "org.eclipse",
    "org.springframework",
    "com.google",
    "com.github",
    "io.github",
    "com.amazonaws",
    "com.microsoft",
    "com.ibm",
];

/// A main class in these packages starts another program's code.
const LAUNCHERS: [&str; 12] = [
    "org.springframework.boot.loader",
    "org.apache.catalina.startup",
    "org.apache.maven",
    "org.codehaus.plexus",
    "org.gradle",
    "org.junit",
    "org.testng",
    "worker.org.gradle",
    "com.intellij.rt",
    "org.eclipse.equinox.launcher",
    "jdk",
    "sun",
];

/// The application's classes (option `app=`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Application {
    /// Packages and classes with dots, in which `*` stands for any characters: `com.acme.*`.
    pub patterns: Vec<String>,
    /// Whether classes without a package belong to it.
    pub unnamed_package: bool,
    /// The main class, if the patterns were derived from it.
    pub main_class: Option<String>,
}

impl Application {
    /// The project of a main class:
    ///
    /// ```text
    /// com.acme.shop.Main      com.acme.*
    /// shop.Main               shop.*
    /// org.apache.foo.Main     org.apache.foo.*      many projects share the first two names
    /// Main                    the classes without a package
    /// ```
    /// `None` for launchers, which start another program's code.
    #[must_use]
    pub fn of_main(main: &str) -> Option<Self> {
        let in_package = |package: &&str| {
            main.strip_prefix(*package)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        if LAUNCHERS.iter().any(in_package) {
            return None;
        }
        let names: Vec<&str> = main.split('.').collect();
        let packages = names.len() - 1;
        let wanted = if SHARED_NAMES.iter().any(in_package) {
            3
        } else {
            2
        };
        let package = names.get(..packages.min(wanted)).unwrap_or_default();
        let patterns = match packages {
            0 => Vec::new(),
            _ => vec![format!("{}.*", package.join("."))],
        };
        Some(Self {
            patterns,
            unnamed_package: packages == 0,
            main_class: Some(main.to_owned()),
        })
    }

    /// The project of a command line, as `app=auto` of the agent has it: `com.acme.*` of
    /// `com.acme.shop.Main --orders`. `None` where the command begins with a file, or with a launcher.
    #[must_use]
    pub fn of_command(command: &str) -> Option<Self> {
        let main = command.split_whitespace().next()?;
        let is_name = |part: &str| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_alphanumeric() || "_$".contains(c))
        };
        // A module and its main class: com.acme/com.acme.Main.
        let main = main.rsplit('/').next()?;
        let is_class = main.split('.').all(is_name) && !main.ends_with(".jar");
        is_class.then(|| Self::of_main(main)).flatten()
    }

    /// Whether the class with this internal name belongs to the application. A JDK class never does.
    pub fn contains(&self, class: &str) -> bool {
        if JDK.iter().any(|package| class.starts_with(package)) {
            return false;
        }
        let fits = |pattern: &String| class_pattern_matches(pattern, class);
        self.unnamed_package && !class.contains('/') || self.patterns.iter().any(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_jdk_is_never_the_application() {
        let all = Application {
            patterns: vec!["*".to_owned()],
            ..Application::default()
        };
        assert!(all.contains("com/acme/Cart"));
        assert!(!all.contains("java/util/HashMap"));
        let unnamed = Application {
            unnamed_package: true,
            ..Application::default()
        };
        assert!(unnamed.contains("Main$Inner"));
        assert!(!unnamed.contains("com/acme/Cart"));
    }
}
