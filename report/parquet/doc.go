// Package parquet writes decoded packets as Parquet, for engines that read columns (DuckDB, ClickHouse, Spark), and the
// SQL of views over such files. It alone knows parquet-go, of which it has the structures of the format, Thrift and an
// encoding; pages are written here, from columns of numbers, because rows of values of any type cost half of the time.
//
//	Plan ─► Layout (layout.go, types.go, names.go) ─┬─► Views: SQL
//	                                                └─► schema of the file
//	scan.Packet ─► worker: rows (rows.go), a list of cells (cells.go) for each column
//	                 └─► Writer (writer.go) ─► chunk of each column (chunk.go): pages ─► file (file.go): row groups, index
//
// A row is a datagram. Its first columns are what the capture knows of it and the verdict; then comes the group
// `fields`, with what lies outside of the switch that makes the packet's case, and a group for each case, named as it.
// Only accepted packets have fields. Lists are never NULL but empty: not every engine has a list that is NULL.
//
// A field that the schema calls @secret, or that is computed from one, has no column, and neither has anything whose
// presence tells of one. A file of a protocol that has such fields has no digest of the capture.
//
// What an attacker may do: send packets of any content, and write any schema. A list of half a million elements is
// half a million values in each of its columns, so that a packet is hundreds of times its size. What a worker makes of
// a packet is bounded by Writer.Batched; a larger packet is written in passes over some of its columns each. A row
// group ends at 131,072 rows or at 64 MiB that wait for its end, a file at MaxChunks, and a schema has MaxColumns.
package parquet
