//! The contents of one file, and those that are to be added.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use parking_lot::{Mutex, RwLock};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::class_key::ClassKey;
use crate::directory::Place;
use crate::error::CacheError;
use crate::file_layout::{Row, read_content, read_rows};
use crate::merge::merged;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// Contents used this many days ago are noted as used again, even where nothing is new.
const STALE_DAYS: u32 = 7;
/// A file is worth writing for this part of it.
const LEAST_PART: u64 = 32;
/// More than this never waits to be saved: what comes then is not kept.
const MOST_WAITING: u64 = 64 << 20;

/// The file that is open.
#[derive(Default)]
struct Open {
    file: Option<File>,
    rows: FxHashMap<ClassKey, Row>,
}

impl Open {
    fn of(place: &Place) -> Result<Self, CacheError> {
        let Some(file) = place.open()? else {
            return Ok(Self::default());
        };
        let rows = read_rows(&file).ok_or_else(|| CacheError::Damaged { path: place.file() })?;
        Ok(Self {
            rows: rows.into_iter().map(|row| (row.key, row)).collect(),
            file: Some(file),
        })
    }
}

/// See the module. Any thread may get and put; one saves at a time.
pub struct KeptClasses {
    place: Place,
    open: RwLock<Open>,
    waiting: Mutex<FxHashMap<ClassKey, Vec<u8>>>,
    waiting_bytes: AtomicU64,
    used: Mutex<FxHashSet<ClassKey>>,
    has_stale: AtomicBool,
    today: u32,
    saving: Mutex<()>,
}

impl KeptClasses {
    /// Opens what is there. With an error there is a cache all the same, an empty one.
    #[must_use]
    pub fn open(place: Place) -> (Self, Option<CacheError>) {
        let (open, error) = match Open::of(&place) {
            Ok(open) => (open, None),
            Err(error) => (Open::default(), Some(error)),
        };
        let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
        let days = since.unwrap_or_default().as_secs() / DAY.as_secs();
        note_use(&place.file(), open.file.as_ref());
        let kept = Self {
            place,
            open: RwLock::new(open),
            waiting: Mutex::default(),
            waiting_bytes: AtomicU64::new(0),
            used: Mutex::default(),
            has_stale: AtomicBool::new(false),
            today: u32::try_from(days).unwrap_or(0),
            saving: Mutex::default(),
        };
        (kept, error)
    }

    /// The content of a key.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn get(&self, key: ClassKey) -> Result<Option<Vec<u8>>, CacheError> {
        let open = self.open.read();
        let (Some(file), Some(row)) = (&open.file, open.rows.get(&key)) else {
            return Ok(None);
        };
        let content = read_content(file, row).ok_or_else(|| CacheError::Damaged {
            path: self.place.file(),
        })?;
        if row.day + STALE_DAYS <= self.today {
            self.has_stale.store(true, Ordering::Relaxed);
        }
        self.used.lock().insert(key);
        Ok(Some(content))
    }

    /// Adds a content, to be saved. It replaces the one on disk.
    pub fn put(&self, key: ClassKey, content: Vec<u8>) {
        let length = content.len() as u64;
        if self.waiting_bytes.load(Ordering::Relaxed) + length > MOST_WAITING {
            return;
        }
        self.waiting_bytes.fetch_add(length, Ordering::Relaxed);
        self.waiting.lock().insert(key, content);
    }

    /// Bytes that wait to be saved.
    #[must_use]
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes.load(Ordering::Relaxed)
    }

    /// Whether what is new is a part of the file that is worth writing the whole file, or the days of its uses are old.
    #[must_use]
    pub fn is_worth_saving(&self) -> bool {
        let open = self.open.read();
        let saved: u64 = open.rows.values().map(|row| u64::from(row.length)).sum();
        let waiting = self.waiting_bytes();
        self.has_stale.load(Ordering::Relaxed) || waiting > 0 && waiting >= saved / LEAST_PART
    }

    /// Saves what is new, with what other JVMs have saved meanwhile. On an
    /// error nothing waits any more: it is worked out again another time.
    ///
    /// # Errors
    /// If the file cannot be replaced.
    pub fn save(&self) -> Result<(), CacheError> {
        let _one_at_a_time = self.saving.lock();
        let is_stale = self.has_stale.swap(false, Ordering::Relaxed);
        let new = std::mem::take(&mut *self.waiting.lock());
        self.waiting_bytes.store(0, Ordering::Relaxed);
        if new.is_empty() && !is_stale {
            return Ok(());
        }
        self.place.make()?;
        let _lock = self.place.lock()?;
        // What is damaged or foreign there is replaced.
        let old = self.place.open().unwrap_or(None);
        let used = self.used.lock().clone();
        if let Some(bytes) = merged(old.as_ref(), &new, &used, self.today) {
            self.replace(&bytes)?;
        }
        self.place.clear_up();
        let open = Open::of(&self.place)?;
        *self.open.write() = open;
        Ok(())
    }

    /// Closes the file and frees the memory. From then on there is a cache without contents.
    pub fn close(&self) {
        *self.open.write() = Open::default();
        *self.waiting.lock() = FxHashMap::default();
        self.waiting_bytes.store(0, Ordering::Relaxed);
        *self.used.lock() = FxHashSet::default();
    }

    fn replace(&self, bytes: &[u8]) -> Result<(), CacheError> {
        let (path, temporary) = (self.place.file(), self.place.temporary());
        let written = write_new(&temporary, bytes).and_then(|()| fs::rename(&temporary, &path));
        written.map_err(|error| {
            let _ = fs::remove_file(&temporary);
            CacheError::io(&path)(error)
        })
    }
}

fn write_new(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut options = OpenOptions::new();
    let options = options.write(true).create(true).truncate(true).mode(0o600);
    options.open(path)?.write_all(bytes)
}

/// Files used longest ago leave first: the time of a use is that of the file, to the day. Where it cannot be set it stays.
fn note_use(path: &Path, file: Option<&File>) {
    let modified = file.and_then(|file| file.metadata().ok()?.modified().ok());
    let is_old = |time: SystemTime| time.elapsed().is_ok_and(|age| age > DAY);
    if modified.is_some_and(is_old)
        && let Ok(writable) = OpenOptions::new().append(true).open(path)
    {
        let _ = writable.set_modified(SystemTime::now());
    }
}
