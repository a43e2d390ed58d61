import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'node:tls'
import pg from 'pg'
import { Client } from 'undici'
import { expect, onTestFinished, test, vi } from 'vitest'
import { connectMqtt, registerDevice } from '../clients/mqtt-device.ts'
import { createTestDatabase } from '../database/test-database.ts'
import { testUser } from '../harness/app.ts'
import { createCertificate, replaceFile } from '../harness/certificate.ts'
import { claimPorts } from '../harness/ports.ts'
import { failToStart, readCredentials, type ServerProcess, startServerProcess } from '../harness/server-process.ts'
import { unlimited } from '../harness/unlimited.ts'

const wait = { timeout: 200_000, interval: 100 }

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-processes-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

async function newEnvironment() {
  const { connection, url, drop } = await createTestDatabase()
  onTestFinished(drop)
  const folder = await newFolder()
  const env = {
    ...unlimited,
    DATABASE_URL: url,
    MUSTER_DATA: folder,
    // Disable the statement timeout, so that it does not end the requests below on a slow machine.
    MUSTER_STATEMENT_TIMEOUT: '0',
    MUSTER_MASTER_KEY: randomBytes(32).toString('base64'),
    MUSTER_WORKERS: '2',
    // Disable the detection of unresponsive processes, because processes respond slowly on a busy machine.
    MUSTER_WORKER_SILENCE: '0',
  }
  return { connection, folder, env }
}

/** Waits until `count` processes have begun to listen, and returns their process IDs, the earliest first. */
const listening = (server: ServerProcess, count: number): Promise<number[]> =>
  vi.waitFor(() => {
    const lines = server.stderr().split('\n').slice(0, -1)
    const found = lines.filter((line) => line.includes('Server listening'))
    expect(found).toHaveLength(count)
    return found.map((line) => JSON.parse(line).pid)
  }, wait)

const measure = async ({ url }: ServerProcess): Promise<Record<string, number>> =>
  valuesIn(await (await fetch(`${url}/metrics`, { headers: { connection: 'close' } })).text())

function valuesIn(text: string): Record<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return Object.fromEntries(lines.map((line) => [line.replace(/ [^ ]+$/, ''), Number(line.replace(/^.* /, ''))]))
}

async function certificatesOf(port: number, count: number): Promise<Set<string>> {
  const each = Array.from({ length: count }, async () => {
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const { fingerprint256 } = socket.getPeerCertificate()
    socket.destroy()
    return fingerprint256
  })
  return new Set(await Promise.all(each))
}

test('runs two processes as one server, and replaces a killed process', async () => {
  const { connection, folder, env } = await newEnvironment()
  const files = await createCertificate(folder, 'first')
  const next = await createCertificate(folder, 'next')
  const [mqttPort = 0] = await claimPorts(1)
  const server = await startServerProcess({
    ...env,
    MUSTER_PRESENCE_HOLD: '1',
    MUSTER_MQTT_PORT: String(mqttPort),
    MUSTER_MQTT_TLS_CERT: files.cert,
    MUSTER_MQTT_TLS_KEY: files.key,
  })
  expect(server.stdout().match(/is ready at/g)).toHaveLength(1)
  const pids = await listening(server, 2)
  expect(new Set(pids).size).toBe(2)
  const onSamePort = await failToStart({ ...env, PORT: new URL(server.url).port })
  expect(onSamePort).toMatchObject({ code: 1, stderr: expect.stringMatching(/Cannot listen: port \d+ .* PORT/) })

  const credentials = await readCredentials(folder)
  const owner = testUser(server.url, {
    accountId: '',
    email: credentials.MUSTER_EMAIL!,
    keyId: credentials.MUSTER_ACCESS_KEY_ID!,
    secret: credentials.MUSTER_SECRET_ACCESS_KEY!,
  })
  const client = new pg.Client(connection)
  await client.connect()
  onTestFinished(() => client.end())
  const devices = await Promise.all([1, 2, 3, 4].map((each) => registerDevice(owner, `d${each}`)))
  const states = async (): Promise<string[]> => {
    const ids = JSON.stringify(devices.map(({ id }) => id))
    return (await owner.data(`{ login { device(id: ${ids}) { state } } }`)).login.device.map(
      ({ state }: { state: string }) => state,
    )
  }
  const mqtt = `mqtts://127.0.0.1:${mqttPort}`
  for (const device of devices) await connectMqtt(mqtt, device, { rejectUnauthorized: false })
  await expect(connectMqtt(mqtt, { ...devices[0]!, secret: 'wrong' }, { rejectUnauthorized: false })).rejects.toThrow()
  await vi.waitFor(async () => expect(await states()).toEqual(Array(4).fill('active')), wait)
  const holders = async (): Promise<number> =>
    (await client.query('select count(distinct process_id)::int as count from device_hold')).rows[0].count
  expect(await holders()).toBe(2)

  const REJECTED = 'muster_mqtt_refusals_total{reason="wrong secret"}'
  const startTime = (number: number): string => `process_start_time_seconds{process="${number}"}`
  const before = await vi.waitFor(async () => {
    const found = await measure(server)
    expect(found).toMatchObject({
      muster_devices_connected: 4,
      [REJECTED]: 1,
      'process_resident_memory_bytes{process="0"}': expect.any(Number),
      'process_resident_memory_bytes{process="1"}': expect.any(Number),
      'process_resident_memory_bytes{process="2"}': expect.any(Number),
    })
    return found
  }, wait)

  const old = await certificatesOf(mqttPort, 4)
  expect(old.size).toBe(1)
  await replaceFile(files.key, next.key)
  await replaceFile(files.cert, next.cert)
  server.signal('SIGHUP')
  await vi.waitFor(async () => {
    const now = await certificatesOf(mqttPort, 4)
    expect(now.size).toBe(1)
    expect(now).not.toEqual(old)
  }, wait)

  process.kill(pids[0]!, 'SIGKILL')
  await listening(server, 3)
  expect(server.stderr()).toContain('a server process exited; starting another')
  // When the killed process's lease expires, its devices become inactive. Other devices stay active.
  await vi.waitFor(async () => expect(new Set(await states())).toEqual(new Set(['active', 'inactive'])), wait)
  const left = (await states()).filter((state) => state === 'active').length
  await vi.waitFor(async () => {
    const after = await measure(server)
    expect(after).toMatchObject({ muster_devices_connected: left, [REJECTED]: 1 })
    const renewed = [1, 2].filter((number) => after[startTime(number)] !== before[startTime(number)])
    expect(renewed).toHaveLength(1)
  }, wait)

  // Requests that wait for a row lock stay in flight until the test releases the lock.
  const waiting = await whileLocked(client, async () => {
    const requests = [1, 2, 3, 4].map(() => owner.query('mutation { createAccessKey { key } }'))
    const areWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    await expect
      .poll(async () => {
        // Clear the statistics snapshot, because PostgreSQL keeps the first snapshot until the transaction ends.
        await client.query('select pg_stat_clear_snapshot()')
        return (await client.query(areWaiting)).rowCount
      })
      .toBe(4)
    server.signal('SIGTERM')
    await expect.poll(() => server.stderr().match(/"stopping"/g)?.length).toBeGreaterThan(1)
    return requests
  })
  for (const { data } of await Promise.all(waiting)) expect(data.createAccessKey.key).toMatch(/^MK/)
  // `exited` resolves when all processes that share the output have ended.
  expect(await server.exited).toBe(0)
  await expect(fetch(server.url)).rejects.toThrow()
})

/** Runs an action while all accounts are locked. */
async function whileLocked<Result>(client: pg.Client, act: () => Promise<Result>): Promise<Result> {
  await client.query('begin; select id from account for update')
  try {
    return await act()
  } finally {
    await client.query('rollback')
  }
}

test('replaces a process that hangs or never becomes ready, and serves the metrics of the other processes', async () => {
  const { env } = await newEnvironment()
  const folder = await newFolder()
  const server = await startServerProcess({
    ...env,
    HANG_FILE: join(folder, 'hang'),
    NODE_OPTIONS: `--import=${new URL('hanging-start.ts', import.meta.url).href}`,
    MUSTER_WORKERS: '3',
    // On a slow machine, a process that does not hang can take half a minute to start.
    MUSTER_WORKER_SILENCE: '60',
  })
  const pids = await listening(server, 3)
  const fetchMetrics = async (on: Client): Promise<Record<string, number>> => {
    const { statusCode, body } = await on.request({ method: 'GET', path: '/metrics' })
    const text = await body.text()
    expect(statusCode).toBe(200)
    return valuesIn(text)
  }
  // The server assigns connections to the processes in rotation.
  const clients = [1, 2, 3, 4, 5, 6].map(() => new Client(server.url, { headersTimeout: 0, bodyTimeout: 0 }))
  onTestFinished(async () => void (await Promise.all(clients.map((client) => client.destroy()))))
  for (const client of clients) await fetchMetrics(client)

  await writeFile(join(folder, 'hang'), '')
  process.kill(pids[0]!, 'SIGSTOP')
  process.kill(pids[1]!, 'SIGKILL')
  await expect.poll(() => readdir(folder)).toEqual([expect.stringMatching(/^hang\.\d+$/)])
  const [name = ''] = await readdir(folder)
  const hanging = [pids[0]!, Number(extname(name).slice(1))]
  const client = await Promise.any(clients.map((each) => fetchMetrics(each).then(() => each)))
  let isReplaced = false
  const replaced = listening(server, 5).finally(() => {
    isReplaced = true
  })
  let wasMissing = false
  while (!isReplaced) {
    const { muster_processes_missing: missing = 0 } = await fetchMetrics(client)
    wasMissing ||= missing >= 1
    // Poll slowly, because the replacement takes a minute, and each request collects the metrics of all processes.
    await sleep(1_000)
  }
  await replaced
  expect(wasMissing).toBe(true)
  const lines = server.stderr().split('\n').slice(0, -1)
  const unresponsive = lines
    .filter((line) => line.includes('a server process is not responding'))
    .map((line) => JSON.parse(line).pid)
  expect(unresponsive).toEqual(expect.arrayContaining(hanging))
  await vi.waitFor(async () => expect((await measure(server)).muster_processes_missing).toBe(0), wait)
  expect(await server.stop()).toBe(0)
})

test('ends all processes when the parent process is killed', async () => {
  const { env } = await newEnvironment()
  const server = await startServerProcess(env)
  await listening(server, 2)
  server.signal('SIGKILL')
  // `exited` resolves when all processes that share the output have ended.
  await server.exited
  await expect(fetch(server.url)).rejects.toThrow()
})
