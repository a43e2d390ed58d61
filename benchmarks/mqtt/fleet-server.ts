import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { systems } from '../environment/systems.ts'

/** A server in a child process that runs the same command as `npm start`. It keeps its MQTT port across restarts. */
export interface FleetServer {
  broker: string
  /** HTTP URL of the server. Empty before the first start. */
  readonly url: string
  start(): Promise<void>
  stop(): Promise<void>
  /** Returns the resident memory of the process in MiB. */
  memory(): Promise<number>
  /** Returns the milliseconds that the main thread has waited for a CPU while it had work. */
  cpuWait(): Promise<number>
}

/** Creates a server without starting it. */
export async function createFleetServer(
  env: Record<string, string>,
  nodeArgs: readonly string[] = [],
): Promise<FleetServer> {
  const port = await freePort()
  let child: ChildProcess | undefined
  let url = ''
  return {
    broker: `mqtt://127.0.0.1:${port}`,
    get url() {
      return url
    },
    async start() {
      child = spawn(process.execPath, [...nodeArgs, ...systems.server.args], {
        env: {
          PATH: process.env.PATH,
          ...systems.server.env,
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
    cpuWait: () => cpuWait(child!.pid!),
  }
}

/**
 * Returns the milliseconds that the main thread has waited for a CPU. The second field of `schedstat` is this time in
 * nanoseconds (Documentation/scheduler/sched-stats.rst of the Linux kernel).
 */
export async function cpuWait(pid: number): Promise<number> {
  return Number((await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ')[1]) / 1e6
}

export async function freePort(): Promise<number> {
  const server = createServer()
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

export async function readyUrl(child: ChildProcess): Promise<string> {
  let output = ''
  for (;;) {
    const url = /is ready at (\S+)\n/.exec(output)?.[1]
    if (url !== undefined) return url
    const [chunk] = await Promise.race([once(child.stdout!, 'data'), once(child, 'exit').then(() => [undefined])])
    if (chunk === undefined) throw new Error(`The server exited before it was ready: ${output}`)
    output += String(chunk)
  }
}
