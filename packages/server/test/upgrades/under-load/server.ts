import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

export interface Server {
  ready: Promise<string | undefined>
  stop(signal: NodeJS.Signals): Promise<void>
  stderr(): string
}

const running = new Set<Server>()

export function startServer(code: string, env: Record<string, string>): Server {
  const child = spawn(process.execPath, [join(code, 'packages/server/src/main.ts')], {
    env: { PATH: process.env.PATH, PORT: '0', MUSTER_MQTT_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'close').then(() => undefined)
  let stdout = ''
  let stderr = ''
  const ready = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      stdout += chunk
      const url = /ready at (https?:\S+)/.exec(stdout)?.[1]
      if (url !== undefined) resolve(url)
    })
  })
  child.stderr.on('data', (chunk) => (stderr += chunk))
  const server: Server = {
    ready: Promise.race([ready, exited]),
    async stop(signal) {
      child.kill(signal)
      await exited
      running.delete(server)
    },
    stderr: () => stderr,
  }
  running.add(server)
  return server
}

export async function readyServer(code: string, env: Record<string, string>): Promise<Server & { url: string }> {
  const server = startServer(code, env)
  const url = await server.ready
  if (url === undefined) throw new Error(`the server did not start: ${server.stderr()}`)
  return { ...server, url }
}

export async function stopAll(): Promise<void> {
  for (const server of running) await server.stop('SIGKILL')
}

export async function runCommand(code: string, env: Record<string, string>, ...args: string[]): Promise<void> {
  const child = spawn(process.execPath, [join(code, 'packages/cli/bin/muster.js'), ...args], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const errorOutput = text(child.stderr)
  const [status] = await once(child, 'close')
  if (status !== 0) throw new Error(`muster ${args.join(' ')} failed: ${await errorOutput}`)
}
