//! Writes the result of a library load to a file for the client, because the VM passes on only a number.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use serde_json::Value;

/// The option that names the file. It is not an option of the run and is not recorded.
const KEY: &str = "answer=";

/// The file for the answer.
pub(crate) struct Answer(Option<PathBuf>);

impl Answer {
    /// Splits the options into the name of the file and all others.
    pub(crate) fn split(text: &str) -> (Self, String) {
        let (own, others): (Vec<&str>, Vec<&str>) =
            text.split(',').partition(|item| item.starts_with(KEY));
        let path = own.last().and_then(|item| item.strip_prefix(KEY));
        (Self(path.map(PathBuf::from)), others.join(","))
    }

    /// Whether a client reads the answer.
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.is_some()
    }

    /// Writes the answer into the file, which exists and is empty.
    pub(crate) fn write(&self, answer: &Value) {
        let Some(path) = &self.0 else { return };
        let opened = OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_NOFOLLOW)
            .open(path);
        // Without the file no client is waiting.
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
