//! Writes the result of a library load to a file for the client, because the VM passes on only a number.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::fd::AsRawFd;
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

    /// Writes the answer into the file, which exists and is empty. The client that reads
    /// it holds a lock on it: without one, the client was killed, and the file is removed.
    pub(crate) fn write(&self, answer: &Value) {
        let Some(path) = &self.0 else { return };
        let opened = OpenOptions::new()
            .write(true)
            .custom_flags(libc::O_NOFOLLOW)
            .open(path);
        // Without the file no client is waiting.
        let Ok(mut file) = opened else { return };
        let _ = file.write_all(answer.to_string().as_bytes());
        // SAFETY: the descriptor is open.
        let is_free = unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) } == 0;
        if is_free {
            let _ = std::fs::remove_file(path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_nobody_reads_leaves_no_file() {
        let path = std::env::temp_dir().join(format!("ducktrack-answer-{}", std::process::id()));
        let client = std::fs::File::create(&path).expect("a file");
        // SAFETY: the descriptor is open.
        unsafe { libc::flock(client.as_raw_fd(), libc::LOCK_EX) };
        let answer = Answer(Some(path.clone()));
        answer.write(&Value::Bool(true));
        assert_eq!(std::fs::read_to_string(&path).ok().as_deref(), Some("true"));
        drop(client);
        answer.write(&Value::Bool(true));
        assert!(!path.exists());
    }

    #[test]
    fn the_answer_is_no_option_of_the_run() {
        let (answer, rest) = Answer::split("answer=/tmp/a,mode=trace,output=x");
        assert_eq!(rest, "mode=trace,output=x");
        assert_eq!(answer.0.as_deref(), Some(std::path::Path::new("/tmp/a")));
        let (answer, rest) = Answer::split("");
        assert!(answer.0.is_none() && rest.is_empty());
    }
}
