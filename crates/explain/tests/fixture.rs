//! Text and Graphviz of an assembled method: the paper's figure 2 with allocations.

use std::io::{Cursor, Write};

use ducktrack_classfile::{ClassBuilder, CodeBuilder, Opcode, access};
use ducktrack_explain::{ClassSource, Error, MethodName, Options, dot, text};

/// A branches to B or to C; C is executed and then loops over D; both end at E. Every block allocates, except for D's
/// jump back.
fn figure_2() -> Vec<u8> {
    // A version without frames, because none are computed here.
    let mut class = ClassBuilder::new(
        49,
        access::PUBLIC | access::SUPER,
        b"paper/Figure2",
        b"java/lang/Object",
    );
    let mut code = CodeBuilder::new(3, 3);
    let (c, d, e) = (code.label(), code.label(), code.label());
    let allocate = |code: &mut CodeBuilder, name: &[u8]| {
        code.class(Opcode::NEW, name).op(Opcode::POP);
    };
    allocate(&mut code, b"paper/A");
    code.local(Opcode::ILOAD, 0).branch(Opcode::IFEQ, c);
    allocate(&mut code, b"paper/B");
    code.branch(Opcode::GOTO, e);
    code.place(c);
    allocate(&mut code, b"paper/C");
    code.iinc(1, -1)
        .local(Opcode::ILOAD, 1)
        .branch(Opcode::IFLE, e);
    code.place(d);
    allocate(&mut code, b"paper/D");
    code.branch(Opcode::GOTO, c);
    code.place(e);
    allocate(&mut code, b"paper/E");
    code.op(Opcode::RETURN);
    class
        .method(access::PUBLIC | access::STATIC, b"run", b"(II)V")
        .code(code)
        .expect("assembles");
    let mut other = CodeBuilder::new(1, 0);
    other.push_int(3).new_array(10).op(Opcode::ARETURN);
    class
        .method(access::PUBLIC | access::STATIC, b"make", b"()[I")
        .code(other)
        .expect("assembles");
    class.finish().expect("a class")
}

fn source() -> ClassSource {
    ClassSource::from_bytes("Figure2.class", figure_2()).expect("a class file")
}

fn run_with(counts: &[&str]) -> Options {
    let edge_counts = counts
        .iter()
        .map(|count| count.parse().expect("an edge count"))
        .collect();
    Options {
        method: Some(MethodName::parse("Figure2.run")),
        edge_counts,
    }
}

/// Measured as in the paper's figure: B is hot; C is executed now and then and loops.
const COUNTS: [&str; 3] = ["entry:0=10", "0:9=9", "16:28=50"];

const EXPECTED: &str = "\
paper.Figure2.run(II)V   5 blocks, 8 edges, 5 sites

sites
  s0    @0      B0               new paper.A
  s1    @9      B1               new paper.B
  s2    @16     B2               new paper.C
  s3    @28     B3               new paper.D
  s4    @35     B4               new paper.E

blocks                                   runs per call
  B0    0..6           ifeq              1.00   -> B1, B2                s0
  B1    9..13          goto              0.90   -> B4                    s1
  B2    16..25         ifle              5.10   -> B3, B4                s2
  B3    28..32         goto              5.00   -> B2                    s3
  B4    35..39         return            1.00   -> EXIT                  s4

paths                                    -n-> share count n, =n=c0=> with the path's counter
  P0   hot      ENTRY -2-> B0 =1=c0=> B1 -1-> B4 -2-> EXIT
  P1   side     B0 =2=c1=> B2 -2-> B4   (joins)
  P2   loop     B2 =1=c2=> B3 -1-> B2   (back to its header)

counters = allocations + branching correction + joining correction
  c0   on B0 -> B1   of P0, 0.90 per call
         allocations            +s0 +s1 +s4
         branching correction   0
         joining correction     0
         sum                    +s0 +s1 +s4
  c1   on B0 -> B2   of P1, 0.10 per call
         allocations            +s2
         branching correction   +s0
         joining correction     +s4
         sum                    +s0 +s2 +s4
  c2   on B2 -> B3   of P2, 5.00 per call
         allocations            +s3
         branching correction   -s4
         joining correction     +s2 +s4
         sum                    +s2 +s3

executed but not counted yet, on arrival at a block (where an exception would settle it)
  B1    -s1 -s4
  B2    -s2 -s4
  B3    -s2 -s3 -s4
  B4    -s4

increments per call, with measured frequencies
  one counter per site        13.00
  paths                        6.00   <- chosen
  spanning forest              6.00
  refined                      6.00
  one counter per block       13.00

in the code: paths have counters
  k0   before @9                  +s0 +s1 +s4
  k1   before @28                 +s2 +s3
  k2   on the branch @6 -> @16    +s0 +s2 +s4
  stub for 1 place                -s1 -s4, then thrown on
  stub for 1 place                -s2 -s4, then thrown on
  stub for 1 place                -s2 -s3 -s4, then thrown on
  stub for 2 places               -s4, then thrown on
  stub for 1 place                +s0, then thrown on
";

#[test]
fn the_text_says_what_the_paper_draws() {
    assert_eq!(
        text(&source(), &run_with(&COUNTS)).expect("explained"),
        EXPECTED
    );
}

#[test]
fn a_class_without_a_method_name_is_listed() {
    let overview = text(&source(), &Options::default()).expect("explained");
    let lines: Vec<&str> = overview.lines().collect();
    assert_eq!(lines.len(), 4, "{overview}");
    assert!(
        lines[2].ends_with("paper.Figure2.run(II)V")
            && lines[3].ends_with("paper.Figure2.make()[I"),
        "{overview}"
    );
}

#[test]
fn graphviz_gets_every_edge_with_its_paths_style() {
    let text = dot(&source(), &run_with(&COUNTS)).expect("explained");
    let edges: Vec<&str> = text
        .lines()
        .filter(|line| line.contains("penwidth"))
        .collect();
    assert_eq!(edges.len(), 8, "{text}");
    let hot = edges
        .iter()
        .find(|line| line.contains("B0 -> B1"))
        .expect("an edge");
    assert!(
        hot.contains("#c62828") && hot.contains("style=solid") && hot.contains("c0"),
        "{hot}"
    );
    let side = edges
        .iter()
        .find(|line| line.contains("B0 -> B2"))
        .expect("an edge");
    assert!(
        side.contains("#1565c0") && side.contains("style=dashed"),
        "{side}"
    );
    assert_eq!(text.matches("penwidth=2.5").count(), 3, "counters: {text}");
    assert!(text.contains("P0 [fontcolor=\"#c62828\", label=\"P0  hot  ENTRY -2-> B0 =1=c0=> B1"));
    let legend = EXPECTED.replace('\n', "\\l");
    assert!(text.contains(&legend), "{text}");
    assert!(text.starts_with("digraph ") && text.ends_with("}\n"));
}

/// Names in class files may contain any characters.
#[test]
fn strange_names_stay_inside_their_quotes() {
    let mut class = ClassBuilder::new(52, access::PUBLIC, b"a/<b>&\"c\"\x01", b"java/lang/Object");
    let mut code = CodeBuilder::new(1, 0);
    code.class(Opcode::NEW, b"x/\"<&>\\")
        .op(Opcode::POP)
        .op(Opcode::RETURN);
    class
        .method(access::STATIC, b"m\"&", b"()V")
        .code(code)
        .expect("assembles");
    let source =
        ClassSource::from_bytes("x", class.finish().expect("a class")).expect("a class file");
    let graph = dot(&source, &Options::default()).expect("explained");
    for line in graph.lines() {
        let quotes = line
            .replace("\\\\", "")
            .replace("\\\"", "")
            .matches('"')
            .count();
        assert_eq!(quotes % 2, 0, "{line}");
    }
}

#[test]
fn names_do_not_steer_a_terminal() {
    let mut class = ClassBuilder::new(
        49,
        access::PUBLIC | access::SUPER,
        "a/B\u{1b}[2J".as_bytes(),
        b"java/lang/Object",
    );
    let mut code = CodeBuilder::new(1, 0);
    code.class(Opcode::NEW, "a/C\u{9b}".as_bytes())
        .op(Opcode::POP)
        .op(Opcode::RETURN);
    class
        .method(access::STATIC, b"m\nWARNING", b"()V")
        .code(code)
        .expect("assembles");
    let source =
        ClassSource::from_bytes("x", class.finish().expect("a class")).expect("a class file");
    for drawing in [text, dot] {
        let drawn = drawing(&source, &Options::default()).expect("explained");
        assert!(
            !drawn.chars().any(|c| c.is_control() && c != '\n'),
            "{drawn:?}"
        );
        assert!(!drawn.lines().any(|line| line.starts_with("WARNING")));
        assert!(drawn.contains("u{1b}") && drawn.contains("u{9b}") && drawn.contains("u{a}"));
    }
}

#[test]
fn classes_are_found_in_a_jar() {
    let mut jar = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let stored =
        zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let deflated = stored.compression_method(zip::CompressionMethod::Deflated);
    for (name, options) in [
        ("paper/Figure2.class", deflated),
        ("META-INF/versions/21/paper/Figure2.class", stored),
    ] {
        jar.start_file(name, options).expect("an entry");
        jar.write_all(&figure_2()).expect("written");
    }
    jar.start_file("readme.txt", stored).expect("an entry");
    let bytes = jar.finish().expect("a jar").into_inner();
    let source = ClassSource::from_bytes("x.jar", bytes.clone()).expect("a jar");
    assert_eq!(source.classes().len(), 1);
    assert_eq!(
        text(&source, &run_with(&COUNTS)).expect("explained"),
        EXPECTED
    );
    let cut = ClassSource::from_bytes("x.jar", bytes[..bytes.len() / 2].to_vec());
    assert!(matches!(cut, Err(Error::Jar { .. })));
}

#[test]
fn what_cannot_be_explained_is_said() {
    let source = source();
    let named = |name: &str| Options {
        method: Some(MethodName::parse(name)),
        ..Options::default()
    };
    assert!(matches!(
        text(&source, &named("other")),
        Err(Error::NoSuchMethod { .. })
    ));
    assert!(matches!(
        dot(&source, &Options::default()),
        Err(Error::Ambiguous { .. })
    ));
    assert!(matches!(
        text(&source, &run_with(&["entry:9=1"])),
        Err(Error::NoSuchEdge { .. })
    ));
    assert!(matches!(
        ClassSource::from_bytes("x", b"hello".to_vec()),
        Err(Error::NotClassOrJar { .. })
    ));
    let broken =
        ClassSource::from_bytes("x", figure_2()[..80].to_vec()).expect("starts like a class file");
    assert!(matches!(
        text(&broken, &Options::default()),
        Err(Error::ClassFile { .. })
    ));
}

/// Explains a method in a class of version 49.
fn explained(
    name: &[u8],
    descriptor: &[u8],
    static_: bool,
    fill: impl FnOnce(&mut CodeBuilder),
) -> String {
    let mut class = ClassBuilder::new(
        49,
        access::PUBLIC | access::SUPER,
        b"paper/Policy",
        b"java/lang/Object",
    );
    let mut code = CodeBuilder::new(4, 4);
    fill(&mut code);
    let flags = if static_ {
        access::STATIC
    } else {
        access::PUBLIC
    };
    class
        .method(flags, name, descriptor)
        .code(code)
        .expect("assembles");
    let bytes = class.finish().expect("a class");
    let source = ClassSource::from_bytes("Policy.class", bytes).expect("a class file");
    let options = Options {
        method: Some(MethodName::parse(std::str::from_utf8(name).expect("ASCII"))),
        ..Options::default()
    };
    text(&source, &options).expect("explained")
}

fn new(code: &mut CodeBuilder, name: &[u8]) {
    code.class(Opcode::NEW, name).op(Opcode::POP);
}

/// Two allocations, one of them on a branch.
fn two_on_a_branch(code: &mut CodeBuilder) {
    let end = code.label();
    new(code, b"paper/A");
    code.local(Opcode::ILOAD, 0).branch(Opcode::IFEQ, end);
    new(code, b"paper/B");
    code.place(end).op(Opcode::RETURN);
}

#[track_caller]
fn assert_says(explained: &str, lines: &[&str]) {
    let (_, in_code) = explained.split_once("in the code: ").expect("a verdict");
    let listed: Vec<&str> = in_code.lines().map(str::trim).collect();
    let listed: Vec<String> = listed
        .iter()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect();
    assert_eq!(listed, lines, "{explained}");
}

#[test]
fn a_class_initializer_is_counted_per_site() {
    let explained = explained(b"<clinit>", b"()V", true, |code| {
        new(code, b"paper/A");
        new(code, b"paper/B");
        code.op(Opcode::RETURN);
    });
    assert_says(
        &explained,
        &[
            "one counter per site: a class initializer runs once",
            "k0 after @0 +s0",
            "k1 after @4 +s1",
        ],
    );
}

#[test]
fn one_allocation_shares_nothing() {
    let explained = explained(b"one", b"()V", true, |code| {
        new(code, b"paper/A");
        code.op(Opcode::RETURN);
    });
    assert_says(
        &explained,
        &[
            "one counter per site: fewer than two allocations: nothing to share",
            "k0 after @0 +s0",
        ],
    );
}

#[test]
fn stubs_must_be_worth_it() {
    let explained = explained(b"branch", b"(I)V", true, two_on_a_branch);
    assert_says(
        &explained,
        &[
            "one counter per site: for exceptions, paths would need stubs, and they save at most 1.00 increments per call; stubs are worth it from 1.50 on, or once the method is hot",
            "k0 after @0 +s0",
            "k1 after @9 +s1",
        ],
    );
}

#[test]
fn a_constructors_head_keeps_counters_of_its_own() {
    let explained = explained(b"<init>", b"(I)V", false, |code| {
        let end = code.label();
        new(code, b"paper/A");
        code.local(Opcode::ALOAD, 0).method(
            Opcode::INVOKESPECIAL,
            b"java/lang/Object",
            b"<init>",
            b"()V",
        );
        for _ in 0..4 {
            new(code, b"paper/B");
        }
        code.local(Opcode::ILOAD, 1).branch(Opcode::IFEQ, end);
        new(code, b"paper/C");
        code.place(end).op(Opcode::RETURN);
    });
    assert!(
        explained.contains("in the code: paths have counters"),
        "{explained}"
    );
    assert!(
        explained.contains(
            "s0 has a counter of its own: before the constructor has called another constructor"
        ),
        "{explained}"
    );
}

#[test]
fn a_crowded_block_keeps_counters_of_its_own() {
    let explained = explained(b"crowd", b"(I)V", true, |code| {
        let end = code.label();
        for _ in 0..25 {
            new(code, b"paper/A");
        }
        code.local(Opcode::ILOAD, 0).branch(Opcode::IFEQ, end);
        for _ in 0..6 {
            new(code, b"paper/B");
        }
        code.place(end).op(Opcode::RETURN);
    });
    assert!(
        explained.contains("in the code: paths have counters"),
        "{explained}"
    );
    let own = explained
        .matches("has a counter of its own: in a block with more than 24 allocations")
        .count();
    assert_eq!(own, 25, "{explained}");
}
