// Runs a line of SQL after the other in one DuckDB and prints the rows of each as a line of JSON, or {"error": …}.
// PKTSCOPE_ENGINES/node_modules has the engine.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const { DuckDBInstance } = createRequire(process.env.PKTSCOPE_ENGINES + '/')('@duckdb/node-api')
const connection = await (await DuckDBInstance.create(':memory:')).connect()
await connection.run("SET TimeZone = 'UTC'")
for await (const line of createInterface({ input: process.stdin })) {
  let out
  try {
    out = (await connection.runAndReadAll(line)).getRowsJson()
  } catch (e) {
    out = { error: String(e.message) }
  }
  console.log(JSON.stringify(out))
}
