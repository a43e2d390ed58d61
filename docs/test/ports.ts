import { once } from 'node:events'
import { createServer } from 'node:net'

/** Below what systems give out by themselves, so that nobody is given one of these between finding and using it. */
const first = 20_000
const last = 30_000

let next = first + (process.pid % (last - first))

/** A port that nobody listens on. */
export async function freePort(): Promise<number> {
  for (let tries = 0; tries < last - first; tries++) {
    next = next === last ? first : next + 1
    if (await isFree(next)) return next
  }
  throw new Error(`all ports from ${first} to ${last} are taken`)
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
