"""Tables in files: delimited text, JSON records, Parquet."""
