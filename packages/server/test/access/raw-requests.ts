import { once } from 'node:events'
import { type ClientRequest, request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { Duplex } from 'node:stream'

export interface RequestParts {
  method: string
  path: string
  headers: Record<string, string>
  body?: string | undefined
}

/** Returns the bytes that a client would send for a request, without sending them. `sign` can add headers. */
export async function recordRequest(
  server: string,
  parts: RequestParts,
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
  const { method, path, headers, body } = parts
  const request = httpRequest({ host: hostname, port, method, path, headers, createConnection: () => wire })
  request.on('error', () => {})
  await sign(request)
  request.end(body)
  await once(request, 'finish')
  request.destroy()
  return Buffer.concat(chunks)
}

export interface RawResponse {
  /** Can contain several statuses. If a request declares too few bytes, the server reads the rest as a new request. */
  statuses: number[]
  text: string
}

/**
 * Sends bytes on a new connection, waits until the connection closes, and returns what the server sent. With `ends`,
 * closes the sending side even if the request declares more bytes.
 */
export async function sendRaw(server: string, bytes: Buffer, { ends = false } = {}): Promise<RawResponse> {
  const { hostname, port } = new URL(server)
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  // A server that rejects a request before reading the whole request may reset the connection.
  socket.on('error', () => {})
  if (ends) socket.end(bytes)
  else socket.write(bytes)
  socket.once('end', () => socket.end())
  await once(socket, 'close')
  const text = Buffer.concat(received).toString('latin1')
  return { statuses: Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/g), (match) => Number(match[1])), text }
}

export interface Part {
  name: string
  start: number
  end: number
  isCaseInsensitive: boolean
}

/** Yields a copy of the request for each byte of the parts, with one bit of that byte changed. */
export function* changedBytes(bytes: Buffer, parts: readonly Part[]): Generator<{ part: string; changed: Buffer }> {
  for (const { name, start, end, isCaseInsensitive } of parts) {
    for (let at = start; at < end; at++) {
      const bit = 1 << ((at * 3) % 8)
      const changed = Buffer.from(bytes)
      changed[at] = bytes[at]! ^ bit
      const isSame = isCaseInsensitive && isLetter(bytes[at]!) && bit === 0x20
      if (isSame) changed[at] = bytes[at]! ^ 0x01
      yield { part: `${name} at ${at - start}, bit ${isSame ? 1 : bit}`, changed }
    }
  }
}

const isLetter = (byte: number): boolean => /[A-Za-z]/.test(String.fromCharCode(byte))

export interface Layout {
  method: Part
  target: Part
  /** Returns the positions of a header's name and value. Throws if the header is missing. */
  header(name: string): { name: Part; value: Part }
  body: Part
}

export function layoutOf(bytes: Buffer): Layout {
  const text = bytes.toString('latin1')
  const part = (name: string, start: number, end: number, isCaseInsensitive = false): Part => ({
    name,
    start,
    end,
    isCaseInsensitive,
  })
  const firstSpace = text.indexOf(' ')
  const secondSpace = text.indexOf(' ', firstSpace + 1)
  const headEnd = text.indexOf('\r\n\r\n')
  return {
    method: part('method', 0, firstSpace),
    target: part('target', firstSpace + 1, secondSpace),
    header(name) {
      const match = new RegExp(`\r\n(${name}): ([^\r]*)`, 'i').exec(text.slice(0, headEnd))
      if (match === null) throw new Error(`The request has no header "${name}".`)
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
