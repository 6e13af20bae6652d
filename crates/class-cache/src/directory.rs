//! The directory: where it is, who may write it, and how large it may become.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, SystemTime};

use crate::error::CacheError;

/// Bytes of all files together. The files used longest ago leave.
const MOST_BYTES: u64 = 256 << 20;

/// A temporary file this old was left by a process that was killed.
const ABANDONED: Duration = Duration::from_secs(3600);

/// How often the lock is tried, and the time in between.
const TRIES: u32 = 25;
const BETWEEN_TRIES: Duration = Duration::from_millis(10);

const SUFFIX: &str = "classes";
const TEMPORARY: &str = "saving";

/// The place of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    directory: PathBuf,
    name: String,
}

/// Where caches are by the convention of XDG, if there is a home.
#[must_use]
pub fn default_place(variable: impl Fn(&str) -> Option<std::ffi::OsString>) -> Option<PathBuf> {
    let absolute = |name: &str| {
        let path = PathBuf::from(variable(name)?);
        path.is_absolute().then_some(path)
    };
    let caches =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    caches.map(|caches| caches.join("ducktrack"))
}

impl Place {
    /// The file of everything that agrees in these facts.
    #[must_use]
    pub fn new(directory: PathBuf, facts: u128) -> Self {
        Self {
            directory,
            name: format!("{facts:032x}"),
        }
    }

    pub(crate) fn file(&self) -> PathBuf {
        self.directory.join(&self.name).with_extension(SUFFIX)
    }

    pub(crate) fn temporary(&self) -> PathBuf {
        let own = format!("{}.{}", self.name, std::process::id());
        self.directory.join(own).with_extension(TEMPORARY)
    }

    /// Opens the file, if it is there and nobody else could have written it.
    pub(crate) fn open(&self) -> Result<Option<File>, CacheError> {
        let path = self.file();
        let file = match File::open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(CacheError::io(&path)(error)),
        };
        for (path, metadata) in [
            (&self.directory, fs::metadata(&self.directory)),
            (&path, file.metadata()),
        ] {
            let metadata = metadata.map_err(CacheError::io(path))?;
            if !is_trusted(&metadata) {
                return Err(CacheError::Foreign { path: path.clone() });
            }
        }
        Ok(Some(file))
    }

    /// Makes the directory, for its owner only.
    pub(crate) fn make(&self) -> Result<(), CacheError> {
        let directory = &self.directory;
        if let Some(above) = directory.parent() {
            fs::create_dir_all(above).map_err(CacheError::io(above))?;
        }
        match DirBuilder::new().mode(0o700).create(directory) {
            Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
                Err(CacheError::io(directory)(error))
            }
            _ => match fs::metadata(directory).map_err(CacheError::io(directory))? {
                metadata if is_trusted(&metadata) => Ok(()),
                _ => Err(CacheError::Foreign {
                    path: directory.clone(),
                }),
            },
        }
    }

    /// Waits for the lock, not for long. It is free again when the file is dropped, or its process has ended.
    pub(crate) fn lock(&self) -> Result<File, CacheError> {
        let path = self.directory.join("lock");
        let mut options = OpenOptions::new();
        let options = options.write(true).create(true).truncate(false).mode(0o600);
        let lock = options.open(&path).map_err(CacheError::io(&path))?;
        for _ in 0..TRIES {
            if lock.try_lock().is_ok() {
                return Ok(lock);
            }
            thread::sleep(BETWEEN_TRIES);
        }
        Err(CacheError::Busy { path })
    }

    /// Removes the files used longest ago until all others fit, and what killed processes have left. The lock is held.
    pub(crate) fn clear_up(&self) {
        let Ok(entries) = fs::read_dir(&self.directory) else {
            return;
        };
        let mut others: Vec<(SystemTime, u64, PathBuf)> = Vec::new();
        let mut bytes = 0;
        for entry in entries.flatten() {
            let path = entry.path();
            let Ok(metadata) = entry.metadata() else {
                continue;
            };
            let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let has = |suffix: &str| path.extension().is_some_and(|own| own == suffix);
            if has(TEMPORARY) && used.elapsed().is_ok_and(|age| age > ABANDONED) {
                remove(&path);
            } else if has(SUFFIX) {
                bytes += metadata.len();
                if path != self.file() {
                    others.push((used, metadata.len(), path));
                }
            }
        }
        others.sort();
        for (_, length, path) in others {
            if bytes <= MOST_BYTES {
                return;
            }
            remove(&path);
            bytes -= length;
        }
    }
}

/// A file that cannot be removed stays.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
}

/// Of this user or root, and nobody else may write it.
fn is_trusted(metadata: &Metadata) -> bool {
    let own = fs::metadata("/proc/self").map(|own| own.uid());
    let is_own = metadata.uid() == 0 || own.is_ok_and(|own| own == metadata.uid());
    is_own && metadata.mode() & 0o022 == 0
}
