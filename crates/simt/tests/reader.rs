//! Malformed instructions are refused when a program is loaded; unknown ones only when they are reached.

use warpwise_simt::{LoadError, Program};

fn load(statement: &str) -> Result<Program, LoadError> {
    Program::load(&format!(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{{\n.reg .f32 %f<9>;\n.reg .u32 %r<9>;
         {statement}\nret;\n}}"
    ))
}

#[test]
fn what_the_assembler_refuses_does_not_load() {
    let refused = [
        ("fma.rn.f32 %f4, %f2;", "'fma.rn.f32' takes 4 operands, found 2"),
        ("add.f32 %f1, %r1, %f2;", "operand 2 of 'add.f32' must be a register or constant of type .f32, '%r1' is .u32"),
        ("fma.foo.f32 %f1, %f2, %f3, %f4;", "'fma' has no modifier '.foo'"),
        ("mad.banana.s32 %r1, %r2, %r3, %r4;", "'mad' has no modifier '.banana'"),
    ];
    for (statement, message) in refused {
        match load(statement) {
            Err(LoadError::Syntax(error)) => assert_eq!((error.line, &*error.message), (8, message), "{statement}"),
            other => panic!("{statement}: {other:?}"),
        }
    }
}

#[test]
fn unknown_opcodes_load() {
    assert!(load("frobnicate.rn.f32 %f1, [%r2], {%f3};").is_ok());
}
