import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { newId } from '../../packages/server/src/features/devices/device-id.ts'
import { startDatabase } from '../environment/database.ts'
import { startServer } from '../webhooks/server.ts'

const [count = 100_000] = process.argv.slice(2).map(Number)
const BATCH = 100

const launcher = new URL('../../packages/cli/bin/muster.js', import.meta.url).pathname
const names = ['site', 'rack', 'vendor', 'firmware', 'team']
const attributesOf = (index: number): Record<string, string> =>
  Object.fromEntries(names.map((name, at) => [name, `${name} ${(index * (at + 3)) % 997}`]))

const database = await startDatabase()
const server = await startServer(database)
const results: Record<string, { seconds: number; 'devices per second': number }> = {}

async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const began = performance.now()
  await work()
  const seconds = (performance.now() - began) / 1000
  results[what] = { seconds: Number(seconds.toFixed(1)), 'devices per second': Math.round(count / seconds) }
}

async function importFile(path: string): Promise<void> {
  const env = {
    PATH: process.env.PATH,
    HOME: database.folder,
    MUSTER_CREDENTIALS: join(database.folder, 'server', 'credentials'),
  }
  const child = spawn(process.execPath, [launcher, 'import', path], { env, stdio: ['ignore', 'inherit', 'inherit'] })
  const [code, signal] = await once(child, 'close')
  if (code !== 0) throw new Error(`"muster import" ended with ${signal ? `signal ${signal}` : `exit code ${code}`}.`)
}

async function insertWithSql(): Promise<void> {
  const client = new pg.Client(database.connection)
  await client.connect()
  const account = '00000000-0000-4000-8000-000000000001'
  await client.query('insert into account (id, email) values ($1, $2)', [account, 'baseline@example.com'])
  for (let from = 0; from < count; from += BATCH) {
    const devices = Array.from({ length: Math.min(BATCH, count - from) }, (_, at) => newDevice(from + at))
    const rows = JSON.stringify(devices)
    await client.query('begin')
    await client.query({
      name: 'device',
      text: `insert into device (account_id, id, name, hardware_id, attributes)
        select $1, id, name, hardware_id, attributes
        from jsonb_to_recordset($2::jsonb) as row (id text, name text, hardware_id text, attributes jsonb)`,
      values: [account, rows],
    })
    await client.query({
      name: 'live',
      text: `insert into device_live (account_id, device_id) select $1, id from jsonb_to_recordset($2::jsonb) as row (id text)`,
      values: [account, rows],
    })
    await client.query({
      name: 'service',
      text: `insert into service (account_id, device_id, id, name, application, port, enabled)
        select $1, device_id, id, name, application, port, true
        from jsonb_to_recordset($2::jsonb) as row (device_id text, id text, name text, application integer, port integer)`,
      values: [account, JSON.stringify(devices.flatMap(({ services }) => services))],
    })
    await client.query({
      name: 'event',
      text: `insert into event (account_id, type, device_id, source, targets, data)
        select $1, 'DEVICE_REGISTER', id, '{"kind": "job"}',
          jsonb_build_array(jsonb_build_object('id', id, 'name', name, 'kind', 'device')),
          jsonb_build_object('name', name, 'hardwareId', hardware_id, 'attributes', attributes, 'services', services)
        from jsonb_to_recordset($2::jsonb) as row
          (id text, name text, hardware_id text, attributes jsonb, services jsonb)`,
      values: [account, rows],
    })
    await client.query('commit')
  }
  await client.end()
}

function newDevice(index: number) {
  const id = newId()
  const service = (name: string, application: number, port: number) => ({
    ...{ device_id: id, id: newId(), name, application, port },
  })
  return {
    ...{ id, name: `node-${index}`, hardware_id: `HW-${index}`, attributes: attributesOf(index) },
    services: [service('ssh', 28, 22), service('web', 8, 8443)],
  }
}

async function waitForJob(id: string, state: string): Promise<{ token: string; counts: object }> {
  for (;;) {
    const { login } = await server.send(
      `{ login { bulkJob(id: "${id}") { state stateReason token counts { change done failed skipped } } } }`,
    )
    const [job] = login.bulkJob
    if (job.state === state) return job
    if (['PAUSED', 'FAILED', 'CANCELED'].includes(job.state))
      throw new Error(`The job is ${job.state}, not ${state}. Reason: ${job.stateReason ?? 'none'}.`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

try {
  const file = join(database.folder, 'fleet.csv')
  const rows = Array.from(
    { length: count },
    (_, index) => `node-${index},HW-${index},ssh=ssh;web=https:8443,${Object.values(attributesOf(index)).join(',')}`,
  )
  await writeFile(file, `name,hardwareId,services,${names.join(',')}\n${rows.join('\n')}\n`)
  await measure('baseline', insertWithSql)
  await measure('import', () => importFile(file))
  await measure('second import', () => importFile(file))
  const operations = '[{ setAttributes: { attributes: { site: "{name}" } } }]'
  let id = ''
  let token = ''
  await measure('preview', async () => {
    const { createBulk } = await server.send(
      `mutation { createBulk(target: { where: "id:*" }, operations: ${operations}, rate: 10000) { id } }`,
    )
    id = createBulk.id
    token = (await waitForJob(id, 'READY')).token
  })
  await measure('job', async () => {
    await server.send(`mutation { startBulk(id: "${id}", token: "${token}") { id } }`)
    console.log(await waitForJob(id, 'DONE'))
  })
} finally {
  console.table(results)
  await server.stop()
  await database.stop()
}
process.exit()
