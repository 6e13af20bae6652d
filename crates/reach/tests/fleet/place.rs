//! A folder with recordings, and the command in it with words that may have spaces.

use std::ops::Deref;
use std::process::{Command, Output, Stdio};

use ducktrack_test_support as support;

pub(crate) struct Place(support::Place);

impl Place {
    pub(crate) fn new() -> Self {
        Self(support::Place::new("ducktrack"))
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(super::ducktrack());
        command.args(arguments).current_dir(self.folder());
        command.stdin(Stdio::null());
        command
    }

    pub(crate) fn ducktrack(&self, arguments: &[&str]) -> Output {
        let output = self.command(arguments).output();
        output.expect("the command starts")
    }
}

impl Deref for Place {
    type Target = support::Place;

    fn deref(&self) -> &support::Place {
        &self.0
    }
}

pub(crate) fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

pub(crate) fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}
