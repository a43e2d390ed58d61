import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { onTestFinished } from 'vitest'

/** All ports are below the ephemeral ports, so that no other program receives a port that is briefly closed. */
const first = 20_000
const last = 30_000
const block = 10

let next = first + Math.floor(Math.random() * ((last - first) / block)) * block

/** Reserves consecutive free ports. Throws if there are none. By default, the reservation ends when the test ends. */
export async function claimPorts(
  count: number,
  atEnd: (end: () => Promise<void>) => void = onTestFinished,
): Promise<number[]> {
  for (let tries = 0; tries < last - first; tries += block) {
    next = next + block >= last ? first : next + block
    const ports = Array.from({ length: count }, (_, index) => next + 1 + index)
    // A process owns a block of ports while it listens on the block's first port.
    const guard = await listen(next)
    if (guard === undefined) continue
    if (await areFree(ports)) {
      atEnd(async () => void guard.close())
      return ports
    }
    guard.close()
  }
  throw new Error(`No ${count} consecutive ports are free between ${first} and ${last}.`)
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
