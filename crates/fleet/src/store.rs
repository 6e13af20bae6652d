//! Where files go: a folder, or an object store. A file is there as a whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use bytes::Bytes;

use crate::FleetError;

/// A place for files.
pub trait Store {
    /// Writes a file, or replaces it.
    ///
    /// # Errors
    /// When it cannot be written; then what was there before is still there.
    fn put(&self, path: &str, bytes: Bytes) -> Result<(), FleetError>;
}

/// Opens the root of a fleet: a folder, `file://`, or with the feature
/// `cloud` `s3://`, `gs://`, `az://` with the credentials of the environment.
///
/// # Errors
/// When that place cannot be written to.
pub fn open_store(root: &str) -> Result<Box<dyn Store>, FleetError> {
    match root.split_once("://") {
        None => Ok(Box::new(Folder(PathBuf::from(root)))),
        Some(("file", path)) => Ok(Box::new(Folder(PathBuf::from(path)))),
        #[cfg(feature = "cloud")]
        Some(_) => Ok(Box::new(crate::cloud::Cloud::open(root)?)),
        #[cfg(not(feature = "cloud"))]
        Some(_) => Err(FleetError::NoCloud(root.to_owned())),
    }
}

struct Folder(PathBuf);

impl Store for Folder {
    fn put(&self, path: &str, bytes: Bytes) -> Result<(), FleetError> {
        let file = self.0.join(path);
        write_whole(&file, &bytes).map_err(|error| FleetError::File {
            path: file.display().to_string(),
            error,
        })
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
