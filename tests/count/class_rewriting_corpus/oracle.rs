//! The number of instructions in a class, by three readers.

use anyhow::Result;
use ducktrack_classfile::ClassFile;

/// By ours.
pub(crate) fn ours(bytes: &[u8]) -> Result<usize> {
    let class = ClassFile::parse(bytes)?;
    let mut count = 0;
    for code in class.methods().filter_map(|method| method.code()) {
        for instruction in code.instructions() {
            instruction?;
            count += 1;
        }
    }
    Ok(count)
}

/// By cafebabe; `None` if it refuses the class.
pub(crate) fn cafebabe(bytes: &[u8]) -> Option<usize> {
    use cafebabe::attributes::AttributeData;
    let class = cafebabe::parse_class(bytes).ok()?;
    let attributes = class.methods.iter().flat_map(|method| &method.attributes);
    let counts = attributes.filter_map(|attribute| match &attribute.data {
        AttributeData::Code(code) => Some(
            code.bytecode
                .as_ref()
                .map_or(0, |bytecode| bytecode.opcodes.len()),
        ),
        _ => None,
    });
    Some(counts.sum())
}

/// By classfile-parser; `None` if it refuses the class.
pub(crate) fn classfile_parser(bytes: &[u8]) -> Option<usize> {
    use classfile_parser::attribute_info::code_attribute_parser;
    use classfile_parser::code_attribute::code_parser;
    use classfile_parser::constant_info::ConstantInfo;
    let (_, class) = classfile_parser::class_parser(bytes).ok()?;
    let is_code = |index: u16| match class.const_pool.get(usize::from(index).checked_sub(1)?) {
        Some(ConstantInfo::Utf8(text)) => Some(text.utf8_string == "Code"),
        _ => None,
    };
    let mut count = 0;
    for attribute in class.methods.iter().flat_map(|method| &method.attributes) {
        if is_code(attribute.attribute_name_index)? {
            let (_, code) = code_attribute_parser(&attribute.info).ok()?;
            count += code_parser(&code.code).ok()?.1.len();
        }
    }
    Some(count)
}
