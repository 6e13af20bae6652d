//! The HTML report in a real browser: what it shows after sorting, searching and zooming, and pictures of it in light and
//! dark. Skips, saying so, where there is no Chromium (`DUCKTRACK_CHROMIUM` names another one).
//!
//! `DUCKTRACK_PICTURES=DIR` keeps the pages and pictures for a person to look at.

mod large_run;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ducktrack_heap_model::{CountModel, CountModelBuilder};
use ducktrack_reports::{Filter, html, view};
use ducktrack_trace_format::Record;

/// Generous: two busy cores, a cold browser.
const PATIENCE: Duration = Duration::from_secs(120);

struct Browser {
    program: PathBuf,
    folder: tempfile::TempDir,
}

impl Browser {
    /// The browser, or `None` with a line that says what is not tested.
    fn find() -> Option<Self> {
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
                eprintln!(
                    "SKIPPED: no Chromium here, the HTML report was not opened in a browser (apt-get install chromium)"
                );
                None
            }
        }
    }

    fn page(&self, records: Vec<Record>) -> PathBuf {
        let path = self.folder.path().join("report.html");
        let page =
            html(&view(&model(records), "ducktrack-4711", &Filter::default())).expect("a page");
        fs::write(&path, page).expect("write the page");
        path
    }

    fn command(&self, dark: bool) -> Command {
        let mut command = Command::new(&self.program);
        command
            .args([
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--hide-scrollbars",
                "--virtual-time-budget=8000",
            ])
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

    /// The document as it stands after the script has run.
    fn dom(&self, page: &Path, hash: &str) -> String {
        let output = run(self
            .command(false)
            .arg("--dump-dom")
            .arg(address(page, hash)));
        assert!(
            output.contains("data-ready=\"true\""),
            "the page's script did not come to its end"
        );
        output
    }

    fn picture(&self, page: &Path, hash: &str, dark: bool, name: &str) -> Vec<u8> {
        let path = self.folder.path().join(name);
        run(self
            .command(dark)
            .arg(format!("--screenshot={}", path.display()))
            .arg(address(page, hash)));
        let picture = fs::read(&path).expect("a picture");
        assert!(picture.starts_with(b"\x89PNG"));
        if let Some(folder) = std::env::var_os("DUCKTRACK_PICTURES") {
            fs::create_dir_all(&folder).expect("the folder for pictures");
            fs::copy(&path, Path::new(&folder).join(name)).expect("keep the picture");
            fs::copy(page, Path::new(&folder).join("report.html")).expect("keep the page");
        }
        picture
    }
}

fn model(records: Vec<Record>) -> CountModel {
    let mut builder = CountModelBuilder::new();
    records.into_iter().for_each(|record| builder.fold(record));
    builder.finish()
}

fn address(page: &Path, hash: &str) -> String {
    format!("file://{}#{hash}", page.display())
}

/// Standard output of a command that must end well, and in time.
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

/// The texts of the cells of the rows that are in the document, top first.
fn rows(dom: &str) -> Vec<Vec<String>> {
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

fn number(cell: &str) -> i64 {
    let digits: String = cell
        .chars()
        .filter(|c| c.is_ascii_digit() || *c == '-')
        .collect();
    digits
        .parse()
        .unwrap_or_else(|_| panic!("no number: {cell}"))
}

fn output_of<'a>(dom: &'a str, id: &str) -> &'a str {
    let mark = format!("id=\"{id}\"");
    let rest = dom.split_once(&mark).unwrap_or_else(|| panic!("no {id}")).1;
    rest.split_once('>')
        .and_then(|(_, rest)| rest.split_once('<'))
        .map_or("", |(text, _)| text)
}

/// What the rows of the table must be, from the model and not from the page.
fn expected(
    model: &CountModel,
    wanted: impl Fn(&ducktrack_reports::SiteRow) -> bool,
) -> Vec<(i64, i64)> {
    let view = view(model, "", &Filter::default());
    view.sites
        .iter()
        .filter(|site| wanted(site))
        .map(|site| (site.executed.bytes, site.executed.count))
        .collect()
}

#[test]
fn sorting_and_searching_twenty_thousand_sites() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let records = large_run::records(20_000);
    let model = model(records.clone());
    let page = browser.page(records);

    let all = expected(&model, |_| true);
    let dom = browser.dom(&page, "");
    let shown = rows(&dom);
    assert!(
        shown.len() > 10 && shown.len() < 200,
        "only the visible rows are in the document: {}",
        shown.len()
    );
    let top: Vec<i64> = shown.iter().map(|row| number(&row[0])).collect();
    assert_eq!(
        top,
        all.iter()
            .take(top.len())
            .map(|site| site.0)
            .collect::<Vec<_>>()
    );
    assert_eq!(
        output_of(&dom, "rows"),
        format!("{} sites", grouped(all.len()))
    );

    let dom = browser.dom(&page, "sort=count&dir=asc");
    let mut counts: Vec<i64> = all.iter().map(|site| site.1).collect();
    counts.sort_unstable();
    let shown: Vec<i64> = rows(&dom).iter().map(|row| number(&row[2])).collect();
    assert_eq!(shown, counts[..shown.len()]);

    let dom = browser.dom(&page, "q=kind%3Alambda%20com.acme.p3");
    let found = expected(&model, |site| {
        site.kind == "lambda" && site.location.class.contains("com.acme.p3")
    });
    assert!(!found.is_empty());
    assert_eq!(
        output_of(&dom, "rows"),
        format!("{} sites", grouped(found.len()))
    );
    for row in rows(&dom) {
        assert!(
            row.iter().any(|cell| cell == "lambda")
                && row.iter().any(|cell| cell.contains("com.acme.p3")),
            "{row:?}"
        );
    }
    let sum: i64 = found.iter().map(|site| site.0).sum();
    let matched = output_of(&dom, "matched");
    assert!(
        matched.ends_with(&format!("{} B", grouped(sum))),
        "{matched} is not {sum}"
    );

    let dom = browser.dom(&page, "group=package");
    let packages: i64 = rows(&dom).iter().map(|row| number(&row[0])).sum();
    assert_eq!(
        packages,
        all.iter().map(|site| site.0).sum::<i64>(),
        "packages sum to the total"
    );
}

#[test]
fn the_flame_graph_zooms_and_marks() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let page = browser.page(large_run::records(2_000));
    let frames = |dom: &str| dom.matches("role=\"treeitem\"").count();
    let whole = browser.dom(&page, "blame=off");
    assert!(frames(&whole) > 50, "{}", frames(&whole));
    let zoomed = browser.dom(&page, "blame=off&zoom=com.acme.p3");
    assert!(zoomed.contains("aria-label=\"com.acme.p3, "));
    assert!(
        !zoomed.contains("aria-label=\"com.acme.p4, "),
        "the neighbour is out of the picture"
    );
    let marked = browser.dom(&page, "blame=off&q=package%3Acom.acme.p3");
    assert!(
        marked.matches("dim").count() > 20,
        "what was not found is dimmed"
    );
    assert!(marked.contains("of these found"));
}

#[test]
fn hostile_names_do_nothing() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let page = browser.page(large_run::hostile());
    let dom = browser.dom(&page, "row=0");
    assert!(!dom.contains("<img"), "a name became an element");
    assert!(dom.contains("&lt;img src=x"), "the name is shown as text");
    assert!(!dom.contains("data-owned"), "a name ran as script");
}

#[test]
fn pictures_in_light_and_dark_differ_and_are_not_blank() {
    let Some(browser) = Browser::find() else {
        return;
    };
    let page = browser.page(large_run::records(20_000));
    let light = browser.picture(&page, "theme=light", false, "light.png");
    let dark = browser.picture(&page, "theme=dark", false, "dark.png");
    let preferred = browser.picture(&page, "", true, "preferred-dark.png");
    browser.picture(
        &page,
        "theme=light&q=com.acme.p3&row=3&sort=count",
        false,
        "search.png",
    );
    for picture in [&light, &dark, &preferred] {
        assert!(
            picture.len() > 60_000,
            "a blank page is smaller: {} bytes",
            picture.len()
        );
    }
    assert_ne!(light, dark);
}

fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
