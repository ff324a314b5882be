//! `samples/<experiment>.parquet`: every measurement.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, ArrayRef, BooleanArray, Float64Array, Int32Array, Int64Array, RecordBatch, StringArray};
use arrow_schema::{DataType, Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::Compression;
use parquet::file::properties::WriterProperties;

use crate::scope::Scope;
use crate::{MachineError, SAMPLES};

/// One measurement: the mean of a batch of operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// What is timed, such as `ping-pong`.
    pub series: String,
    /// The ranks that were timed.
    pub scope: Scope,
    /// The place on the axis of its curve, such as bytes of a message.
    pub x: i64,
    /// When, ns since the start of the experiment.
    pub at_ns: i64,
    /// Operations in the batch.
    pub operations: i64,
    /// Time of one; of all ranks, that of the slowest.
    pub time_ns: f64,
    /// Of all ranks: the time of the fastest rank.
    pub rank_min_ns: Option<f64>,
    /// Of all ranks: the time of the median rank.
    pub rank_median_ns: Option<f64>,
    /// Whether it belongs to the warm-up.
    pub warm_up: bool,
}

fn schema() -> Schema {
    Schema::new(vec![
        Field::new("series", DataType::Utf8, false),
        Field::new("pair", DataType::Int32, true),
        Field::new("rank", DataType::Int32, true),
        Field::new("x", DataType::Int64, false),
        Field::new("at_ns", DataType::Int64, false),
        Field::new("operations", DataType::Int64, false),
        Field::new("time_ns", DataType::Float64, false),
        Field::new("rank_min_ns", DataType::Float64, true),
        Field::new("rank_median_ns", DataType::Float64, true),
        Field::new("warm_up", DataType::Boolean, false),
    ])
}

/// Writes the samples of an experiment.
///
/// # Errors
///
/// If the file cannot be written.
pub fn write_samples(directory: &Path, experiment: &str, samples: &[Sample]) -> Result<(), MachineError> {
    let folder = directory.join(SAMPLES);
    let path = folder.join(format!("{experiment}.parquet"));
    let failed = |why: &dyn std::fmt::Display| MachineError::Write { path: path.clone(), why: why.to_string() };
    fs::create_dir_all(&folder).map_err(|error| failed(&error))?;
    let columns: Vec<ArrayRef> = vec![
        Arc::new(StringArray::from_iter_values(samples.iter().map(|s| &s.series))),
        Arc::new(Int32Array::from_iter(samples.iter().map(|s| s.scope.pair().map(|pair| pair as i32)))),
        Arc::new(Int32Array::from_iter(samples.iter().map(|s| s.scope.rank()))),
        Arc::new(Int64Array::from_iter_values(samples.iter().map(|s| s.x))),
        Arc::new(Int64Array::from_iter_values(samples.iter().map(|s| s.at_ns))),
        Arc::new(Int64Array::from_iter_values(samples.iter().map(|s| s.operations))),
        Arc::new(Float64Array::from_iter_values(samples.iter().map(|s| s.time_ns))),
        Arc::new(Float64Array::from_iter(samples.iter().map(|s| s.rank_min_ns))),
        Arc::new(Float64Array::from_iter(samples.iter().map(|s| s.rank_median_ns))),
        Arc::new(BooleanArray::from_iter(samples.iter().map(|s| Some(s.warm_up)))),
    ];
    let schema = Arc::new(schema());
    let batch = RecordBatch::try_new(schema.clone(), columns).map_err(|error| failed(&error))?;
    let properties = WriterProperties::builder()
        .set_compression(Compression::LZ4_RAW)
        .set_created_by(format!("mpiscope {}", env!("CARGO_PKG_VERSION")))
        .build();
    let file = File::create(&path).map_err(|error| failed(&error))?;
    let mut writer = ArrowWriter::try_new(file, schema, Some(properties)).map_err(|error| failed(&error))?;
    writer.write(&batch).map_err(|error| failed(&error))?;
    writer.close().map_err(|error| failed(&error))?;
    Ok(())
}

/// Reads the samples of an experiment.
///
/// # Errors
///
/// If the file cannot be read, is not valid Parquet, or lacks a column.
pub fn read_samples(directory: &Path, experiment: &str) -> Result<Vec<Sample>, MachineError> {
    let path = directory.join(SAMPLES).join(format!("{experiment}.parquet"));
    let damaged = |why: &dyn std::fmt::Display| MachineError::Damaged { path: path.clone(), why: why.to_string() };
    let file = File::open(&path).map_err(|error| MachineError::Read { path: path.clone(), why: error.to_string() })?;
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| damaged(&error))?;
    let wanted = schema();
    for field in wanted.fields() {
        let found = reader.schema().field_with_name(field.name()).ok();
        if found.is_none_or(|found| found.data_type() != field.data_type()) {
            return Err(damaged(&format!("it has no column {} of {}", field.name(), field.data_type())));
        }
    }
    let mut samples = Vec::new();
    for batch in reader.build().map_err(|error| damaged(&error))? {
        let batch = batch.map_err(|error| damaged(&error))?;
        let column =
            |name: &str| batch.column_by_name(name).ok_or_else(|| damaged(&format!("it has no column {name}")));
        let (series, pair, rank) = (column("series")?, column("pair")?, column("rank")?);
        let (x, at, operations) = (column("x")?, column("at_ns")?, column("operations")?);
        let (time, warm_up) = (column("time_ns")?, column("warm_up")?);
        let (rank_min, rank_median) = (column("rank_min_ns")?, column("rank_median_ns")?);
        let index = |of: &ArrayRef, row: usize| of.is_valid(row).then(|| of.as_primitive::<Int32Type>().value(row));
        let ns = |of: &ArrayRef, row: usize| of.is_valid(row).then(|| of.as_primitive::<Float64Type>().value(row));
        for row in 0..batch.num_rows() {
            let pair = match index(pair, row) {
                Some(pair) => Some(usize::try_from(pair).map_err(|_| damaged(&"a pair is negative"))?),
                None => None,
            };
            let scope = Scope::from_columns(pair, index(rank, row));
            samples.push(Sample {
                series: series.as_string::<i32>().value(row).to_owned(),
                scope: scope.ok_or_else(|| damaged(&"a sample has both a pair and a rank"))?,
                x: x.as_primitive::<Int64Type>().value(row),
                at_ns: at.as_primitive::<Int64Type>().value(row),
                operations: operations.as_primitive::<Int64Type>().value(row),
                time_ns: time.as_primitive::<Float64Type>().value(row),
                rank_min_ns: ns(rank_min, row),
                rank_median_ns: ns(rank_median, row),
                warm_up: warm_up.as_boolean().value(row),
            });
        }
    }
    Ok(samples)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples() -> Vec<Sample> {
        let sample = |at: i64| Sample {
            series: if at % 2 == 0 { "ping-pong" } else { "exchange" }.into(),
            scope: [Scope::Pair(1), Scope::Rank(3), Scope::All][at as usize % 3],
            x: 8 << at,
            at_ns: 1000 * at,
            operations: 7,
            time_ns: 0.5 + at as f64,
            rank_min_ns: (at % 3 == 2).then_some(0.25),
            rank_median_ns: (at % 3 == 2).then_some(0.375),
            warm_up: at < 2,
        };
        (0..20).map(sample).collect()
    }

    #[test]
    fn what_is_written_is_read() {
        let dir = tempfile::tempdir().unwrap();
        write_samples(dir.path(), "pingpong", &samples()).unwrap();
        assert_eq!(read_samples(dir.path(), "pingpong").unwrap(), samples());
        write_samples(dir.path(), "empty", &[]).unwrap();
        assert!(read_samples(dir.path(), "empty").unwrap().is_empty());
    }

    #[test]
    fn bad_input_is_a_clear_error() {
        let dir = tempfile::tempdir().unwrap();
        let error = |name: &str| read_samples(dir.path(), name).unwrap_err().to_string();
        assert!(error("pingpong").starts_with("cannot read "), "{}", error("pingpong"));
        write_samples(dir.path(), "pingpong", &samples()).unwrap();
        let file = dir.path().join("samples/pingpong.parquet");
        let bytes = fs::read(&file).unwrap();
        for end in [0, 4, bytes.len() / 2, bytes.len() - 1] {
            fs::write(&file, &bytes[..end]).unwrap();
            assert!(error("pingpong").contains("is damaged"), "{end}: {}", error("pingpong"));
        }
    }
}
