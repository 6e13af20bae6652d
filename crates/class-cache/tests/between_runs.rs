//! Contents are there in the next run, whatever happened to the files in between.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use ducktrack_class_cache::{CacheError, ClassKey, KeptClasses, Place};

type Outcome = Result<(), Box<dyn std::error::Error>>;

fn place(folder: &Path) -> Place {
    Place::new(folder.join("cache"), 7)
}

/// Opens a cache in which nothing is wrong.
fn open(folder: &Path) -> KeptClasses {
    let (kept, error) = KeptClasses::open(place(folder));
    assert!(error.is_none(), "{error:?}");
    kept
}

fn file(folder: &Path) -> PathBuf {
    folder.join("cache").join(format!("{:032x}.classes", 7))
}

fn save_two(folder: &Path) -> Outcome {
    let kept = open(folder);
    kept.put(ClassKey(1), b"one".to_vec());
    kept.put(ClassKey(1 << 100), vec![9; 10_000]);
    assert_eq!(kept.waiting_bytes(), 10_003);
    Ok(kept.save()?)
}

#[test]
fn the_next_run_finds_what_was_saved() -> Outcome {
    let folder = tempfile::tempdir()?;
    save_two(folder.path())?;
    let kept = open(folder.path());
    assert_eq!(kept.get(ClassKey(1))?, Some(b"one".to_vec()));
    assert_eq!(kept.get(ClassKey(1 << 100))?, Some(vec![9; 10_000]));
    assert_eq!(kept.get(ClassKey(2))?, None);
    let mode = |path: &Path| fs::metadata(path).map(|data| data.permissions().mode() & 0o777);
    assert_eq!(mode(&folder.path().join("cache"))?, 0o700);
    assert_eq!(mode(&file(folder.path()))?, 0o600);
    Ok(())
}

#[test]
fn a_closed_cache_is_empty_and_its_file_stays() -> Outcome {
    let folder = tempfile::tempdir()?;
    save_two(folder.path())?;
    let kept = open(folder.path());
    kept.put(ClassKey(3), b"three".to_vec());
    kept.close();
    assert_eq!((kept.get(ClassKey(1))?, kept.waiting_bytes()), (None, 0));
    assert_eq!(open(folder.path()).get(ClassKey(1))?, Some(b"one".to_vec()));
    Ok(())
}

#[test]
fn two_runs_at_once_add_up() -> Outcome {
    let folder = tempfile::tempdir()?;
    save_two(folder.path())?;
    let (first, second) = (open(folder.path()), open(folder.path()));
    first.put(ClassKey(3), b"three".to_vec());
    second.put(ClassKey(4), b"four".to_vec());
    first.save()?;
    // The other one reads what it opened, and later what both have saved.
    assert_eq!(second.get(ClassKey(1))?, Some(b"one".to_vec()));
    second.save()?;
    for kept in [second, open(folder.path())] {
        for (key, content) in [(1, "one"), (3, "three"), (4, "four")] {
            assert_eq!(kept.get(ClassKey(key))?, Some(content.into()));
        }
    }
    Ok(())
}

#[test]
fn many_processes_of_threads_lose_nothing() -> Outcome {
    let folder = tempfile::tempdir()?;
    std::thread::scope(|scope| {
        for number in 0..8 {
            let path = folder.path();
            scope.spawn(move || {
                let kept = open(path);
                kept.put(ClassKey(number), vec![1; 100]);
                while let Err(error) = kept.save() {
                    assert!(matches!(error, CacheError::Busy { .. }), "{error}");
                    kept.put(ClassKey(number), vec![1; 100]);
                }
            });
        }
    });
    let kept = open(folder.path());
    for number in 0..8 {
        assert!(kept.get(ClassKey(number))?.is_some(), "{number}");
    }
    Ok(())
}

/// Each cut and each flipped bit is noticed, and the next save repairs the file.
#[test]
fn a_damaged_file_is_ignored_and_replaced() -> Outcome {
    let folder = tempfile::tempdir()?;
    save_two(folder.path())?;
    let whole = fs::read(file(folder.path()))?;
    for cut in [0, 7, 15, 40, 79] {
        fs::write(file(folder.path()), &whole[..cut])?;
        let (kept, error) = KeptClasses::open(place(folder.path()));
        assert!(matches!(error, Some(CacheError::Damaged { .. })), "{cut}");
        assert_eq!(kept.get(ClassKey(1))?, None);
    }
    for position in (0..whole.len()).step_by(13) {
        let mut bytes = whole.clone();
        bytes[position] ^= 0x10;
        fs::write(file(folder.path()), &bytes)?;
        let (kept, error) = KeptClasses::open(place(folder.path()));
        let contents = [kept.get(ClassKey(1)), kept.get(ClassKey(1 << 100))];
        let noticed = error.is_some() || contents.iter().any(Result::is_err);
        assert!(noticed, "byte {position}");
        let right = [b"one".to_vec(), vec![9; 10_000]];
        for (content, right) in contents.into_iter().zip(right) {
            assert!(
                content.is_err()
                    || content.is_ok_and(|found| found.is_none_or(|found| found == right))
            );
        }
    }
    let (kept, _) = KeptClasses::open(place(folder.path()));
    kept.put(ClassKey(1), b"anew".to_vec());
    kept.save()?;
    assert_eq!(
        open(folder.path()).get(ClassKey(1))?,
        Some(b"anew".to_vec())
    );
    Ok(())
}

#[test]
fn a_file_that_is_cut_while_it_is_open_is_only_damaged() -> Outcome {
    let folder = tempfile::tempdir()?;
    save_two(folder.path())?;
    let kept = open(folder.path());
    fs::File::options()
        .write(true)
        .open(file(folder.path()))?
        .set_len(90)?;
    assert!(kept.get(ClassKey(1 << 100)).is_err());
    Ok(())
}

#[test]
fn what_others_may_write_is_not_read() -> Outcome {
    let folder = tempfile::tempdir()?;
    save_two(folder.path())?;
    for path in [folder.path().join("cache"), file(folder.path())] {
        let before = fs::metadata(&path)?.permissions();
        let mode = before.mode() | 0o020;
        fs::set_permissions(&path, fs::Permissions::from_mode(mode))?;
        let (kept, error) = KeptClasses::open(place(folder.path()));
        assert!(matches!(error, Some(CacheError::Foreign { .. })));
        assert_eq!(kept.get(ClassKey(1))?, None);
        fs::set_permissions(&path, before)?;
    }
    Ok(())
}

#[test]
fn where_nothing_can_be_written_the_saving_is_lost() -> Outcome {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join("cache"), "a file")?;
    let (kept, _) = KeptClasses::open(place(folder.path()));
    kept.put(ClassKey(1), vec![0]);
    assert!(kept.save().is_err());
    assert_eq!(kept.waiting_bytes(), 0);
    Ok(())
}
