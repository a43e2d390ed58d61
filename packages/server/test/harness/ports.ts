import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** Below the ephemeral ports, so that no other program gets a port while it is briefly closed. */
const first = 20_000
const last = 30_000
const block = 10

let next = first + Math.floor(Math.random() * ((last - first) / block)) * block

/**
 * Reserves ports for this test until it ends, for servers that stop and start again on the same port. No program
 * listens on them at first.
 */
export async function claimPorts(count: number): Promise<number[]> {
  for (let tries = 0; tries < last - first; tries += block) {
    next = next + block >= last ? first : next + block
    const ports = Array.from({ length: count }, (_, index) => next + 1 + index)
    // A process owns a block while it listens on the first port of it.
    const guard = await listen(next)
    if (guard === undefined) continue
    if (await areFree(ports)) {
      onTestFinished(() => void guard.close())
      return ports
    }
    guard.close()
  }
  throw new Error(`all ports from ${first} to ${last} are in use`)
}

async function areFree(ports: readonly number[]): Promise<boolean> {
  for (const port of ports) {
    const server = await listen(port)
    if (server === undefined) return false
    server.close()
    await once(server, 'close')
  }
  return true
}

async function listen(port: number): Promise<Server | undefined> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
    return server
  } catch {
    return undefined
  }
}
