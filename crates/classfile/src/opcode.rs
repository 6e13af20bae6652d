//! Opcodes and the shape of their operands (JVM specification 6.5).

/// The operation of an instruction.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Opcode(pub u8);

/// How the operands of an instruction are laid out after the opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// No operands.
    Plain,
    /// `i1` value.
    Byte,
    /// `i2` value.
    Short,
    /// `u1` pool index.
    PoolByte,
    /// `u2` pool index.
    Pool,
    /// `u1` local variable; `u2` after `wide`.
    Local,
    /// `u1` local variable, `i1` amount; both of two bytes after `wide`.
    Increment,
    /// `i2` branch offset.
    Branch,
    /// `i4` branch offset.
    WideBranch,
    /// Padding, `i4` default, `i4` low, `i4` high, `i4` offsets.
    TableSwitch,
    /// Padding, `i4` default, `i4` count, pairs of `i4` match and `i4` offset.
    LookupSwitch,
    /// `u2` pool index, `u1` count, `u1` zero.
    InvokeInterface,
    /// `u2` pool index, two zero bytes.
    InvokeDynamic,
    /// `u1` primitive type of an array.
    ArrayType,
    /// `u2` pool index, `u1` dimensions.
    MultiArray,
    /// The prefix of an instruction with wider operands.
    Wide,
    /// Not an instruction of a class file.
    Unknown,
}

macro_rules! opcodes {
    ($($value:literal $name:ident $mnemonic:literal $format:ident;)*) => {
        impl Opcode {
            $(#[doc = concat!("`", $mnemonic, "`")] pub const $name: Self = Self($value);)*

            /// Its name in the specification; `?` for bytes that are no opcode.
            #[must_use]
            pub fn mnemonic(self) -> &'static str {
                match self.0 {
                    $($value => $mnemonic,)*
                    _ => "?",
                }
            }
        }

        /// The format of each opcode.
        const FORMATS: [Format; 256] = {
            let mut formats = [Format::Unknown; 256];
            $(formats[$value] = Format::$format;)*
            formats
        };
    };
}

impl Opcode {
    /// How its operands are laid out.
    #[must_use]
    #[inline]
    pub fn format(self) -> Format {
        FORMATS
            .get(usize::from(self.0))
            .copied()
            .unwrap_or(Format::Unknown)
    }

    /// `if<cond>`, `if_icmp<cond>`, `if_acmp<cond>`, `ifnull` or `ifnonnull`.
    #[must_use]
    #[inline]
    pub fn is_conditional_branch(self) -> bool {
        matches!(self.0, 153..=166 | 198 | 199)
    }

    /// `goto` or `goto_w`.
    #[must_use]
    #[inline]
    pub fn is_goto(self) -> bool {
        matches!(self, Self::GOTO | Self::GOTO_W)
    }

    /// `jsr` or `jsr_w`.
    #[must_use]
    #[inline]
    pub fn is_jsr(self) -> bool {
        matches!(self, Self::JSR | Self::JSR_W)
    }

    /// `tableswitch` or `lookupswitch`.
    #[must_use]
    #[inline]
    pub fn is_switch(self) -> bool {
        matches!(self, Self::TABLESWITCH | Self::LOOKUPSWITCH)
    }

    /// `return` with or without a value.
    #[must_use]
    #[inline]
    pub fn is_return(self) -> bool {
        matches!(self.0, 172..=177)
    }

    /// One of the five `invoke` instructions.
    #[must_use]
    #[inline]
    pub fn is_invoke(self) -> bool {
        matches!(self.0, 182..=186)
    }

    /// `new`, or one of the three that make arrays.
    #[must_use]
    #[inline]
    pub fn is_allocation(self) -> bool {
        matches!(self.0, 187..=189 | 197)
    }

    /// Control never continues at the instruction after it. (`jsr` comes back by `ret`, so it is not one.)
    #[must_use]
    #[inline]
    pub fn is_unconditional_end(self) -> bool {
        self.is_goto()
            || self == Self::RET
            || self.is_switch()
            || self.is_return()
            || self == Self::ATHROW
    }

    /// May complete by throwing, whatever its operands.
    ///
    /// Follows the run-time and linking exceptions of the specification, with
    /// `ldc` counted as throwing (see [`Instruction::can_throw_given`] for the
    /// exact answer). Left out, because they need no instruction of a kind: errors
    /// of the virtual machine itself, asynchronous exceptions, and
    /// `IllegalMonitorStateException` from returns out of unbalanced monitors.
    ///
    /// [`Instruction::can_throw_given`]: crate::Instruction::can_throw_given
    #[must_use]
    #[inline]
    pub fn can_throw(self) -> bool {
        matches!(self.0,
            18..=20             // ldc, ldc_w, ldc2_w
            | 46..=53           // array loads
            | 79..=86           // array stores
            | 108 | 109 | 112 | 113 // idiv, ldiv, irem, lrem
            | 178..=195         // fields, invokes, new, arrays, athrow, casts, monitors
            | 197) // multianewarray
    }
}

impl std::fmt::Debug for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.mnemonic() {
            "?" => write!(f, "opcode {:#04x}", self.0),
            known => f.write_str(known),
        }
    }
}

impl std::fmt::Display for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Debug::fmt(self, f)
    }
}

opcodes! {
    0 NOP "nop" Plain;
    1 ACONST_NULL "aconst_null" Plain;
    2 ICONST_M1 "iconst_m1" Plain;
    3 ICONST_0 "iconst_0" Plain;
    4 ICONST_1 "iconst_1" Plain;
    5 ICONST_2 "iconst_2" Plain;
    6 ICONST_3 "iconst_3" Plain;
    7 ICONST_4 "iconst_4" Plain;
    8 ICONST_5 "iconst_5" Plain;
    9 LCONST_0 "lconst_0" Plain;
    10 LCONST_1 "lconst_1" Plain;
    11 FCONST_0 "fconst_0" Plain;
    12 FCONST_1 "fconst_1" Plain;
    13 FCONST_2 "fconst_2" Plain;
    14 DCONST_0 "dconst_0" Plain;
    15 DCONST_1 "dconst_1" Plain;
    16 BIPUSH "bipush" Byte;
    17 SIPUSH "sipush" Short;
    18 LDC "ldc" PoolByte;
    19 LDC_W "ldc_w" Pool;
    20 LDC2_W "ldc2_w" Pool;
    21 ILOAD "iload" Local;
    22 LLOAD "lload" Local;
    23 FLOAD "fload" Local;
    24 DLOAD "dload" Local;
    25 ALOAD "aload" Local;
    26 ILOAD_0 "iload_0" Plain;
    27 ILOAD_1 "iload_1" Plain;
    28 ILOAD_2 "iload_2" Plain;
    29 ILOAD_3 "iload_3" Plain;
    30 LLOAD_0 "lload_0" Plain;
    31 LLOAD_1 "lload_1" Plain;
    32 LLOAD_2 "lload_2" Plain;
    33 LLOAD_3 "lload_3" Plain;
    34 FLOAD_0 "fload_0" Plain;
    35 FLOAD_1 "fload_1" Plain;
    36 FLOAD_2 "fload_2" Plain;
    37 FLOAD_3 "fload_3" Plain;
    38 DLOAD_0 "dload_0" Plain;
    39 DLOAD_1 "dload_1" Plain;
    40 DLOAD_2 "dload_2" Plain;
    41 DLOAD_3 "dload_3" Plain;
    42 ALOAD_0 "aload_0" Plain;
    43 ALOAD_1 "aload_1" Plain;
    44 ALOAD_2 "aload_2" Plain;
    45 ALOAD_3 "aload_3" Plain;
    46 IALOAD "iaload" Plain;
    47 LALOAD "laload" Plain;
    48 FALOAD "faload" Plain;
    49 DALOAD "daload" Plain;
    50 AALOAD "aaload" Plain;
    51 BALOAD "baload" Plain;
    52 CALOAD "caload" Plain;
    53 SALOAD "saload" Plain;
    54 ISTORE "istore" Local;
    55 LSTORE "lstore" Local;
    56 FSTORE "fstore" Local;
    57 DSTORE "dstore" Local;
    58 ASTORE "astore" Local;
    59 ISTORE_0 "istore_0" Plain;
    60 ISTORE_1 "istore_1" Plain;
    61 ISTORE_2 "istore_2" Plain;
    62 ISTORE_3 "istore_3" Plain;
    63 LSTORE_0 "lstore_0" Plain;
    64 LSTORE_1 "lstore_1" Plain;
    65 LSTORE_2 "lstore_2" Plain;
    66 LSTORE_3 "lstore_3" Plain;
    67 FSTORE_0 "fstore_0" Plain;
    68 FSTORE_1 "fstore_1" Plain;
    69 FSTORE_2 "fstore_2" Plain;
    70 FSTORE_3 "fstore_3" Plain;
    71 DSTORE_0 "dstore_0" Plain;
    72 DSTORE_1 "dstore_1" Plain;
    73 DSTORE_2 "dstore_2" Plain;
    74 DSTORE_3 "dstore_3" Plain;
    75 ASTORE_0 "astore_0" Plain;
    76 ASTORE_1 "astore_1" Plain;
    77 ASTORE_2 "astore_2" Plain;
    78 ASTORE_3 "astore_3" Plain;
    79 IASTORE "iastore" Plain;
    80 LASTORE "lastore" Plain;
    81 FASTORE "fastore" Plain;
    82 DASTORE "dastore" Plain;
    83 AASTORE "aastore" Plain;
    84 BASTORE "bastore" Plain;
    85 CASTORE "castore" Plain;
    86 SASTORE "sastore" Plain;
    87 POP "pop" Plain;
    88 POP2 "pop2" Plain;
    89 DUP "dup" Plain;
    90 DUP_X1 "dup_x1" Plain;
    91 DUP_X2 "dup_x2" Plain;
    92 DUP2 "dup2" Plain;
    93 DUP2_X1 "dup2_x1" Plain;
    94 DUP2_X2 "dup2_x2" Plain;
    95 SWAP "swap" Plain;
    96 IADD "iadd" Plain;
    97 LADD "ladd" Plain;
    98 FADD "fadd" Plain;
    99 DADD "dadd" Plain;
    100 ISUB "isub" Plain;
    101 LSUB "lsub" Plain;
    102 FSUB "fsub" Plain;
    103 DSUB "dsub" Plain;
    104 IMUL "imul" Plain;
    105 LMUL "lmul" Plain;
    106 FMUL "fmul" Plain;
    107 DMUL "dmul" Plain;
    108 IDIV "idiv" Plain;
    109 LDIV "ldiv" Plain;
    110 FDIV "fdiv" Plain;
    111 DDIV "ddiv" Plain;
    112 IREM "irem" Plain;
    113 LREM "lrem" Plain;
    114 FREM "frem" Plain;
    115 DREM "drem" Plain;
    116 INEG "ineg" Plain;
    117 LNEG "lneg" Plain;
    118 FNEG "fneg" Plain;
    119 DNEG "dneg" Plain;
    120 ISHL "ishl" Plain;
    121 LSHL "lshl" Plain;
    122 ISHR "ishr" Plain;
    123 LSHR "lshr" Plain;
    124 IUSHR "iushr" Plain;
    125 LUSHR "lushr" Plain;
    126 IAND "iand" Plain;
    127 LAND "land" Plain;
    128 IOR "ior" Plain;
    129 LOR "lor" Plain;
    130 IXOR "ixor" Plain;
    131 LXOR "lxor" Plain;
    132 IINC "iinc" Increment;
    133 I2L "i2l" Plain;
    134 I2F "i2f" Plain;
    135 I2D "i2d" Plain;
    136 L2I "l2i" Plain;
    137 L2F "l2f" Plain;
    138 L2D "l2d" Plain;
    139 F2I "f2i" Plain;
    140 F2L "f2l" Plain;
    141 F2D "f2d" Plain;
    142 D2I "d2i" Plain;
    143 D2L "d2l" Plain;
    144 D2F "d2f" Plain;
    145 I2B "i2b" Plain;
    146 I2C "i2c" Plain;
    147 I2S "i2s" Plain;
    148 LCMP "lcmp" Plain;
    149 FCMPL "fcmpl" Plain;
    150 FCMPG "fcmpg" Plain;
    151 DCMPL "dcmpl" Plain;
    152 DCMPG "dcmpg" Plain;
    153 IFEQ "ifeq" Branch;
    154 IFNE "ifne" Branch;
    155 IFLT "iflt" Branch;
    156 IFGE "ifge" Branch;
    157 IFGT "ifgt" Branch;
    158 IFLE "ifle" Branch;
    159 IF_ICMPEQ "if_icmpeq" Branch;
    160 IF_ICMPNE "if_icmpne" Branch;
    161 IF_ICMPLT "if_icmplt" Branch;
    162 IF_ICMPGE "if_icmpge" Branch;
    163 IF_ICMPGT "if_icmpgt" Branch;
    164 IF_ICMPLE "if_icmple" Branch;
    165 IF_ACMPEQ "if_acmpeq" Branch;
    166 IF_ACMPNE "if_acmpne" Branch;
    167 GOTO "goto" Branch;
    168 JSR "jsr" Branch;
    169 RET "ret" Local;
    170 TABLESWITCH "tableswitch" TableSwitch;
    171 LOOKUPSWITCH "lookupswitch" LookupSwitch;
    172 IRETURN "ireturn" Plain;
    173 LRETURN "lreturn" Plain;
    174 FRETURN "freturn" Plain;
    175 DRETURN "dreturn" Plain;
    176 ARETURN "areturn" Plain;
    177 RETURN "return" Plain;
    178 GETSTATIC "getstatic" Pool;
    179 PUTSTATIC "putstatic" Pool;
    180 GETFIELD "getfield" Pool;
    181 PUTFIELD "putfield" Pool;
    182 INVOKEVIRTUAL "invokevirtual" Pool;
    183 INVOKESPECIAL "invokespecial" Pool;
    184 INVOKESTATIC "invokestatic" Pool;
    185 INVOKEINTERFACE "invokeinterface" InvokeInterface;
    186 INVOKEDYNAMIC "invokedynamic" InvokeDynamic;
    187 NEW "new" Pool;
    188 NEWARRAY "newarray" ArrayType;
    189 ANEWARRAY "anewarray" Pool;
    190 ARRAYLENGTH "arraylength" Plain;
    191 ATHROW "athrow" Plain;
    192 CHECKCAST "checkcast" Pool;
    193 INSTANCEOF "instanceof" Pool;
    194 MONITORENTER "monitorenter" Plain;
    195 MONITOREXIT "monitorexit" Plain;
    196 WIDE "wide" Wide;
    197 MULTIANEWARRAY "multianewarray" MultiArray;
    198 IFNULL "ifnull" Branch;
    199 IFNONNULL "ifnonnull" Branch;
    200 GOTO_W "goto_w" WideBranch;
    201 JSR_W "jsr_w" WideBranch;
}
