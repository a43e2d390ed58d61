import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'

const main = new URL('../../packages/server/src/main.ts', import.meta.url).pathname
/** As `npm start` has it: without it, V8 keeps 150 MiB more of what 10,000 connections went through. */
const FLAGS = ['--max-semi-space-size=4']

/** A server as an operator starts it, on a port for MQTT that it keeps across starts. */
export interface FleetServer {
  broker: string
  start(): Promise<void>
  stop(): Promise<void>
  /** MiB that the process holds. */
  memory(): Promise<number>
}

export async function createFleetServer(env: Record<string, string>): Promise<FleetServer> {
  const port = await freePort()
  let child: ChildProcess | undefined
  return {
    broker: `mqtt://127.0.0.1:${port}`,
    async start() {
      child = spawn(process.execPath, [...FLAGS, main], {
        env: { PATH: process.env.PATH, PORT: '0', MUSTER_MQTT_PORT: String(port), MUSTER_LOG_LEVEL: 'warn', ...env },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      await isReady(child)
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

async function isReady(child: ChildProcess): Promise<void> {
  let said = ''
  while (!said.includes('is ready at')) {
    const [chunk] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit').then(() => [undefined])])
    if (chunk === undefined) throw new Error('the server does not start')
    said += String(chunk)
  }
}
