import { setTimeout as sleep } from 'node:timers/promises'
import { sendAs } from '../../harness/server-process.ts'

const WRITERS = 6
const READERS = 2
/** The pause between a client's operations, which leaves CPU time for the migration. */
const PAUSE_MS = 20
const NAMES = 20

export interface Load {
  results: LoadResults
  setUrls(urls: readonly string[]): void
  stop(): Promise<void>
}

export interface LoadResults {
  /** Each request's duration, in milliseconds. */
  writes: number[]
  reads: number[]
  slowest: { ms: number; ended: Date; document: string }
  failures: Failure[]
  /**
   * The values that each attribute may have: the last acknowledged value, and the values of later changes without a
   * successful response. The keys are the device ID, the context, and the name, separated by spaces.
   */
  values: Map<string, string[]>
  registered: string[]
}

export interface Failure {
  message: string
  /** Times in milliseconds since 1970. */
  started: number
  ended: number
}

interface Client {
  credentials: Record<string, string>
  urls: readonly string[]
  results: LoadResults
}

/** Starts clients that write and read until `stop` is called. A failed request is recorded and does not stop them. */
export async function startLoad(credentials: Record<string, string>, url: string): Promise<Load> {
  const results: LoadResults = {
    writes: [],
    reads: [],
    slowest: { ms: 0, ended: new Date(), document: '' },
    failures: [],
    values: new Map(),
    registered: [],
  }
  const client: Client = { credentials, urls: [url], results }
  let isOver = false
  let requestNumber = 0
  const targets: string[] = []
  for (let writer = 0; writer < WRITERS; writer++) {
    const { registerDevice } = await sendOperation(
      client,
      0,
      'mutation { registerDevice(name: "target") { device { id } } }',
      'writes',
    )
    targets.push(registerDevice.device.id)
  }
  const write = async (device: string): Promise<void> => {
    for (let number = 1; !isOver; number++) {
      await change(client, requestNumber++, device, number)
      await sleep(PAUSE_MS)
    }
  }
  const read = async (): Promise<void> => {
    const documents = [
      '{ login { devices(size: 50, sort: "name") { items { name attributes services { name } } } } }',
      '{ login { devices(size: 10) { total } events(size: 20) { items { id type } } } }',
    ]
    for (; !isOver; requestNumber++) {
      await sendOperation(client, requestNumber, documents[requestNumber % 2]!, 'reads')
      await sleep(PAUSE_MS)
    }
  }
  const clients = Promise.all([...targets.map(write), ...Array.from({ length: READERS }, read)])
  return {
    results,
    setUrls(urls) {
      client.urls = urls
    },
    async stop() {
      isOver = true
      await clients
    },
  }
}

async function change(client: Client, requestNumber: number, device: string, number: number): Promise<void> {
  const { values, registered } = client.results
  if (number % 10 === 0) {
    const name = `meanwhile-${device}-${number}`
    const data = await sendOperation(
      client,
      requestNumber,
      `mutation { registerDevice(name: "${name}") { device { id } } }`,
      'writes',
    )
    if (data !== undefined) registered.push(data.registerDevice.device.id)
    return
  }
  const name = `n${number % NAMES}`
  const context = number % 3 === 0 ? 'night' : undefined
  const where = context === undefined ? '' : `, context: "${context}"`
  const document = `mutation { setAttribute(serviceId: "${device}", name: "${name}", value: "${number}"${where}) }`
  const data = await sendOperation(client, requestNumber, document, 'writes')
  const key = `${device} ${context ?? ''} ${name}`
  if (data === undefined) values.get(key)?.push(String(number))
  else values.set(key, [String(number)])
}

async function sendOperation(
  { credentials, urls, results }: Client,
  requestNumber: number,
  document: string,
  kind: 'writes' | 'reads',
  // biome-ignore lint/suspicious/noExplicitAny: the callers know the shape of the responses
): Promise<any> {
  const started = Date.now()
  const fail = (message: string): void => {
    results.failures.push({ message: `${message} to ${document}`, started, ended: Date.now() })
  }
  try {
    const { status, body } = await sendAs(credentials, urls[requestNumber % urls.length]!, document)
    if (status === 200 && body.errors === undefined) return body.data
    fail(`${status} ${JSON.stringify(body)}`)
  } catch (error) {
    fail(String(error))
  } finally {
    const ms = Date.now() - started
    results[kind].push(ms)
    if (kind === 'writes' && ms > results.slowest.ms) results.slowest = { ms, ended: new Date(), document }
  }
}
