//! A store of files: a folder, or an object store. A file is there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use bytes::Bytes;

use crate::cloud::Cloud;

/// The root of a fleet.
pub(crate) enum Store {
    Folder(PathBuf),
    Cloud(Cloud),
}

impl Store {
    /// A folder, `file://`, or `s3://`, `gs://`, `az://` with the credentials of the environment.
    pub(crate) fn open(root: &str) -> Result<Self> {
        Ok(match root.split_once("://") {
            None => Self::Folder(PathBuf::from(root)),
            Some(("file", path)) => Self::Folder(PathBuf::from(path)),
            Some(_) => Self::Cloud(Cloud::open(root)?),
        })
    }

    /// Writes a file, or replaces it; when it cannot be written, the file that was there before is still there.
    pub(crate) fn put(&self, path: &str, bytes: Bytes) -> Result<()> {
        match self {
            Self::Folder(root) => {
                let file = root.join(path);
                write_whole(&file, &bytes)
                    .with_context(|| format!("cannot write {}", file.display()))
            }
            Self::Cloud(cloud) => cloud.put(path, bytes),
        }
    }
}

/// Under a name that no reader looks at, then renamed.
fn write_whole(file: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = folder.join(format!(".{name}.{}.tmp", std::process::id()));
    let written = File::create(&unfinished)
        .and_then(|mut into| {
            into.write_all(bytes)?;
            into.sync_all()
        })
        .and_then(|()| fs::rename(&unfinished, file));
    if written.is_err() {
        let _ = fs::remove_file(&unfinished);
    }
    written
}
