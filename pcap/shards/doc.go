// Package shards cuts captures into pieces that machines count by themselves, and writes down how: a plan.
//
// A plan is a line of JSON that says of which captures it is, and a line for each shard:
//
//	{"schema_version":1,"kind":"shards","stream":"98d1…","n":19}
//	{"i":0,"file":"x.pcap","size":154552587,"from":0,"to":8388701,"base":0,"crc":288231120,"warm":0,"warm_base":0}
//
// Where a record begins is never guessed, since a packet can hold the records of a whole capture: Make reads all of
// them. A shard is read as pcap.Part says, so that its datagrams have the numbers, times and interfaces of the whole.
//
// A plan may come from anyone. Read holds one line, of 128 KiB at most, and the shard that is asked for; what a shard
// says of a file is checked against the file when it is opened and read.
package shards
