//! A real browser for tests of pages: the document after its script has run, and pictures of it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Long enough for two busy cores and a cold browser.
const PATIENCE: Duration = Duration::from_secs(120);

/// Milliseconds that a page's script has, as the page counts them.
const BUDGET: u32 = 8000;

/// Chromium with a profile of its own.
pub struct Browser {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Browser {
    /// Finds the browser; if there is none, announces what is not tested and returns `None`.
    pub fn find() -> Option<Self> {
        let named = std::env::var_os("DUCKTRACK_CHROMIUM").map(PathBuf::from);
        let usual = ["chromium", "chromium-browser", "google-chrome"].map(PathBuf::from);
        let works = |program: &PathBuf| {
            Command::new(program)
                .arg("--version")
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .status()
                .is_ok_and(|status| status.success())
        };
        match named.into_iter().chain(usual).find(works) {
            Some(program) => Some(Self {
                program,
                folder: tempfile::tempdir().expect("a folder"),
            }),
            None => {
                crate::skipped(
                    "no Chromium here, pages were not opened in a browser (apt-get install chromium)",
                );
                None
            }
        }
    }

    /// Writes a page to open.
    pub fn write(&self, name: &str, page: &str) -> PathBuf {
        let path = self.folder.path().join(name);
        fs::write(&path, page).expect("write the page");
        path
    }

    fn command(&self, dark: bool, budget: u32) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
            ])
            .arg(format!("--virtual-time-budget={budget}"))
            .args([
                "--disable-background-networking",
                "--no-first-run",
                "--window-size=1500,1900",
            ])
            .arg(format!(
                "--user-data-dir={}",
                self.folder.path().join("profile").display()
            ));
        if dark {
            command.arg("--blink-settings=preferredColorScheme=0");
        }
        command
    }

    /// The document after its script has run.
    pub fn dom(&self, page: &Path, hash: &str) -> String {
        self.dom_at(&address(page, hash))
    }

    /// The same of a page whose script takes its time.
    pub fn dom_of_long_script(&self, page: &Path) -> String {
        self.dom_within(&address(page, ""), 10 * BUDGET)
    }

    /// The same at an address, perhaps of a server.
    pub fn dom_at(&self, address: &str) -> String {
        self.dom_within(address, BUDGET)
    }

    fn dom_within(&self, address: &str, budget: u32) -> String {
        let mut command = self.command(false, budget);
        let output = run(command.arg("--dump-dom").arg(address));
        assert!(
            output.contains("data-ready=\"true\""),
            "{address}: the page's script did not come to its end"
        );
        output
    }

    /// A picture of the page, in light or dark; `DUCKTRACK_PICTURES` keeps it.
    pub fn picture(&self, page: &Path, hash: &str, dark: bool, name: &str) -> Vec<u8> {
        let path = self.folder.path().join(name);
        run(self
            .command(dark, BUDGET)
            .arg(format!("--screenshot={}", path.display()))
            .arg(address(page, hash)));
        let picture = fs::read(&path).expect("a picture");
        assert!(picture.starts_with(b"\x89PNG"));
        if let Some(folder) = std::env::var_os("DUCKTRACK_PICTURES") {
            fs::create_dir_all(&folder).expect("the folder for pictures");
            fs::copy(&path, Path::new(&folder).join(name)).expect("keep the picture");
            fs::copy(
                page,
                Path::new(&folder).join(page.file_name().expect("a file")),
            )
            .expect("keep the page");
        }
        picture
    }
}

fn address(page: &Path, hash: &str) -> String {
    format!("file://{}#{hash}", page.display())
}

/// Standard output of a command that must succeed in time.
fn run(command: &mut Command) -> String {
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the browser starts");
    let mut out = child.stdout.take().expect("piped");
    let reader = std::thread::spawn(move || {
        let mut text = String::new();
        std::io::Read::read_to_string(&mut out, &mut text).map(|_| text)
    });
    let started = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().expect("the browser's state") {
            break status;
        }
        if started.elapsed() > PATIENCE {
            child.kill().expect("stop the browser");
            panic!("the browser took more than {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(20));
    };
    assert!(status.success(), "the browser failed: {status}");
    reader.join().expect("the reader").expect("text")
}

/// The cell texts of the visible rows, from top to bottom.
pub fn rows(dom: &str) -> Vec<Vec<String>> {
    dom.split("<tr tabindex=\"0\"")
        .skip(1)
        .map(|row| {
            let row = row.split("</tr>").next().unwrap_or_default();
            row.split("<td").skip(1).map(text_of).collect()
        })
        .collect()
}

fn text_of(element: &str) -> String {
    let inner = element.split_once('>').map_or("", |(_, rest)| rest);
    inner
        .split("</td>")
        .next()
        .unwrap_or_default()
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&")
}

/// The digits of a cell as a number.
pub fn number(cell: &str) -> i64 {
    let digits: String = cell
        .chars()
        .filter(|c| c.is_ascii_digit() || *c == '-')
        .collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no number: {cell}"))
}

/// The text of the element with this id.
pub fn output_of<'a>(dom: &'a str, id: &str) -> &'a str {
    let mark = format!("id=\"{id}\"");
    let rest = dom.split_once(&mark).unwrap_or_else(|| panic!("no {id}")).1;
    rest.split_once('>')
        .and_then(|(_, rest)| rest.split_once('<'))
        .map_or("", |(text, _)| text)
}
