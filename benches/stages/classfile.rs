//! Classes parsed: headers only, and with every instruction decoded.

use ducktrack_benches::ClassCorpus;
use ducktrack_classfile::ClassFile;

use crate::stage::Stage;

fn methods(bytes: &[u8]) -> usize {
    ClassFile::parse(bytes).map_or(0, |class| class.methods().len())
}

fn instructions(bytes: &[u8]) -> usize {
    let Ok(class) = ClassFile::parse(bytes) else {
        return 0;
    };
    let codes = class.methods().filter_map(|method| method.code());
    codes
        .map(|code| code.instructions().filter(Result::is_ok).count())
        .sum()
}

fn stage<'a>(corpus: &'a ClassCorpus, name: &'static str, work: fn(&[u8]) -> usize) -> Stage<'a> {
    Stage {
        name,
        unit: "classes",
        elements: corpus.classes.len(),
        work: Box::new(move || corpus.classes.iter().map(|class| work(class)).sum()),
    }
}

pub(crate) fn stages(corpus: &ClassCorpus) -> Vec<Stage<'_>> {
    vec![
        stage(corpus, "members parsed", methods),
        stage(corpus, "every instruction parsed", instructions),
    ]
}
