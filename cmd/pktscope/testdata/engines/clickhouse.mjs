// Runs a line of SQL after the other in one ClickHouse (chDB) and prints the rows of each as a line of JSON, or
// {"error": …}. PKTSCOPE_ENGINES/node_modules has the engine.
import { createRequire } from 'node:module'
import { createInterface } from 'node:readline'

const { Session } = createRequire(process.env.PKTSCOPE_ENGINES + '/')('chdb')
const session = new Session()
for await (const line of createInterface({ input: process.stdin })) {
  let out
  try {
    const rows = session.query(line, 'JSONCompactEachRow')
    out = rows.split('\n').filter(Boolean).map((row) => JSON.parse(row))
  } catch (e) {
    out = { error: String(e.message) }
  }
  console.log(JSON.stringify(out))
}
session.cleanup()
process.exit(0)
