//! Linking: what is kept, what is renamed, and what cannot be linked.

use warpwise_ptx::ast::{Initializer, Linkage, Module, Operand, Symbol};
use warpwise_ptx::{LinkError, link, parse, verify};

const HEAD: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

fn linked(texts: &[&str]) -> (String, Module) {
    let texts: Vec<String> = texts.iter().map(|text| format!("{HEAD}{text}")).collect();
    whole(&texts.iter().map(String::as_str).collect::<Vec<_>>())
}

fn whole(texts: &[&str]) -> (String, Module) {
    let text = link(texts).unwrap_or_else(|error| panic!("{error}"));
    let module = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    verify(&text, &module).unwrap_or_else(|error| panic!("{error}\n{text}"));
    (text, module)
}

fn error(texts: &[&str]) -> LinkError {
    let texts: Vec<String> = texts.iter().map(|text| format!("{HEAD}{text}")).collect();
    link(&texts.iter().map(String::as_str).collect::<Vec<_>>()).unwrap_err()
}

/// The names of the module that a function refers to.
fn uses(module: &Module, function: &str) -> Vec<String> {
    let body = module.function(function).and_then(|it| it.body.as_ref()).expect("it is defined");
    let operands = body.instructions.iter().flat_map(|instruction| &instruction.operands);
    let names = operands.filter_map(|operand| match operand {
        Operand::Symbol(Symbol::Module(name), _) => Some(name.to_string()),
        _ => None,
    });
    names.collect()
}

#[test]
fn what_is_external_is_found() {
    let (_, module) = linked(&[
        ".extern .func (.param .b32 r) next(.param .b32 x);
         .extern .global .u32 count[4];
         .visible .entry k() { .reg .b64 %rd<2>; mov.u64 %rd1, count; call.uni next_of; ret; }
         .func next_of() { ret; }",
        ".visible .global .u32 count[4] = {1, 2, 3, 4};
         .visible .func (.param .b32 r) next(.param .b32 y) { st.param.b32 [r], 7; ret; }",
    ]);
    let next = module.function("next").unwrap();
    assert!(next.body.is_some() && next.linkage == Linkage::Visible);
    let count = module.variable("count").unwrap();
    assert_eq!((count.linkage, count.size, count.init.len()), (Linkage::Visible, 16, 1));
    assert_eq!(uses(&module, "k"), ["count", "next_of"]);
    assert_eq!(module.entries().count(), 1);
}

#[test]
fn functions_are_declared_before_they_are_used() {
    let (text, _) = linked(&[
        ".extern .func far();
         .visible .entry k() { call.uni far; ret; }",
        ".visible .func far() { ret; }",
    ]);
    let declared = text.find(".visible .func far();").expect("with the header of the definition");
    assert!(declared < text.find(".entry k").unwrap());
    assert!(!text.contains(".extern"), "{text}");
}

#[test]
fn a_definition_gets_the_result_that_its_callers_expect() {
    let caller = format!(
        "{HEAD}.extern .func (.param .b32 back) set(.param .b64 at);\n\
         .visible .entry go()\n{{\n.reg .b32 %r<2>;\n{{\n.param .b64 at;\n.param .b32 back;\n\
         call.uni (back), set, (at);\nld.param.b32 %r1, [back];\n}}\nret;\n}}\n"
    );
    let callee = format!("{HEAD}.visible .func set(.param .b64 at)\n{{\nret;\n}}\n");
    for texts in [[&*caller, &callee], [&callee, &caller]] {
        let (text, _) = whole(&texts);
        assert_eq!(text.matches(".visible .func (.param .b32 back) set(.param .b64 at)").count(), 2, "{text}");
    }
}

#[test]
fn a_result_that_a_caller_does_not_know_of_is_not_taken() {
    // The text of the definition calls it as it is; another declares a result; a third declares none of one that has it.
    let definitions = ".visible .func set() { ret; }
         .visible .func (.param .b32 r) get() { st.param.b32 [r], 7; ret; }
         .visible .func twice() { .reg .pred %p; call set; @%p call.uni set; ret; }";
    let expects = ".extern .func (.param .b32 back) set();
         .visible .func one() { .param .b32 back; call.uni (back), set; ret; }";
    let ignores = ".extern .func get();
         .func set() { ret; }
         .visible .func two() { call.uni get; call.uni set; ret; }";
    for order in [[definitions, expects, ignores], [ignores, expects, definitions]] {
        let (text, module) = linked(&order);
        assert_eq!(module.function("set").map(|it| it.returns.len()), Some(1), "{text}");
        assert_eq!(module.function("get").map(|it| it.returns.len()), Some(1), "{text}");
        for call in ["call (_), set;", "@%p call.uni (_), set;", "call.uni (_), get;"] {
            assert!(text.contains(call), "{call} in {text}");
        }
        assert!(text.contains("call.uni (back), set;"), "{text}");
        assert!(text.contains("call.uni set__1;"), "its own function has none: {text}");
    }
}

#[test]
fn one_of_the_weak_is_kept() {
    let weak = |value: u32| {
        format!(
            ".weak .func tool() {{ .reg .b32 %r; mov.u32 %r, {value}; ret; }} .weak .global .u32 setting = {value};"
        )
    };
    let strong = weak(3).replace(".weak", ".visible");
    let value = |texts: &[&str]| {
        let (_, module) = linked(texts);
        let body = module.function("tool").and_then(|it| it.body.clone()).unwrap();
        let Initializer::Bytes { bytes, .. } = &module.variable("setting").unwrap().init[0] else { panic!("a number") };
        (body.instructions[0].operands[1].clone(), bytes[0])
    };
    let (one, two) = (weak(1), weak(2));
    assert_eq!(value(&[&one, &two]), (Operand::Integer(1), 1), "the first");
    assert_eq!(value(&[&one, &strong, &two]), (Operand::Integer(3), 3), "a strong one before any weak one");
    let need = ".extern .func tool(); .extern .global .u32 setting;";
    assert_eq!(value(&[need, &two]), (Operand::Integer(2), 2));
}

#[test]
fn the_largest_of_the_common_is_kept() {
    let (_, module) =
        linked(&[".common .global .b8 room[16];", ".common .global .b8 room[64];", ".common .global .b8 room[32];"]);
    assert_eq!(module.variables.iter().map(|it| it.size).collect::<Vec<_>>(), [64]);
}

#[test]
fn own_names_are_made_unique() {
    let text = |value: u32, kernel: &str| {
        format!(
            ".global .align 1 .b8 $str[2] = {{{value}, 0}};
             .global .u32 state;
             .func helper() {{ .reg .b64 %rd<2>; mov.u64 %rd1, $str; mov.u64 %rd1, state; ret; }}
             .visible .entry {kernel}() {{ call.uni helper; ret; }}"
        )
    };
    let (a, b) = (text(65, "a"), text(66, "b"));
    let (_, module) = linked(&[&a, &b, ".visible .global .u32 state = 5;"]);
    let names: Vec<&str> = module.variables.iter().map(|it| &*it.name).collect();
    assert_eq!(names, ["$str", "state__1", "$str__1", "state__2", "state"], "a name that all see stays");
    assert_eq!(uses(&module, "a"), ["helper"]);
    assert_eq!(uses(&module, "b"), ["helper__1"]);
    assert_eq!(uses(&module, "helper__1"), ["$str__1", "state__2"]);
}

#[test]
fn a_name_of_its_own_does_not_define_that_of_another() {
    let own = ".func tool() { ret; } .visible .entry a() { call.uni tool; ret; }";
    let need = ".extern .func tool(); .visible .entry b() { call.uni tool; ret; }";
    assert_eq!(error(&[own, need]).to_string(), "undefined reference to 'tool' in input 2");
    let (_, module) = linked(&[own, need, ".visible .func tool() { ret; }"]);
    assert_eq!((uses(&module, "a"), uses(&module, "b")), (vec!["tool__1".to_owned()], vec!["tool".to_owned()]));
}

#[test]
fn opcodes_and_registers_are_not_names() {
    let text = |kernel: &str| {
        format!(
            ".func add() {{ ret; }} .func p() {{ ret; }} .func r() {{ ret; }}
             .visible .entry {kernel}()
             {{
                 .reg .b32 r<3>; .reg .pred p;
                 mov.u32 r1, 1;
                 {{ setp.eq.u32 p, r1, 1; }}
             add: @!p add.u32 r2, r1, r1;
                 @p add.u32 r2, r1, r1;
                 @p bra add;
                 call.uni r;
                 ret;
             }}"
        )
    };
    let (_, module) = linked(&[&text("a"), &text("b")]);
    assert_eq!(uses(&module, "b"), ["r__1"]);
    let opcodes = |name: &str| {
        let body = module.function(name).unwrap().body.as_ref().unwrap();
        body.instructions.iter().map(|it| it.opcode.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(opcodes("a"), opcodes("b"));
    assert!(module.function("add__1").is_some() && module.function("p__1").is_some());
}

#[test]
fn dynamic_shared_memory_is_one_piece() {
    let text = |align: u32, kernel: &str| {
        format!(
            ".extern .shared .align {align} .b8 room[];
             .visible .entry {kernel}() {{ .reg .b32 %r; mov.u32 %r, room; ret; }}"
        )
    };
    let (_, module) = linked(&[&text(4, "a"), &text(16, "b"), &text(8, "c")]);
    let [room] = &module.variables[..] else { panic!("{:?}", module.variables) };
    assert_eq!((&*room.name, room.align, room.size, room.linkage), ("room", 16, 0, Linkage::Extern));
}

#[test]
fn what_the_driver_provides_stays_external() {
    let (_, module) = linked(&[
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
         .extern .func (.param .b64 h) cudaCGGetIntrinsicHandle(.param .b32 s);",
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
         .extern .func (.param .b32 r) __cudaCDP2LaunchDeviceV2(.param .b64 b, .param .b64 s);",
    ]);
    let names: Vec<_> = module.functions.iter().map(|it| (&*it.name, it.linkage)).collect();
    let expected = ["vprintf", "cudaCGGetIntrinsicHandle", "__cudaCDP2LaunchDeviceV2"];
    assert_eq!(names, expected.map(|name| (name, Linkage::Extern)));
}

#[test]
fn variables_follow_what_they_point_to() {
    let (text, module) = linked(&[
        ".extern .global .u32 target;
         .visible .func f() { ret; }
         .visible .global .u64 table[2] = {target, f}, other = 3;",
        ".extern .global .u64 table[2];
         .visible .global .u32 target = 1;
         .visible .global .u64 ring = generic(table);",
    ]);
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} in {text}"));
    assert!(place("func f()") < place("target = 1"));
    assert!(place("target = 1") < place("table[2] = ") && place("table[2] = ") < place("ring ="));
    assert_eq!(module.variable("other").unwrap().init.len(), 1);
}

#[test]
fn of_a_ring_one_is_declared_first() {
    let (text, module) = linked(&[
        ".extern .global .align 8 .u64 b[2]; .visible .global .align 8 .u64 a = generic(b);",
        ".extern .global .align 8 .u64 a; .visible .global .align 8 .u64 b[2] = {generic(a), 7};",
    ]);
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("{what} in {text}"));
    assert!(place(".extern .global .align 8 .u64 a;") < place("b[2] = {"), "{text}");
    assert!(module.variables.iter().all(|it| it.linkage == Linkage::Visible && !it.init.is_empty()));
}

#[test]
fn lines_keep_their_files() {
    let text = |kernel: &str, first: &str, second: &str| {
        format!(
            "{HEAD}
             .visible .entry {kernel}()
             {{
                 .loc 1 10 3
                 trap;
                 .loc 2 20 5, function_name $L__info_string0, inlined_at 1 11 7
                 ret;
             }}
             .file 1 \"{first}\"
             .file 2 \"{second}\", 1700000000, 42
             .section .debug_str
             {{
             $L__info_string0:
                 .b8 95, 90, 0
             }}
             .section .debug_info {{ .b32 .debug_abbrev }}"
        )
    };
    let (a, b) = (text("a", "a.cu", "both.h"), text("b", "b.cu", "both.h").replace("sm_80", "sm_80, debug"));
    let (text, module) = whole(&[&a, &b]);
    let files: Vec<_> = module.files.iter().map(|file| (file.index, &*file.path)).collect();
    assert_eq!(files, [(1, "a.cu"), (2, "both.h"), (3, "b.cu")]);
    let lines = |name: &str| {
        let body = module.function(name).unwrap().body.as_ref().unwrap();
        let place = |it: &warpwise_ptx::ast::SourceLine| (it.file, it.line);
        let instructions = body.instructions.iter();
        instructions.map(|it| (place(&it.line.unwrap()), it.inlined_at.first().map(place))).collect::<Vec<_>>()
    };
    assert_eq!(lines("a"), [((1, 10), None), ((2, 20), Some((1, 11)))]);
    assert_eq!(lines("b"), [((3, 10), None), ((2, 20), Some((3, 11)))]);
    assert!(text.contains("function_name $L__info_string0__1") && text.contains("$L__info_string0__1:"), "{text}");
    assert!(!text.contains("debug_info") && module.target.options.is_empty());
    assert_eq!(text.matches(".section").count(), 1);
}

#[test]
fn the_highest_headers_are_kept() {
    let text = |version: &str, target: &str, name: &str| {
        format!(".version {version}\n.target {target}\n.address_size 64\n.visible .entry {name}() {{ ret; }}")
    };
    let headers = |texts: &[&str]| {
        let (_, module) = whole(texts);
        (module.version, module.target.arch.to_string(), module.target.options.len())
    };
    let (a, b, c) =
        (text("8.0", "sm_90a", "a"), text("9.0", "sm_80, texmode_independent", "b"), text("7.8", "sm_90", "c"));
    assert_eq!(headers(&[&a, &b, &c]), ((9, 0), "sm_90a".to_owned(), 1));
    assert_eq!(headers(&[&c, &text("8.6", "sm_100", "d")]), ((8, 6), "sm_100".to_owned(), 0));
    let narrow = a.replace("64", "32");
    assert_eq!(link(&[&c, &narrow]).unwrap_err(), LinkError::AddressSize { first: 0, second: 1 });
}

#[test]
fn a_text_by_itself_stays_as_it_is() {
    let text = format!("// made by hand\n{HEAD}.func own() {{ ret; }}\n.visible .entry k() {{ call.uni own; ret; }}\n");
    assert_eq!(link(&[&text]).as_deref(), Ok(text.as_str()));
    assert_eq!(link(&[]), Err(LinkError::Nothing));
}

#[test]
fn what_cannot_be_linked_is_named() {
    let function = ".visible .func f() { ret; }";
    assert_eq!(error(&[function, "", function]).to_string(), "'f' is defined in input 1 and again in input 3");
    let variable = ".visible .global .u32 f;";
    assert!(matches!(error(&[function, variable]), LinkError::Kind { first: 0, second: 1, .. }));
    let needs = ".extern .func g(); .extern .global .u32 x;";
    let undefined = "undefined reference to 'g' in input 2\nundefined reference to 'x' in input 2";
    assert_eq!(error(&[function, needs, needs]).to_string(), undefined);
    let wrong = error(&[function, ".visible .func {"]).to_string();
    assert!(wrong.starts_with("input 2: line 4, column"), "{wrong}");
}

#[test]
fn aliases_are_kept_once() {
    let text = ".weak .func made() { ret; } .weak .func same(); .alias same, made;";
    let (_, module) = linked(&[text, text, ".visible .entry k() { ret; }"]);
    assert_eq!(module.aliases.len(), 1);
    assert!(module.callee("same").is_some_and(|it| it.body.is_some()));
}

#[test]
fn nothing_of_the_corpus_is_lost() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/in");
    let none = format!("{HEAD}.visible .entry none_of_them() {{ ret; }}");
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let before = parse(&text).unwrap();
        let linked = match link(&[&text, &none]) {
            Ok(linked) => linked,
            Err(LinkError::Undefined { .. } | LinkError::AddressSize { .. }) => continue,
            Err(other) => panic!("{}: {other}", path.display()),
        };
        let after = parse(&linked).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let code = |module: &Module| -> Vec<(String, Vec<String>)> {
            let defined = module.functions.iter().filter_map(|it| Some((it, it.body.as_ref()?)));
            let mut code: Vec<_> = defined
                .filter(|(it, _)| &*it.name != "none_of_them")
                .map(|(it, body)| {
                    (
                        it.name.to_string(),
                        body.instructions.iter().map(|i| format!("{:?}{:?}", i.opcode, i.operands)).collect(),
                    )
                })
                .collect();
            code.sort();
            code
        };
        assert_eq!(code(&before), code(&after), "{}", path.display());
        assert_eq!(before.variables.len(), after.variables.len(), "{}", path.display());
    }
}

/// Texts with a piece removed or doubled: most are refused, and none makes the linker panic.
#[test]
fn changed_texts_never_panic() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/in");
    let none = format!("{HEAD}.visible .entry none_of_them() {{ ret; }}");
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = |limit: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % limit.max(1) as u64) as usize
    };
    let mut accepted = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let text = std::fs::read_to_string(entry.unwrap().path()).unwrap();
        let words: Vec<&str> = text.split_inclusive([' ', '\n', ';', ',', '(', '{']).collect();
        for _ in 0..150 {
            let (from, count, to) = (random(words.len()), random(4), random(words.len()));
            let piece = &words[from..words.len().min(from + count)];
            let mut changed = words.clone();
            match random(3) {
                0 => drop(changed.drain(from..from + piece.len())),
                1 => drop(changed.splice(to..to, piece.iter().copied())),
                _ => changed.swap(from, to),
            }
            if let Ok(linked) = link(&[&changed.concat(), &none]) {
                parse(&linked).unwrap_or_else(|error| panic!("{error}"));
                accepted += 1;
            }
        }
    }
    assert!(accepted > 100, "{accepted}");
}

#[test]
fn objects_of_a_compiler_are_linked() {
    let file =
        |name: &str| std::fs::read_to_string(format!("{}/tests/link/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let (a, b) = (file("objects_a.ptx"), file("objects_b.ptx"));
    let undefined = link(&[&a]).unwrap_err().to_string();
    assert!(undefined.starts_with("undefined reference to '_Z3fari' in input 1"), "{undefined}");
    let (_, module) = whole(&[&a, &b]);
    let defined = |name: &str| module.function(name).is_some_and(|it| it.body.is_some());
    assert!(["_Z5firstPi", "_Z6secondPi", "_Z3fari", "_Z3inli", "_Z4tmplIiET_S0_"].into_iter().all(defined));
    assert_eq!(module.entries().count(), 2);
    let owned = module.variables.iter().filter(|it| it.name.contains("own")).count();
    assert_eq!(owned, 2, "each has its own");
    let paths: Vec<&str> = module.files.iter().map(|file| &*file.path).collect();
    assert_eq!(paths, ["objects.h", "objects_a.cu", "objects_b.cu"]);
    let far = module.function("_Z3fari").and_then(|it| it.body.as_ref()).unwrap();
    assert_eq!(far.instructions[0].line.and_then(|line| module.file(line.file)), Some("objects_b.cu"));
}
