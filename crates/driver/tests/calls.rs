//! The table of calls, on the functions of this crate. A process of its own: it begins before `cuInit`.

mod table;

#[test]
fn every_call_returns_its_code() {
    let mut run = table::Run::default();
    let (calls, wrong) = run.table(include_str!("calls.txt"), warpwise_driver::address_of);
    assert!(calls >= 120, "{calls} calls");
    assert!(wrong.is_empty(), "{} of {calls}:\n{}", wrong.len(), wrong.join("\n"));
}
