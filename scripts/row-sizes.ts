/**
 * `node scripts/row-sizes.ts <data folder>` prints the average size of a row and of its index entries for each
 * table. Fill the data folder with `muster seed` first. The script adds ten events and a `device_hold` row for each
 * device.
 */
import pg from 'pg'
import { connectOrStart } from '../packages/server/src/db/embedded/connect-or-start.ts'
import { measureRows } from './row-sizes/measure-rows.ts'

/** The script omits tables with fewer rows, because partly filled pages would distort the result. */
const MIN_ROWS = 1_000

const [dataFolder] = process.argv.slice(2)
if (dataFolder === undefined) {
  console.error('usage: node scripts/row-sizes.ts <data folder>')
  process.exit(2)
}
const log = { info() {}, warn: console.error, error: console.error }
const database = await connectOrStart({ dataFolder, log, onExit: console.error })
const client = new pg.Client({ ...database.connection })
await client.connect()
try {
  console.log('| Table | Rows | Bytes per row | Index bytes per row |\n|---|---|---|---|')
  for (const { name, rows, bytes, indexBytes } of await measureRows(client))
    if (rows >= MIN_ROWS) console.log(`| \`${name}\` | ${rows} | ${bytes} | ${indexBytes} |`)
} finally {
  await client.end()
  await database.close()
}
