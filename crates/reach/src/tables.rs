//! Tables that arrive on standard input, as Parquet into a store; the answers go to standard output.

use std::io::{self, BufReader};
use std::process::ExitCode;

use anyhow::Result;
use ducktrack_fleet::{Answer, Table, receive, send};

use crate::parquet_file::parquet_file;
use crate::store::Store;

/// Until the pipe is closed.
pub(crate) fn write(root: &str) -> Result<ExitCode> {
    let mut answers = io::stdout().lock();
    let store = match Store::open(root) {
        Ok(store) => store,
        Err(error) => {
            send(&mut answers, &Answer::Err(format!("{error:#}")))?;
            return Ok(ExitCode::FAILURE);
        }
    };
    send(&mut answers, &Answer::Ok(0))?;
    let mut tables = BufReader::new(io::stdin().lock());
    while let Some(table) = receive(&mut tables)? {
        let answer: Answer = put(&store, &table).map_err(|error| format!("{error:#}"));
        send(&mut answers, &answer)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn put(store: &Store, table: &Table) -> Result<u64> {
    let bytes = parquet_file(table)?;
    let length = bytes.len() as u64;
    store.put(&table.path, bytes)?;
    Ok(length)
}
