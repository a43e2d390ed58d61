import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type pg from 'pg'

/**
 * Reads one of the server's SQL statements from a file. A test checks that the server still runs this statement for
 * documents that it has not compiled.
 */
const sql = (name: string): string => readFileSync(new URL(`${name}.sql`, import.meta.url), 'utf8')
// The statements for pages read one row more than a page contains, to detect whether more devices follow.
const pageWithAttributes = { name: 'page-with-attributes', text: sql('page-with-attributes') }
const page = { name: 'page', text: sql('page') }
const services = { name: 'services', text: sql('services') }
const setAttribute = { name: 'set-attribute', text: sql('set-attribute') }

interface Context {
  pool: pg.Pool
  accountId: string
}

export function buildBaseline(context: Context): Server {
  const routes: Record<string, (context: Context, body: never) => Promise<unknown>> = {
    '/devices-with-services': listWithServices,
    '/devices': list,
    '/set-attribute': writeAttribute,
  }
  return createServer(async (request, response) => {
    try {
      const text = JSON.stringify(await routes[request.url!]!(context, JSON.parse(await readBody(request)) as never))
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        .end(text)
    } catch (error) {
      response.writeHead(500).end((error as Error).stack)
    }
  })
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function listWithServices({ pool, accountId }: Context, { size }: { size: number }): Promise<unknown> {
  const found = await pool.query({ ...pageWithAttributes, values: [accountId] })
  const devices = found.rows.slice(0, size)
  const parameters = [devices.map(({ id }) => id), devices.map(({ state }) => state), accountId]
  const byDevice = devices.map(() => [] as unknown[])
  for (const service of (await pool.query({ ...services, values: parameters })).rows) {
    byDevice[service.position - 1]!.push({
      id: service.id,
      name: service.name,
      application: service.application,
      port: service.port,
      host: service.host,
      enabled: service.enabled,
      state: service.state,
    })
  }
  const items = devices.map((device, index) => ({
    id: device.id,
    name: device.name,
    hardwareId: device.hardware_id,
    platform: device.platform,
    created: device.created,
    state: device.state,
    lastReported: device.last_reported,
    attributes: attributesOf(device),
    services: byDevice[index],
  }))
  return { data: { login: { devices: { hasMore: found.rows.length > size, items } } } }
}

const letters = ['A', 'B', 'C', 'D', 'E']
const reserved = ['category', 'status'].flatMap((kind) =>
  letters.map((letter) => [`${kind}${letter}`, `${kind}_${letter.toLowerCase()}`] as const),
)

/** Returns a device's attributes, including the group `$svc` if at least one reserved attribute is set. */
function attributesOf(device: Record<string, unknown> & { attributes: string }): object {
  const attributes = JSON.parse(device.attributes) as object
  const group: Record<string, unknown> = {}
  let isEmpty = true
  for (const [name, column] of reserved) {
    if (device[column] === null) continue
    group[name] = device[column]
    isEmpty = false
  }
  return isEmpty ? attributes : { ...attributes, $svc: group }
}

async function list({ pool, accountId }: Context, { size }: { size: number }): Promise<unknown> {
  const { rows } = await pool.query({ ...page, values: [accountId] })
  const items = rows.slice(0, size).map((device) => ({
    id: device.id,
    name: device.name,
    hardwareId: device.hardware_id,
    platform: device.platform,
    created: device.created,
    state: device.state,
    stateSince: device.state_since,
    lastReported: device.last_reported,
    categoryA: device.category_a,
    statusA: device.status_a,
  }))
  return { data: { login: { devices: { hasMore: rows.length > size, items } } } }
}

interface Write {
  deviceId: string
  name: string
  value: string
}

export async function writeAttribute({ pool, accountId }: Context, { deviceId, name, value }: Write): Promise<unknown> {
  const values = [accountId, deviceId, name, null, value, name, accountId, JSON.stringify({ kind: 'server' })]
  const { rows } = await pool.query<{ allowed: boolean }>({ ...setAttribute, values })
  return { data: { setAttribute: rows[0]!.allowed ? value : null } }
}
