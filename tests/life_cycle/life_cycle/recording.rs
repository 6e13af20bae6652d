//! The report of a recording.

use std::path::{Path, PathBuf};

use ducktrack_reports::{Document, SiteDoc, read_json};

use crate::tracked_jvm::command;

/// Objects of each marked sort that one block of work makes.
pub(crate) const BLOCK: i64 = 100_000;

/// A report.
pub(crate) struct Recording {
    pub(crate) report: Document,
    pub(crate) directory: PathBuf,
}

impl Recording {
    /// Reads the recording in a directory.
    pub(crate) fn of(directory: &Path) -> Self {
        let output = command()
            .arg("report")
            .arg(directory)
            .args(["--format", "json"])
            .output()
            .expect("ducktrack");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let text = String::from_utf8(output.stdout).expect("UTF-8");
        Self {
            report: read_json(&text).expect("a report"),
            directory: directory.to_owned(),
        }
    }

    /// The report for people.
    pub(crate) fn text(&self) -> String {
        let output = command()
            .args(["report", "--full"])
            .arg(&self.directory)
            .output()
            .expect("ducktrack");
        String::from_utf8(output.stdout).expect("UTF-8")
    }

    /// Sites of the program in a method.
    pub(crate) fn sites<'a>(&'a self, method: &'a str) -> impl Iterator<Item = &'a SiteDoc> {
        self.report
            .sites
            .iter()
            .filter(move |site| site.class == "LifeCycleProbe" && site.method == method)
    }

    /// Objects of a type made in a method of the program.
    pub(crate) fn count(&self, method: &str, ty: &str) -> i64 {
        self.sites(method)
            .filter(|site| site.ty.as_deref() == Some(ty))
            .map(|site| site.count)
            .sum()
    }

    /// Bytes made in a method of the program.
    pub(crate) fn bytes(&self, method: &str) -> i64 {
        self.sites(method).map(|site| site.bytes).sum()
    }

    /// How many blocks of work were counted, exactly and by their own threads, and the trace is undamaged and has its end (or lacks it).
    pub(crate) fn check(&self, blocks: i64, ended: Option<&str>) {
        assert_eq!(
            self.count("work", "LifeCycleProbe$Marked"),
            blocks * BLOCK,
            "{}",
            self.directory.display()
        );
        assert_eq!(self.count("work", "int[]"), blocks * BLOCK);
        let damage: Vec<&str> = self
            .report
            .damage
            .iter()
            .map(|finding| finding.name.as_str())
            .collect();
        assert_eq!(
            damage,
            if ended.is_some() {
                &[][..]
            } else {
                &["no-end"]
            },
            "{:?}",
            self.report.damage
        );
        assert!(self.report.losses.is_empty(), "{:?}", self.report.losses);
        assert_eq!(self.report.run.ended.as_deref(), ended);
    }
}
