//! Small methods, edited and then run: each inserted counter must have counted how often its place was reached.
//!
//! The methods are those that compilers rarely make: jumps to the start,
//! branches that no longer reach, subroutines, objects that are not yet
//! initialized on a branch, classes without frames. They are verified by every
//! JDK on the machine (homes in `DUCKTRACK_JDKS`, separated by colons, else
//! those in `/usr/lib/jvm`).

mod fixture;
mod jvm;
mod methods;

use anyhow::{Result, ensure};

#[test]
fn counters_count_and_results_stay() -> Result<()> {
    let fixtures = methods::all()?;
    let homes = jvm::homes()?;
    if homes.is_empty() {
        ducktrack_tests::skipped(
            "edited methods: no JDK with javac in DUCKTRACK_JDKS or /usr/lib/jvm",
        );
    }
    for home in homes {
        let folder = tempfile::tempdir()?;
        for fixture in &fixtures {
            std::fs::write(
                folder.path().join(format!("{}.class", fixture.name)),
                &fixture.edited,
            )?;
        }
        let expected: Vec<String> = fixtures
            .iter()
            .flat_map(fixture::Fixture::expected)
            .collect();
        let calls: Vec<String> = fixtures.iter().flat_map(fixture::Fixture::calls).collect();
        let printed = jvm::run(&home, folder.path(), &calls)?;
        for (expected, printed) in expected.iter().zip(&printed) {
            ensure!(
                expected == printed,
                "{}:\nexpected {expected}\nprinted  {printed}",
                home.display()
            );
        }
        ensure!(
            expected.len() == printed.len(),
            "{}: {} lines",
            home.display(),
            printed.len()
        );
        println!("{}: {} calls as expected", home.display(), calls.len());
    }
    Ok(())
}
