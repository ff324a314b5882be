//! `samples/<experiment>.parquet`: every measurement.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::TypePtr;

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

/// The columns, in the order in which they are written and read.
const SCHEMA: &str = "message sample {
    required binary series (STRING);
    optional int32 pair;
    optional int32 rank;
    required int64 x;
    required int64 at_ns;
    required int64 operations;
    required double time_ns;
    optional double rank_min_ns;
    optional double rank_median_ns;
    required boolean warm_up;
}";

fn schema() -> Result<TypePtr, ParquetError> {
    parse_message_type(SCHEMA).map(Arc::new)
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
    let write = || -> Result<(), ParquetError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::LZ4_RAW)
            .set_created_by(format!("mpiscope {}", env!("CARGO_PKG_VERSION")))
            .build();
        let mut file = SerializedFileWriter::new(File::create(&path)?, schema()?, Arc::new(properties))?;
        let mut to = file.next_row_group()?;
        let rank = |s: &Sample| s.scope.rank();
        write_column::<ByteArrayType>(&mut to, samples, |s| ByteArray::from(s.series.as_str()))?;
        write_optional::<Int32Type>(&mut to, samples, |s| s.scope.pair().map(|pair| pair as i32))?;
        write_optional::<Int32Type>(&mut to, samples, rank)?;
        write_column::<Int64Type>(&mut to, samples, |s| s.x)?;
        write_column::<Int64Type>(&mut to, samples, |s| s.at_ns)?;
        write_column::<Int64Type>(&mut to, samples, |s| s.operations)?;
        write_column::<DoubleType>(&mut to, samples, |s| s.time_ns)?;
        write_optional::<DoubleType>(&mut to, samples, |s| s.rank_min_ns)?;
        write_optional::<DoubleType>(&mut to, samples, |s| s.rank_median_ns)?;
        write_column::<BoolType>(&mut to, samples, |s| s.warm_up)?;
        to.close()?;
        file.close().map(drop)
    };
    write().map_err(|error| failed(&error))
}

type Group<'a> = SerializedRowGroupWriter<'a, File>;

fn write_column<T: DataType>(
    to: &mut Group<'_>,
    samples: &[Sample],
    value: impl Fn(&Sample) -> T::T,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = samples.iter().map(value).collect();
    write_next::<T>(to, &values, None)
}

fn write_optional<T: DataType>(
    to: &mut Group<'_>,
    samples: &[Sample],
    value: impl Fn(&Sample) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let levels: Vec<i16> = samples.iter().map(|s| value(s).is_some().into()).collect();
    let values: Vec<T::T> = samples.iter().filter_map(value).collect();
    write_next::<T>(to, &values, Some(&levels))
}

fn write_next<T: DataType>(to: &mut Group<'_>, values: &[T::T], levels: Option<&[i16]>) -> Result<(), ParquetError> {
    let Some(mut column) = to.next_column()? else {
        return Err(ParquetError::General("the schema has fewer columns".into()));
    };
    column.typed::<T>().write_batch(values, levels, None)?;
    column.close()
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
    let reader = SerializedFileReader::new(file).map_err(|error| damaged(&error))?;
    let found = reader.metadata().file_metadata().schema();
    let wanted = schema().map_err(|error| damaged(&error))?;
    for (at, column) in wanted.get_fields().iter().enumerate() {
        if found.get_fields().get(at) != Some(column) {
            let kind = column.get_physical_type();
            return Err(damaged(&format!("it has no column {} of {kind} in place {at}", column.name())));
        }
    }
    let mut samples = Vec::new();
    for group in 0..reader.num_row_groups() {
        let of_group = reader.get_row_group(group).and_then(|group| read_group(&*group));
        for row in of_group.map_err(|error| damaged(&error))? {
            samples.push(row.map_err(|why| damaged(&why))?);
        }
    }
    Ok(samples)
}

/// The samples of a row group; a text where one makes no sense.
fn read_group(from: &dyn RowGroupReader) -> Result<Vec<Result<Sample, &'static str>>, ParquetError> {
    let mut series = read_column::<ByteArrayType>(from, 0)?.into_iter();
    let mut pair = read_column::<Int32Type>(from, 1)?.into_iter();
    let mut rank = read_column::<Int32Type>(from, 2)?.into_iter();
    let mut x = read_column::<Int64Type>(from, 3)?.into_iter();
    let mut at_ns = read_column::<Int64Type>(from, 4)?.into_iter();
    let mut operations = read_column::<Int64Type>(from, 5)?.into_iter();
    let mut time_ns = read_column::<DoubleType>(from, 6)?.into_iter();
    let mut rank_min_ns = read_column::<DoubleType>(from, 7)?.into_iter();
    let mut rank_median_ns = read_column::<DoubleType>(from, 8)?.into_iter();
    let mut warm_up = read_column::<BoolType>(from, 9)?.into_iter();
    let mut sample = || {
        let pair = pair.next().flatten().map(usize::try_from).transpose().map_err(|_| "a pair is negative")?;
        let scope = Scope::from_columns(pair, rank.next().flatten()).ok_or("a sample has both a pair and a rank")?;
        let mut all = || {
            Some(Sample {
                series: series.next()??.as_utf8().ok()?.to_owned(),
                scope,
                x: x.next()??,
                at_ns: at_ns.next()??,
                operations: operations.next()??,
                time_ns: time_ns.next()??,
                rank_min_ns: rank_min_ns.next()?,
                rank_median_ns: rank_median_ns.next()?,
                warm_up: warm_up.next()??,
            })
        };
        all().ok_or("its columns have different lengths")
    };
    Ok((0..from.metadata().num_rows()).map(|_| sample()).collect())
}

fn read_column<T: DataType>(from: &dyn RowGroupReader, column: usize) -> Result<Vec<Option<T::T>>, ParquetError> {
    let mut reader = get_typed_column_reader::<T>(from.get_column_reader(column)?);
    let is_optional = from.metadata().column(column).column_descr().max_def_level() > 0;
    let (mut levels, mut values) = (Vec::new(), Vec::new());
    while reader.read_records(1 << 16, is_optional.then_some(&mut levels), None, &mut values)?.0 > 0 {}
    if !is_optional {
        return Ok(values.into_iter().map(Some).collect());
    }
    let mut values = values.into_iter();
    Ok(levels.iter().map(|&level| if level > 0 { values.next() } else { None }).collect())
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
