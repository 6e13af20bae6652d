//! The file in which who has loaded the library wants to read how that went: the VM passes on a number only.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use serde_json::Value;

/// The option that names the file. No option of a run: it is not in the recording.
const KEY: &str = "answer=";

/// Where the answer goes.
pub(crate) struct Answer(Option<PathBuf>);

impl Answer {
    /// Takes the name of the file out of the options; the other options.
    pub(crate) fn split(text: &str) -> (Self, String) {
        let (own, others): (Vec<&str>, Vec<&str>) =
            text.split(',').partition(|item| item.starts_with(KEY));
        let path = own.last().and_then(|item| item.strip_prefix(KEY));
        (Self(path.map(PathBuf::from)), others.join(","))
    }

    /// Whether a client reads it.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Writes it into the file, which is there and empty.
    pub(crate) fn write(&self, answer: &Value) {
        let Some(path) = &self.0 else { return };
        let opened = OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_NOFOLLOW)
            .open(path);
        // Without the file no client waits.
        let _ = opened.and_then(|mut file| file.write_all(answer.to_string().as_bytes()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_is_no_option_of_the_run() {
        let (answer, rest) = Answer::split("answer=/tmp/a,mode=trace,output=x");
        assert_eq!(rest, "mode=trace,output=x");
        assert_eq!(answer.0.as_deref(), Some(std::path::Path::new("/tmp/a")));
        let (answer, rest) = Answer::split("");
        assert!(answer.0.is_none() && rest.is_empty());
    }
}
