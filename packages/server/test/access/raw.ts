import { once } from 'node:events'
import { type ClientRequest, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'

export interface Sent {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | undefined
}

/** The bytes that a client puts on the wire. `sign` may add headers before it goes; nothing is sent anywhere. */
export async function recordRequest(
  server: string,
  sent: Sent,
  sign: (request: ClientRequest) => Promise<void> | void,
): Promise<Buffer> {
  const { hostname, port } = new URL(server)
  const chunks: Buffer[] = []
  const wire = new Duplex({
    read() {},
    write(chunk: Buffer, _encoding, done) {
      chunks.push(Buffer.from(chunk))
      done()
    },
  })
  const { method, path, headers, body } = sent
  const request = httpRequest({ host: hostname, port, method, path, headers, createConnection: () => wire })
  request.on('error', () => {})
  await sign(request)
  request.end(body)
  await once(request, 'finish')
  request.destroy()
  return Buffer.concat(chunks)
}

export interface RawAnswer {
  /** Of every answer that came, in order: bytes behind a request that ended early are the next request. */
  statuses: number[]
  text: string
}

/** Sends these very bytes over a connection of their own. `ends`: nothing more comes, although the request may say so. */
export async function sendRaw(server: string, bytes: Buffer, { ends = false } = {}): Promise<RawAnswer> {
  const { hostname, port } = new URL(server)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const received: Buffer[] = []
  socket.on('data', (chunk) => received.push(chunk))
  // A server that refuses a request early may not have read it all, and resets the connection.
  socket.on('error', () => {})
  if (ends) socket.end(bytes)
  else socket.write(bytes)
  socket.once('end', () => socket.end())
  await once(socket, 'close')
  const text = Buffer.concat(received).toString('latin1')
  return { statuses: Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/g), (match) => Number(match[1])), text }
}

/** A stretch of a request's bytes that counts, and what else may stand there and mean the same. */
export interface Part {
  name: string
  start: number
  end: number
  caseAside: boolean
}

/** Every byte of these parts changed in one bit, a different one from byte to byte. */
export function* changedBytes(bytes: Buffer, parts: readonly Part[]): Generator<{ part: string; changed: Buffer }> {
  for (const { name, start, end, caseAside } of parts) {
    for (let at = start; at < end; at++) {
      const bit = 1 << ((at * 3) % 8)
      const changed = Buffer.from(bytes)
      changed[at] = bytes[at]! ^ bit
      const isSame = caseAside && isLetter(bytes[at]!) && bit === 0x20
      if (isSame) changed[at] = bytes[at]! ^ 0x01
      yield { part: `${name} at ${at - start}, bit ${isSame ? 1 : bit}`, changed }
    }
  }
}

const isLetter = (byte: number): boolean => /[A-Za-z]/.test(String.fromCharCode(byte))

/** Where things stand in a recorded request. */
export interface Layout {
  method: Part
  target: Part
  /** Name and value of a header that is there. */
  header(name: string): { name: Part; value: Part }
  body: Part
}

export function layoutOf(bytes: Buffer): Layout {
  const text = bytes.toString('latin1')
  const part = (name: string, start: number, end: number, caseAside = false): Part => ({ name, start, end, caseAside })
  const firstBlank = text.indexOf(' ')
  const secondBlank = text.indexOf(' ', firstBlank + 1)
  const headEnd = text.indexOf('\r\n\r\n')
  return {
    method: part('method', 0, firstBlank),
    target: part('target', firstBlank + 1, secondBlank),
    header(name) {
      const match = new RegExp(`\r\n(${name}): ([^\r]*)`, 'i').exec(text.slice(0, headEnd))
      if (match === null) throw new Error(`the request has no header ${name}`)
      const nameStart = match.index + 2
      const valueStart = nameStart + name.length + 2
      return {
        name: part(`name of ${name}`, nameStart, nameStart + name.length, true),
        value: part(name, valueStart, valueStart + match[2]!.length),
      }
    },
    body: part('body', headEnd + 4, bytes.length),
  }
}
