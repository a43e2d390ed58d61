import pg from 'pg'
import { startDatabase } from '../environment/database.ts'
import { fillEventLog } from '../growth/event-log.ts'
import { percentile } from '../report/statistics.ts'
import { startServer } from '../webhooks/server.ts'

/**
 * This benchmark measures the response times of `attributeHistory` after many changes of one attribute. Each request
 * reads the history of a random device.
 */
const [events = 10_000_000, devices = 1_000] = process.argv.slice(2).map(Number)
const REQUESTS = 200

const database = await startDatabase()
const server = await startServer(database)
const pool = new pg.Pool(database.connection)

async function addDevices(): Promise<{ accountId: string; ids: string[] }> {
  const { rows: accounts } = await pool.query<{ id: string }>('select id from account')
  const accountId = accounts[0]!.id
  await pool.query(
    `insert into device (account_id, id, name)
     select $1, '80:00:00:00:00:00' || regexp_replace(lpad(to_hex(i), 4, '0'), '(..)', ':\\1', 'g'), 'node ' || i
     from generate_series(1, $2::int) as i`,
    [accountId, devices],
  )
  const { rows } = await pool.query<{ id: string }>(
    'insert into device_live (account_id, device_id) select account_id, id from device returning device_id as id',
  )
  return { accountId, ids: rows.map(({ id }) => id) }
}

async function measure(ids: readonly string[], list: (id: string) => string | Promise<string>) {
  const times: number[] = []
  for (let request = 0; request < REQUESTS; request++) {
    const id = ids[Math.floor(Math.random() * ids.length)]!
    const document = `{ login { device(id: "${id}") { ${await list(id)} } } }`
    const began = performance.now()
    await server.send(document)
    times.push(performance.now() - began)
  }
  const round = (ms: number): number => Number(ms.toFixed(1))
  return {
    'median ms': round(percentile(times, 0.5)),
    '95% ms': round(percentile(times, 0.95)),
    'max ms': round(Math.max(...times)),
  }
}

try {
  const { accountId, ids } = await addDevices()
  await fillEventLog(pool, { accountId, events, progress: (text) => console.log(text) })
  const changes = 'items { at name context old new source { kind } } hasMore cursor'
  const middle = async (id: string): Promise<string> => {
    const { rows } = await pool.query<{ id: string }>(
      'select id from event where account_id = $1 and device_id = $2 order by id offset $3 limit 1',
      [accountId, id, Math.floor(events / devices / 2)],
    )
    return `attributeHistory(name: "load", after: "${rows[0]!.id}") { ${changes} }`
  }
  console.table({
    'newest page of one attribute': await measure(ids, () => `attributeHistory(name: "load") { ${changes} }`),
    'newest page of all attributes': await measure(ids, () => `attributeHistory { ${changes} }`),
    'page in the middle': await measure(ids, middle),
    'page of 1000': await measure(ids, () => `attributeHistory(name: "load", size: 1000) { ${changes} }`),
    'attribute without changes': await measure(ids, () => `attributeHistory(name: "none") { ${changes} }`),
  })
} finally {
  await pool.end()
  await server.stop()
  await database.stop()
}
process.exit()
