//! The exercises, as they are in the folder `course`.

/// The files of an exercise.
pub(super) struct Files {
    /// Its folder.
    pub(super) folder: &'static str,
    /// Title, task, hints and mistakes.
    pub(super) lesson: &'static str,
    /// What a student gets, by name: the file to mend, the launch file, and what that reads.
    pub(super) given: &'static [(&'static str, &'static str)],
}

macro_rules! text {
    ($folder:literal, $name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../course/", $folder, "/", $name))
    };
}

macro_rules! exercises {
    ($($folder:literal $($data:literal)*,)*) => {
        &[$(Files {
            folder: $folder,
            lesson: text!($folder, "lesson.toml"),
            given: &[
                ("exercise.cu", text!($folder, "exercise.cu")),
                ("launches.toml", text!($folder, "launches.toml")),
                $(($data, text!($folder, $data)),)*
            ],
        },)*]
    };
}

/// All exercises, in order.
pub(super) const EXERCISES: &[Files] = exercises! {
    "01-hello",
    "02-guard",
    "03-coalescing",
    "04-divergence",
    "05-tile",
    "06-halo",
    "07-banks",
    "08-reduction",
    "09-atomics" "values.csv",
    "10-scan",
    "11-back-edge",
    "12-occupancy",
    "13-shuffles",
    "14-matmul" "a.csv" "b.csv" "c.csv",
};
