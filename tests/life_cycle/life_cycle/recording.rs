//! The report of a recording.

use std::path::{Path, PathBuf};

use ducktrack_reports::{Document, SiteDoc};
use ducktrack_tests::{count_report, ducktrack_command, printed_by};

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
        Self {
            report: count_report(directory, &[]),
            directory: directory.to_owned(),
        }
    }

    /// The report for people.
    pub(crate) fn text(&self) -> String {
        let mut command = ducktrack_command();
        printed_by(command.args(["report", "--full"]).arg(&self.directory))
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
