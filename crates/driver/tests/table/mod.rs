//! Reads and runs a table of calls: see `calls.txt`.

use std::collections::HashMap;
use std::ffi::CString;

/// A function of the API, with as many arguments as any has.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

/// What a table has named so far.
#[derive(Default)]
pub(crate) struct Run {
    variables: HashMap<String, Box<u64>>,
    texts: HashMap<String, CString>,
    /// Structs, arrays and buffers, which live as long as the run.
    kept: Vec<Box<[u64]>>,
    strings: Vec<CString>,
}

impl Run {
    /// Runs a whole table; every line that gives something else than it says is told.
    pub(crate) fn table(&mut self, table: &str, find: impl Fn(&str) -> Option<usize>) -> (usize, Vec<String>) {
        let (mut calls, mut wrong) = (0, Vec::new());
        let mut lines = table.lines().enumerate();
        while let Some((number, line)) = lines.next() {
            if let Some(name) = line.strip_prefix("text ") {
                let body: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "end").collect();
                self.texts.insert(name.to_owned(), CString::new(body.join("\n")).expect("no NUL"));
                continue;
            }
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            calls += 1;
            if let Err(message) = self.line(line, &find) {
                wrong.push(format!("line {}: {message}\n    {line}", number + 1));
            }
        }
        (calls, wrong)
    }

    fn line(&mut self, line: &str, find: &impl Fn(&str) -> Option<usize>) -> Result<(), String> {
        let (call, checks) = line.split_once(" => ").unwrap_or((line, ""));
        let mut words = split(call);
        let codes: Vec<u32> = words.remove(0).split('|').map(|code| code.parse().expect("a code")).collect();
        let name = words.remove(0);
        let address = find(&name).ok_or_else(|| format!("there is no {name}"))?;
        let mut arguments = [0; 12];
        for (place, word) in arguments.iter_mut().zip(&words) {
            *place = self.argument(word);
        }
        let [a, b, c, d, e, f, g, h, i, j, k, l] = arguments;
        // SAFETY: the address of a function of the API. Functions with fewer arguments ignore the others, by the C
        // calling conventions of the machines that this runs on; the table gives each what it documents.
        let code = unsafe {
            let function = std::mem::transmute::<usize, Function>(address);
            function(a, b, c, d, e, f, g, h, i, j, k, l)
        };
        if !codes.contains(&code) {
            return Err(format!("returned {code}"));
        }
        for check in checks.split_whitespace() {
            let (at, operator) =
                ["==", "!=", ">="].iter().find_map(|o| check.find(o).map(|at| (at, *o))).expect("a check");
            let value = *self.variables[&check[..at]];
            let wanted = number(&check[at + 2..]);
            let holds = match operator {
                "==" => value == wanted,
                "!=" => value != wanted,
                _ => value >= wanted,
            };
            if !holds {
                return Err(format!("{} is {value}", &check[..at]));
            }
        }
        Ok(())
    }

    fn argument(&mut self, word: &str) -> u64 {
        if word == "null" {
            return 0;
        }
        if let Some(text) = word.strip_prefix('"') {
            self.strings.push(CString::new(text.trim_end_matches('"')).expect("no NUL"));
            return self.strings[self.strings.len() - 1].as_ptr() as u64;
        }
        if let Some(named) = word.strip_prefix('&') {
            let (kind, name) = named.split_once(':').expect("&TYPE:NAME");
            let variable = self.variables.entry(name.to_owned()).or_default();
            if kind != "u64" {
                // Only its lower half will be written.
                **variable &= 0xffff_ffff;
            }
            return &raw mut **variable as u64;
        }
        if let Some(named) = word.strip_prefix('$') {
            let (name, more) = named.split_once('+').unwrap_or((named, "0"));
            return *self.variables[name] + number(more);
        }
        if let Some(name) = word.strip_prefix('@') {
            return self.texts[name].as_ptr() as u64;
        }
        if let Some(bytes) = word.strip_prefix("buffer:") {
            return self.keep(vec![0; (number(bytes) as usize).div_ceil(8)]);
        }
        if let Some(fields) = word.strip_prefix('{') {
            return self.fields(fields.trim_end_matches('}'));
        }
        if let Some(items) = word.strip_prefix('[') {
            let items = split(&items[..items.len() - 1].replace(',', " "));
            let values = items.iter().map(|item| self.argument(item)).collect();
            return self.keep(values);
        }
        number(word)
    }

    fn fields(&mut self, fields: &str) -> u64 {
        let mut bytes: Vec<u8> = Vec::new();
        for field in fields.split(',') {
            let (kind, value) = field.trim().split_once(' ').expect("TYPE VALUE");
            let size = if kind == "u32" { 4 } else { 8 };
            bytes.resize(bytes.len().next_multiple_of(size), 0);
            let value = self.argument(value);
            bytes.extend_from_slice(&value.to_le_bytes()[..size]);
        }
        bytes.resize(bytes.len().next_multiple_of(8), 0);
        let words = bytes.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")));
        self.keep(words.collect())
    }

    fn keep(&mut self, words: Vec<u64>) -> u64 {
        let mut words: Box<[u64]> = words.into();
        let address = words.as_mut_ptr() as u64;
        self.kept.push(words);
        address
    }
}

/// Words, of which strings, structs and arrays are one each.
fn split(call: &str) -> Vec<String> {
    let (mut words, mut word, mut depth, mut quoted) = (Vec::new(), String::new(), 0, false);
    for c in call.chars() {
        match c {
            '"' => quoted = !quoted,
            '{' | '[' if !quoted => depth += 1,
            '}' | ']' if !quoted => depth -= 1,
            _ => {}
        }
        if c == ' ' && depth == 0 && !quoted {
            words.push(std::mem::take(&mut word));
        } else {
            word.push(c);
        }
    }
    words.push(word);
    words.retain(|word| !word.is_empty());
    words
}

fn number(text: &str) -> u64 {
    match (text.strip_prefix("0x"), text.strip_prefix('-')) {
        (Some(digits), _) => u64::from_str_radix(digits, 16).expect("a number"),
        (_, Some(digits)) => digits.parse::<u64>().expect("a number").wrapping_neg(),
        _ => text.parse().unwrap_or_else(|_| panic!("{text} is no number")),
    }
}
