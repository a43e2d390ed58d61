import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { contestants } from '../environment/systems.ts'

const main = new URL('../../packages/server/src/main.ts', import.meta.url).pathname
/** As `npm start` has it: without them, V8 keeps 150 MiB more of what 10,000 connections went through. */
const FLAGS = contestants.server.args.filter((arg) => arg.startsWith('--'))

/** A server as an operator starts it, on a port for MQTT that it keeps across starts. */
export interface FleetServer {
  broker: string
  /** Of HTTP, once it has started. */
  readonly url: string
  start(): Promise<void>
  stop(): Promise<void>
  /** MiB that the process holds. */
  memory(): Promise<number>
}

export async function createFleetServer(env: Record<string, string>): Promise<FleetServer> {
  const port = await freePort()
  let child: ChildProcess | undefined
  let url = ''
  return {
    broker: `mqtt://127.0.0.1:${port}`,
    get url() {
      return url
    },
    async start() {
      child = spawn(process.execPath, [...FLAGS, main], {
        env: {
          PATH: process.env.PATH,
          ...contestants.server.env,
          PORT: '0',
          MUSTER_MQTT_PORT: String(port),
          MUSTER_LOG_LEVEL: 'warn',
          ...env,
        },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      url = await readyUrl(child)
    },
    async stop() {
      if (child === undefined || child.exitCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
    async memory() {
      const status = await readFile(`/proc/${child!.pid}/status`, 'utf8')
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024
    },
  }
}

async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

async function readyUrl(child: ChildProcess): Promise<string> {
  let said = ''
  for (;;) {
    const url = /is ready at (\S+)\n/.exec(said)?.[1]
    if (url !== undefined) return url
    const [chunk] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit').then(() => [undefined])])
    if (chunk === undefined) throw new Error('the server does not start')
    said += String(chunk)
  }
}
