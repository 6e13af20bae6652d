//! Methods that a JIT may replace by code of its own: which those are whose bodies allocate is read from the classes of each JDK,
//! and each of them is called, interpreted, in C1 and in C2. What is counted is compared with the JVM's own counter of the thread.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use ducktrack_classfile::{ClassFile, Method, Opcode, Operand, annotations};
use ducktrack_tests::{
    Jdk, agent_argument, checked, compiled_with_api, is_full_run, matrix_jdks, printed_by,
};

use crate::corpus::Corpus;

/// Those of the Vector API, an incubator: what its intrinsics allocate is not counted (agent/LIMITS.md).
const VECTOR_API: &str = "jdk/internal/vm/vector/";
/// Without escape analysis all that is executed reaches the heap.
const C2: &[&str] = &["-Xbatch", "-XX:-TieredCompilation", "-XX:-DoEscapeAnalysis"];
const COMPILERS: [&[&str]; 3] = [&["-Xint"], &["-XX:TieredStopAtLevel=1"], C2];
/// Of an object's bytes; the measurement itself takes a little.
const TOLERANCE: f64 = 0.01;
const OF_THE_MEASUREMENT: f64 = 2_000.0;

#[test]
fn what_a_replaced_method_allocates_is_counted() -> Result<()> {
    let beside = ["count/class_rewriting_corpus", "count/measured"];
    let folder = compiled_with_api("Replaced", &beside);
    let (mut compared, mut wrong) = (0, Vec::new());
    for jdk in matrix_jdks() {
        let allocating = allocating(&jdk)?;
        ensure!(allocating.len() > 10, "{jdk}: {allocating:?}");
        for compiler in COMPILERS {
            if compiler == ["-Xint"] && !is_full_run() && ![17, 21].contains(&jdk.version) {
                continue;
            }
            let called = called(&jdk, compiler, folder.path())?;
            let missing: Vec<_> = allocating
                .iter()
                .filter(|method| !called.contains_key(*method))
                .collect();
            assert!(
                missing.is_empty(),
                "{jdk}: Replaced.java calls none of {missing:?}"
            );
            for (method, bytes) in called {
                compared += 1;
                if !bytes.agree() {
                    wrong.push(format!("{jdk} {compiler:?} {method}: {bytes:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    checked(&format!(
        "{compared} figures of methods that a JIT replaces, as the JVM's own counter"
    ));
    Ok(())
}

#[derive(Debug)]
struct Bytes {
    counted: f64,
    of_thread: f64,
}

impl Bytes {
    fn agree(&self) -> bool {
        let bound = (self.of_thread * TOLERANCE).max(OF_THE_MEASUREMENT);
        (self.counted - self.of_thread).abs() <= bound
    }
}

/// By method: what its calls allocated.
fn called(jdk: &Jdk, compiler: &[&str], classes: &Path) -> Result<BTreeMap<String, Bytes>> {
    let output = tempfile::tempdir()?;
    let agent = agent_argument("", &output.path().join("run"));
    let lines = printed_by(
        jdk.java(classes)
            .arg("-Xmx400m")
            .args(compiler)
            .arg(agent)
            .arg("Replaced"),
    );
    let figures = lines.lines().map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let [method, counted, of_thread, _] = words[..] else {
            anyhow::bail!("{line}");
        };
        let (counted, of_thread) = (counted.parse()?, of_thread.parse()?);
        Ok((method.to_owned(), Bytes { counted, of_thread }))
    });
    figures.collect()
}

/// The marked methods of `java.base` whose body, or what it calls in its class, allocates something else than an exception or its message.
fn allocating(jdk: &Jdk) -> Result<BTreeSet<String>> {
    let corpus = Corpus::of_modules(jdk, &["java.base".to_owned()])?;
    let mut found = BTreeSet::new();
    for path in &corpus.classes {
        let bytes = std::fs::read(path)?;
        let class = ClassFile::parse(&bytes)?;
        for method in class.methods().filter(is_marked) {
            if allocates(&class, &method, &mut BTreeSet::new())? {
                let class = String::from_utf8(class.name().to_vec())?;
                let name = std::str::from_utf8(method.name()).context("a name")?;
                found.insert(format!("{class}.{name}"));
            }
        }
    }
    found.retain(|method| !method.starts_with(VECTOR_API));
    Ok(found)
}

fn is_marked(method: &Method<'_>) -> bool {
    let marks = annotations(method.attributes(), method.class().pool());
    marks
        .iter()
        .any(|mark| mark.ty.ends_with("IntrinsicCandidate"))
}

fn allocates(
    class: &ClassFile<'_>,
    method: &Method<'_>,
    seen: &mut BTreeSet<(Vec<u8>, Vec<u8>)>,
) -> Result<bool> {
    let is_new = seen.insert((method.name().to_vec(), method.descriptor().to_vec()));
    let Some(code) = method.code().filter(|_| is_new) else {
        return Ok(false);
    };
    let pool = class.pool();
    for instruction in code.instructions() {
        let instruction = instruction?;
        match (instruction.opcode, instruction.operand) {
            (Opcode::NEW, Operand::Pool(index)) => {
                let made = String::from_utf8_lossy(pool.class_name(index)?).into_owned();
                let thrown = ["Exception", "Error", "StringBuilder"];
                if !thrown.iter().any(|end| made.ends_with(end)) {
                    return Ok(true);
                }
            }
            (Opcode::NEWARRAY | Opcode::ANEWARRAY | Opcode::MULTIANEWARRAY, _) => return Ok(true),
            (Opcode::INVOKESTATIC | Opcode::INVOKESPECIAL, Operand::Pool(index)) => {
                let member = pool.member_ref(index)?;
                let mut own = class.methods();
                let called = own
                    .find(|own| own.name() == member.name && own.descriptor() == member.descriptor)
                    .filter(|_| member.class == class.name());
                if let Some(called) = called
                    && allocates(class, &called, seen)?
                {
                    return Ok(true);
                }
            }
            _ => {}
        }
    }
    Ok(false)
}
