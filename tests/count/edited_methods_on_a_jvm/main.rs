//! Small methods, edited and then run: each inserted counter must have counted how often its place was reached.
//!
//! The methods are those that compilers rarely make: jumps to the start,
//! branches that no longer reach, subroutines, objects that are not yet
//! initialized on a branch, classes without frames. They are verified by every
//! JDK on the machine with a compiler.

mod fixture;
mod jvm;
mod methods;

use anyhow::{Result, ensure};
use ducktrack_tests::installed_jdks;

#[test]
fn counters_count_and_results_stay() -> Result<()> {
    let fixtures = methods::all()?;
    for jdk in installed_jdks().iter().filter(|jdk| jdk.has("javac")) {
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
        let printed = jvm::run(jdk, folder.path(), &calls)?;
        for (expected, printed) in expected.iter().zip(&printed) {
            ensure!(
                expected == printed,
                "{jdk}:
expected {expected}
printed  {printed}"
            );
        }
        ensure!(
            expected.len() == printed.len(),
            "{jdk}: {} lines",
            printed.len()
        );
        println!("{jdk}: {} calls as expected", calls.len());
    }
    Ok(())
}
