//! Decides which classes belong to the application, whose calls of other code are measured (`app=`).
//!
//! ```text
//! main class com.acme.shop.Main      com.acme.*
//! main class shop.Main               shop.*
//! main class org.apache.foo.Main     org.apache.foo.*      many projects share the first two names
//! main class Main                    the classes without a package
//! ```

use ducktrack_class_rewriter::ApplicationClasses;
use ducktrack_trace_format as format;

use crate::options::App;

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

/// The application.
#[derive(Debug)]
pub(crate) struct Application(pub(crate) format::Application);

impl Application {
    /// Determines the application from the option, or from the program's main class `main_class`. The error is a sentence.
    pub(crate) fn find(
        app: &App,
        main_class: impl FnOnce() -> Option<String>,
    ) -> Result<Option<Self>, String> {
        match app {
            App::Off => Ok(None),
            App::Classes(patterns) => Ok(Some(Self(format::Application {
                patterns: patterns.iter().map(ToString::to_string).collect(),
                ..format::Application::default()
            }))),
            App::Auto => {
                let main = main_class().ok_or(
                    "Calls of the application are not measured: the main class is unknown; use app=PATTERN.",
                )?;
                Self::of_main(&main).map(Some)
            }
        }
    }

    fn of_main(main: &str) -> Result<Self, String> {
        let in_package = |package: &&str| {
            main.strip_prefix(*package)
                .is_some_and(|rest| rest.starts_with('.'))
        };
        if LAUNCHERS.iter().any(&in_package) {
            return Err(format!(
                "Calls of the application are not measured: {main} starts another program; use app=PATTERN."
            ));
        }
        let names: Vec<&str> = main.split('.').collect();
        let packages = names.len() - 1;
        let wanted = if SHARED_NAMES.iter().any(in_package) {
            3
        } else {
            2
        };
        let package = names
            .get(..packages.min(wanted))
            .unwrap_or_default()
            .join(".");
        let patterns = match packages {
            0 => Vec::new(),
            _ => vec![format!("{package}.*")],
        };
        Ok(Self(format::Application {
            patterns,
            unnamed_package: packages == 0,
            main_class: Some(main.to_owned()),
        }))
    }
}

impl ApplicationClasses for Application {
    fn contains(&self, class: &[u8]) -> bool {
        self.0.contains(&String::from_utf8_lossy(class))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_main(main: &str) -> Vec<String> {
        Application::of_main(main).expect(main).0.patterns
    }

    #[test]
    fn the_main_class_tells_the_application() {
        assert_eq!(of_main("com.acme.shop.Main"), ["com.acme.*"]);
        assert_eq!(of_main("shop.Main"), ["shop.*"]);
        assert_eq!(of_main("org.apache.foo.bar.Main"), ["org.apache.foo.*"]);
        let unnamed = Application::of_main("Main").expect("a main class").0;
        assert!(unnamed.unnamed_package && unnamed.patterns.is_empty());
        assert!(Application::of_main("org.junit.platform.console.ConsoleLauncher").is_err());
        assert!(Application::find(&App::Auto, || None).is_err());
    }
}
