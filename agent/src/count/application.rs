//! Decides which classes belong to the application, whose calls of other code are measured (`app=`).

use ducktrack_class_rewriter::ApplicationClasses;
use ducktrack_trace_format as format;

use crate::options::App;

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
        let application = format::Application::of_main(main).ok_or_else(|| {
            format!(
                "Calls of the application are not measured: {main} starts another program; use app=PATTERN."
            )
        })?;
        Ok(Self(application))
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
