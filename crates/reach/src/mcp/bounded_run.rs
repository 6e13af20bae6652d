//! Runs `ducktrack` for a tool: its output, bounded in length and time.

use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Longer output is cut, with a last line about it.
const LONGEST: usize = 40_000;
const PATIENCE: Duration = Duration::from_secs(300);
const STEP: Duration = Duration::from_millis(20);

/// The output of the command; its error, if it fails.
pub(super) async fn run(program: String, arguments: Vec<String>) -> Result<String, String> {
    let done = tokio::task::spawn_blocking(move || run_here(&program, &arguments)).await;
    done.unwrap_or_else(|error| Err(error.to_string()))
}

fn run_here(program: &str, arguments: &[String]) -> Result<String, String> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| error.to_string())?;
    let out = child.stdout.take().map(read_in_thread);
    let err = child.stderr.take().map(read_in_thread);
    let succeeded = wait(&mut child)?;
    let text = |reader: Option<Reader>| {
        let read = reader.and_then(|reader| reader.join().ok());
        String::from_utf8_lossy(&read.unwrap_or_default()).into_owned()
    };
    match succeeded {
        true => Ok(bounded(text(out))),
        false => Err(bounded(text(err))),
    }
}

type Reader = std::thread::JoinHandle<Vec<u8>>;

/// Reads all, keeps as much as is shown.
fn read_in_thread(mut from: impl Read + Send + 'static) -> Reader {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut piece = [0; 8192];
        while let Ok(read @ 1..) = from.read(&mut piece) {
            let room = (LONGEST + 4).saturating_sub(kept.len());
            kept.extend_from_slice(&piece[..read.min(room)]);
        }
        kept
    })
}

fn wait(child: &mut Child) -> Result<bool, String> {
    let end = Instant::now() + PATIENCE;
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.success()),
            Ok(None) if Instant::now() < end => sleep(STEP),
            Ok(None) => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no answer after {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

fn bounded(mut text: String) -> String {
    if text.len() > LONGEST {
        let cut = text.floor_char_boundary(LONGEST);
        text.truncate(cut);
        text.push_str("\n(cut here: ask for fewer rows with `top`, or a part with `only`)\n");
    }
    text
}
