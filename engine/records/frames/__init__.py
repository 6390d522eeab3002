"""Values that have types already: data frames and Parquet files as coded texts."""
