//! `export --to parquet`.

use std::process::Output;

use super::place::Place;

impl Place {
    pub(crate) fn export(
        &self,
        traces: &[&str],
        root: &str,
        service: &str,
        version: &str,
        more: &[&str],
    ) -> Output {
        let flags = [
            "--to",
            "parquet",
            "-o",
            root,
            "--service",
            service,
            "--version",
            version,
        ];
        let arguments: Vec<&str> = ["export"]
            .into_iter()
            .chain(traces.iter().copied())
            .chain(flags)
            .chain(more.iter().copied())
            .collect();
        self.ducktrack(&arguments)
    }
}
