//! The project of a program's main class, as `app=auto` of the agent has it.

use ducktrack_count_model::Application;

/// `com.acme` of `com.acme.shop.Main --orders`; `None` where the command begins with a file or a class without a package.
pub(crate) fn project_of_command(command: &str) -> Option<String> {
    let application = Application::of_command(command)?;
    let pattern = application.patterns.into_iter().next()?;
    pattern.strip_suffix(".*").map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_main_class_tells_the_project() {
        for (command, project) in [
            ("com.acme.shop.Main --orders 5", Some("com.acme")),
            ("shop.Main", Some("shop")),
            ("org.apache.foo.bar.Main", Some("org.apache.foo")),
            ("com.acme.module/com.acme.shop.Main", Some("com.acme")),
            ("Main", None),
            ("org.junit.platform.console.ConsoleLauncher", None),
            ("/srv/app.jar --port 80", None),
            ("app.jar", None),
            ("", None),
        ] {
            assert_eq!(project_of_command(command).as_deref(), project, "{command}");
        }
    }
}
