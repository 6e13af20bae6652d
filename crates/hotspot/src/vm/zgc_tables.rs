//! The VM's tables of ZGC: the prefix that its structures have in a release, and whether it runs with generations.

use crate::address::Address;
use crate::error::Error;
use crate::process::careful_read::read_value;
use crate::vm::jvm_flags::JvmFlags;
use crate::vm::vm_structs::VmStructs;

/// A field by the names of its type and its own, with `@` for the prefix of the release.
type FieldName = (&'static str, &'static str);

/// Which of ZGC's forms the VM runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// One generation, structures named `Z...` (17) or `X...` (21).
    Single,
    /// Two generations (21 with `-XX:+ZGenerational`, 25).
    Generational,
}

/// The tables, with the prefix of the release.
pub(crate) struct Tables<'a> {
    pub(crate) vm: &'a VmStructs,
    pub(crate) prefix: &'static str,
}

impl Tables<'_> {
    pub(crate) fn name(&self, name: &str) -> String {
        name.replace('@', self.prefix)
    }

    pub(crate) fn offset(&self, (type_name, field_name): FieldName) -> Result<usize, Error> {
        let offset = self
            .vm
            .field_offset(&self.name(type_name), &self.name(field_name));
        offset.ok_or(Error::MissingField {
            type_name,
            field_name,
        })
    }

    pub(crate) fn has(&self, (type_name, field_name): FieldName) -> bool {
        let field = self.vm.field(&self.name(type_name), &self.name(field_name));
        field.is_some()
    }

    pub(crate) fn size(&self, type_name: &'static str) -> Result<usize, Error> {
        let size = self.vm.type_size(&self.name(type_name));
        size.filter(|bytes| *bytes > 0)
            .ok_or(Error::MissingType { type_name })
    }

    /// A value of `ZGlobalsForVMStructs`, which holds its address.
    pub(crate) fn global(&self, field: &'static str) -> Result<Address, Error> {
        const TYPE: &str = "@GlobalsForVMStructs";
        let missing = Error::MissingField {
            type_name: TYPE,
            field_name: field,
        };
        let instance = self
            .vm
            .static_address(&self.name(TYPE), "_instance_p")
            .ok_or(missing)?;
        let instance: Address = read_value(instance)?;
        read_value(instance.plus(self.offset((TYPE, field))?))
    }
}

/// The prefix of the structures, and the form, by release and flags.
pub(crate) fn form(vm: &VmStructs, flags: &JvmFlags) -> Result<(Form, &'static str), Error> {
    let version = vm.address(&[("Abstract_VM_Version", "_vm_major_version")])?;
    let version: i32 = read_value(version)?;
    match version {
        17 => Ok((Form::Single, "Z")),
        21 if flags.is_on("ZGenerational") => Ok((Form::Generational, "Z")),
        21 => Ok((Form::Single, "X")),
        25 => Ok((Form::Generational, "Z")),
        _ => Err(Error::UnknownRelease {
            what: "ZGC's structures",
            release: version.cast_unsigned().into(),
        }),
    }
}

/// The bits of an address that are not the collector's colours: all, unless ZGC has no generations.
pub(crate) fn address_bits(vm: &VmStructs, flags: &JvmFlags) -> u64 {
    if !flags.is_on("UseZGC") {
        return u64::MAX;
    }
    let bits = form(vm, flags).and_then(|(form, prefix)| match form {
        Form::Single => read_value(Tables { vm, prefix }.global("_@AddressOffsetMask")?),
        Form::Generational => Ok(u64::MAX),
    });
    bits.unwrap_or(u64::MAX)
}
