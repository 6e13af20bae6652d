//! `scripts/try-jdk`, which decides whether a JDK that is not in the list can
//! be allowed: one that holds, one that does not, and folders that are no JDK.
//!
//! The JDK that holds is the newest one here under a number that no list has.

use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use ducktrack_tests::{Finished, checked, newest_jdk};

/// In no list, and later than each of it.
const VERSION: u32 = 99;

/// The quickest part, with one small workload.
const PART: &str = "histogram";
const WORKLOAD: &str = "json";

/// It builds what is not built yet: once.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// A folder with a `release` of that version, and nothing to run.
fn jdk_without_java() -> tempfile::TempDir {
    let home = tempfile::tempdir().expect("temporary folder");
    let release = format!("JAVA_VERSION=\"{VERSION}.0.1\"\n");
    std::fs::write(home.path().join("release"), release).expect("release");
    home
}

/// The logs of its tests are its own: the script is started by a test that has some.
fn try_jdk(home: &Path, part: &str) -> Finished {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scripts/try-jdk");
    let logs = tempfile::tempdir().expect("temporary folder");
    let mut tried = Command::new(script);
    tried.args([home, Path::new(part)]);
    tried.env("DUCKTRACK_STEP_LOGS", logs.path());
    Finished::of(tried.env("DUCKTRACK_WORKLOADS", WORKLOAD))
}

#[test]
fn a_jdk_with_a_number_of_no_list_is_tried_as_that() {
    let Some(known) = newest_jdk() else {
        return;
    };
    let home = jdk_without_java();
    for entry in known.home.read_dir().expect("its folder") {
        let entry = entry.expect("an entry");
        let link = home.path().join(entry.file_name());
        if !link.exists() {
            symlink(entry.path(), link).expect("a link");
        }
    }
    let output = try_jdk(home.path(), PART);
    let printed = output.text();
    assert!(output.status.success(), "{printed}");
    for line in [
        format!("{PART} on JDK {VERSION}: 1 tests"),
        format!("JDK {VERSION} holds in {PART}; all four parts decide"),
    ] {
        assert!(printed.contains(&line), "{printed}");
    }
    let compared = "the rebuilt heap against the VM's class histogram, ";
    assert!(printed.contains(compared), "{printed}");
    checked(&format!(
        "try-jdk: {known} as JDK {VERSION} holds in {PART}"
    ));
}

#[test]
fn a_part_that_fails_says_what_to_change() {
    let home = jdk_without_java();
    let java = home.path().join("bin/java");
    std::fs::create_dir(home.path().join("bin")).expect("bin");
    std::fs::write(&java, "#!/bin/sh\nexit 1\n").expect("java");
    std::fs::set_permissions(&java, PermissionsExt::from_mode(0o755)).expect("a mode");
    let output = try_jdk(home.path(), PART);
    let printed = output.text();
    assert_eq!(output.status.code(), Some(1), "{printed}");
    let heading = format!("\nJDK {VERSION} cannot be allowed yet. To change:\n  {PART}: ");
    let advice = printed.split_once(&heading);
    let (_, advice) = advice.unwrap_or_else(|| panic!("no advice in {printed}"));
    let named: PathBuf = advice.split(' ').next().expect("a folder").into();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(named);
    assert!(folder.is_dir(), "{}", folder.display());
}

#[test]
fn what_is_no_jdk_and_what_is_no_part_are_refused() {
    let home = jdk_without_java();
    for (home, part, why) in [
        (home.path(), PART, "is no JDK"),
        (Path::new("/nowhere"), PART, "is no JDK"),
        (home.path(), "speed", "usage: "),
    ] {
        let output = try_jdk(home, part);
        let printed = output.text();
        assert_eq!(output.status.code(), Some(2), "{printed}");
        assert_eq!(printed.lines().count(), 1, "{printed}");
        assert!(printed.contains(why), "{printed}");
    }
}
