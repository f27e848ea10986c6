package main

import "github.com/spf13/cobra"

// newHelpScale is the help topic on captures that one machine does not count in time.
func newHelpScale() *cobra.Command {
	return newTopic("scale", "captures past one machine: pieces, jobs, what it costs", helpScale)
}

const helpScale = `Captures past one machine

pktscope runs no cluster. It cuts captures into pieces, counts one piece in one process, and
adds up what the processes saved, in any order and in any tree. With every piece there, the
result is byte for byte that of one run. Whatever starts processes can do the rest: a shell,
make, Slurm, Kubernetes.

  pktscope shards -o plan.jsonl /data/*.pcap
  pktscope stats -q -T json --plan plan.jsonl --shard I -o parts/I.json   # for each I
  pktscope report merge --complete -o all.json parts/

Processes find the captures by the names in the plan: make it where these are the same, such
as /data/x.pcap. Two steps are only needed beyond 512 MiB of parts, which is what one merge
reads: merge each 256 parts, then the results. A killed process leaves no part, because -o
replaces a file only when all of it is written; started again, it writes the same part. A part
that is given twice is refused.

Budget and report take --plan and --shard as well: report -T json saves statistics, budget and
rejects of a piece at once. Give -p, or each part says of every built-in that it had none.

  pktscope budget -q -p game.pks -T json --plan plan.jsonl --shard I -o bits/I.json
  pktscope report -p game.pks -T json --plan plan.jsonl --shard I -o all/I.json

Without a plan, files are the pieces: live -w with -b filesize:1GB writes such.

  pktscope stats -q -T json --shard I/N -o parts/I.json /data/ring-*.pcapng

Kubernetes: an Indexed Job

The completions are the n in the first line of the plan. IMAGE is one of your own, with
pktscope in it; the claim has the captures, the plan and a directory parts. This was run as
six processes with that variable set, not on a cluster.

  apiVersion: batch/v1
  kind: Job
  metadata: {name: pktscope-stats}
  spec:
    completions: 19
    parallelism: 8
    completionMode: Indexed
    backoffLimitPerIndex: 3
    template:
      spec:
        restartPolicy: Never
        containers:
        - name: stats
          image: IMAGE
          command: ["/pktscope"]
          args: [stats, -q, -T, json, --plan, /data/plan.jsonl,
                 --shard, "$(JOB_COMPLETION_INDEX)",
                 -o, "/data/parts/$(JOB_COMPLETION_INDEX).json"]
          env:
          - name: JOB_COMPLETION_INDEX
            valueFrom:
              fieldRef:
                fieldPath: "metadata.annotations['batch.kubernetes.io/job-completion-index']"
          resources: {requests: {cpu: "1", memory: 64Mi}, limits: {memory: 256Mi}}
          volumeMounts: [{name: data, mountPath: /data}]
        volumes: [{name: data, persistentVolumeClaim: {claimName: captures}}]

Captures as columns: SQL

Questions that stats does not answer are for an engine that reads Parquet, on one machine
(DuckDB) or many (ClickHouse, Spark, Trino). A ring of captures becomes a file each:

  pktscope live -i eth0 -p game.pks -w ring.pcapng -b filesize:1GB
  pktscope decode -p game.pks -T parquet -o parquet/ ring*.pcapng
  pktscope schema sql -p game.pks 'parquet/*.parquet' > views.sql
  duckdb -init views.sql

In DuckDB, of the built-in rtype; a view has the name of its case, and of the list in it:

  SELECT "case", verdict, count(*), sum(bits) // 8 AS bytes FROM packets GROUP BY ALL ORDER BY 3 DESC;
  SELECT src_ip, reject_kind, reject_path, count(*) FROM rejects GROUP BY ALL ORDER BY 4 DESC LIMIT 10;
  SELECT id, count(*), min(health), avg(x) FROM "Snapshot_players" GROUP BY id ORDER BY id;

Each machine converts its own captures: run decode where they are, and copy the Parquet
files. A file appears when it is whole; a second run with -o DIR/ replaces it. Its metadata have
the SHA-256 of its schema, and of its captures where no field is @secret; pktscope.complete is
false where a capture ended early:

  SELECT file_name, decode(value) FROM parquet_kv_metadata('parquet/*.parquet')
  WHERE decode(key) = 'pktscope.complete';

The time is there twice: DuckDB reads time in microseconds; time_ns has all digits. A @secret
field has no column, and neither have messages, reassembled or opened by --keys: those are in
-T json. ClickHouse has lists and groups that are never NULL: ask case = 'State',
not State IS NOT NULL. The tests ask DuckDB 1.5 and ClickHouse 26.7 (chDB), embedded and on
one machine; no cluster was used.

Apache Beam

cmd/pktscope/beam, a module of its own in the sources, counts the shards of a plan on a runner of
Beam, and writes the same bytes. With --by-peer it counts every peer by itself, however many
there are. Prism, Beam's runner in Go, is in it, and was run in the process and as a job server
on one machine; Flink, Spark and Dataflow were not run.

  cd cmd/pktscope/beam && go build -o ~/pktscope-beam .
  ~/pktscope-beam --plan plan.jsonl -p game.pks -o all.json
  ~/pktscope-beam --plan plan.jsonl -p game.pks --by-peer -o peers.json

Which engine for what

  one machine, a question of stats            stats, or --shard in a shell's loop
  many machines, a question of stats          an Indexed Job or Slurm, then report merge
  peers without bound                         Beam with --by-peer
  any other question                          Parquet: DuckDB on one machine, ClickHouse, Spark
                                              or Trino on many

What does not add up

Stats keeps 1,536 peers in a process and in a merged result. Beyond that, a loss or a silence
between two pieces is not counted for a peer that one of them left out: the counts are lower
bounds, and the number of peers is "about".

100 TB, on paper

Nobody ran this. It is arithmetic from measurements: one core counts 124 MB/s of classic pcap,
making a plan reads 2.5 GB/s, and adding a part of 71 kB takes 4 ms.

  counting     100 TB / 124 MB/s = 8.1e5 s of a core: 13.4 min on 1,000 cores, if the storage
               gives 124 GB/s. A 10 Gbit/s file server gives 1.25: 22 hours, however many
               cores there are. Look at the storage first
  the plan     100 TB / 2.5 GB/s = 11 hours of a core, and it reads everything once: write
               files of 1 GB instead (live -b filesize:1GB), each of which is a piece
  a retry      costs a piece: 1 GiB is 8.7 s of a core
  the parts    93,000 of 71 kB are 6.6 GB: 6 min of a core, or 364 merges of 256 at the same
               time, 1 s each, and one of 364
`
