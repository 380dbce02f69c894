//! Every file of `in/` as the module it is read into, in `out/`.

mod common;

#[test]
fn files() {
    let mut settings = insta::Settings::clone_current();
    settings.set_snapshot_path("out");
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.bind(|| {
        for (name, text) in common::corpus() {
            match warpwise_ptx::parse(&text) {
                Ok(module) => insta::assert_snapshot!(name, common::show(&module)),
                Err(error) => panic!("{name}: {error}"),
            }
        }
    });
}
