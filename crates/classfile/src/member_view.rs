//! Fields and methods of a class, as their users see them.

use crate::access;
use crate::attribute::Attributes;
use crate::class_file::ClassFile;
use crate::code::Code;
use crate::member::Member;

impl<'a> ClassFile<'a> {
    /// Its fields, in order.
    pub fn fields(&self) -> impl ExactSizeIterator<Item = Field<'_>> {
        self.fields.iter().map(|member| Field::new(self, member))
    }

    /// Its methods, in order.
    pub fn methods(&self) -> impl ExactSizeIterator<Item = Method<'_>> {
        self.methods.iter().map(|member| Method::new(self, member))
    }
}

macro_rules! member_view {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy)]
        pub struct $name<'c> {
            class: &'c ClassFile<'c>,
            member: &'c Member<'c>,
        }

        impl<'c> $name<'c> {
            pub(crate) fn new(class: &'c ClassFile<'c>, member: &'c Member<'c>) -> Self {
                Self { class, member }
            }

            /// The class it belongs to.
            #[must_use]
            pub fn class(&self) -> &'c ClassFile<'c> {
                self.class
            }

            /// Its name, in modified UTF-8.
            #[must_use]
            pub fn name(&self) -> &'c [u8] {
                self.member.name
            }

            /// Its descriptor, in modified UTF-8.
            #[must_use]
            pub fn descriptor(&self) -> &'c [u8] {
                self.member.descriptor
            }

            /// Its flags (see [`access`](crate::access)).
            #[must_use]
            pub fn access_flags(&self) -> u16 {
                self.member.access_flags
            }

            /// Declared `static`.
            #[must_use]
            pub fn is_static(&self) -> bool {
                self.member.access_flags & access::STATIC != 0
            }

            /// Its attributes.
            #[must_use]
            pub fn attributes(&self) -> Attributes<'c> {
                Attributes::new(self.class.pool(), &self.member.attributes)
            }
        }
    };
}

member_view! {
    /// A field of a class.
    Field
}

member_view! {
    /// A method of a class.
    Method
}

impl<'c> Method<'c> {
    /// Its code; `None` for abstract and native methods.
    #[must_use]
    pub fn code(&self) -> Option<Code<'c>> {
        self.member
            .code
            .as_ref()
            .map(|parts| Code::new(self.class.pool(), parts))
    }

    /// A constructor.
    #[must_use]
    pub fn is_constructor(&self) -> bool {
        self.member.name == b"<init>"
    }
}
