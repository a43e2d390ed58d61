import { once } from 'node:events'
import { type ClientRequest, createServer, request as httpRequest, type RequestOptions } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { cavage, createSigner, httpbis } from 'http-message-signatures'
import { contentDigest, digest } from '../src/index.ts'
import { ed25519PrivatePem, type KeyName, type RequestWithBody, sharedSecret } from './fixtures.ts'

// Third-party packages sign these requests. The functions send them over a socket, so that tests verify what arrives.

type Joyent = {
  sign(request: ClientRequest, options: Record<string, unknown>): boolean
  parseRequest(
    request: unknown,
    options?: Record<string, unknown>,
  ): { keyId: string; signingString: string; params: JoyentParameters }
  verifyHMAC(parsed: unknown, secret: Buffer): boolean
}
type JoyentParameters = { keyId: string; signature: string; headers: string[] }

/** The npm package `http-signature`, which has no types. */
export const joyent = createRequire(import.meta.url)('http-signature') as Joyent

export type Sent = { method: string; path: string; headers: Record<string, string>; body?: string | undefined }

/**
 * Sends a request and returns it as the server received it. `finish` can add headers before the client sends the
 * request.
 */
export async function send(
  sent: Sent,
  finish: (request: ClientRequest, origin: string) => Promise<void> | void,
): Promise<RequestWithBody> {
  const arrivals: RequestWithBody[] = []
  const server = createServer(async (incoming, response) => {
    const { method, url, rawHeaders } = incoming
    const body = await buffer(incoming)
    arrivals.push({ method: method!, target: url!, rawHeaders, body: body.length > 0 ? body : undefined })
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const options: RequestOptions = {
      host: '127.0.0.1',
      port,
      method: sent.method,
      path: sent.path,
      headers: sent.headers,
      agent: false,
    }
    const request = httpRequest(options)
    await finish(request, `http://127.0.0.1:${port}`)
    request.end(sent.body)
    const [response] = await once(request, 'response')
    response.resume()
    return arrivals[0]!
  } finally {
    server.close()
  }
}

export function sendJoyent(sent: Sent, keyName: KeyName, options: Record<string, unknown>): Promise<RequestWithBody> {
  const key = keyName === 'hmac' ? { key: sharedSecret, algorithm: 'hmac-sha256' } : { key: ed25519PrivatePem }
  return send(sent, (request) => {
    joyent.sign(request, { keyId: 'AKEXAMPLE', ...key, ...options })
  })
}

/** Sends a request that the npm package `http-message-signatures` signs, in either of its modes. */
export function sendDhensby(
  mode: 'httpbis' | 'cavage',
  sent: Sent,
  keyName: KeyName,
  { at = new Date(), ...options }: { fields: string[]; name?: string; params?: string[]; at?: Date },
): Promise<RequestWithBody> {
  const key =
    keyName === 'hmac'
      ? createSigner(sharedSecret, 'hmac-sha256', 'AKEXAMPLE')
      : createSigner(ed25519PrivatePem, 'ed25519', 'AKEXAMPLE')
  return send(sent, async (request, origin) => {
    const headers = { ...sent.headers, host: String(request.getHeader('host')) }
    const message = { method: sent.method, url: origin + sent.path, headers }
    const config = { key, paramValues: { created: at }, ...options }
    const signed = await (mode === 'cavage'
      ? cavage.signMessage(config, message)
      : httpbis.signMessage(config, message))
    for (const [name, value] of Object.entries(signed.headers)) request.setHeader(name, value)
  })
}

/** Returns the third-party clients. Each client signs its requests at `time`, in seconds since 1970. */
export function knownClients(time: number): Record<string, (keyName: KeyName) => Promise<RequestWithBody>> {
  const at = new Date(time * 1000)
  const body = '{"query":"mutation { setAttribute(id: \\"é\\") }"}'
  const headers = {
    Date: at.toUTCString(),
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    'Content-Digest': contentDigest(body),
    Digest: digest(body),
  }
  const post = { method: 'POST', path: '/graphql/v1', headers, body }
  const get = { method: 'GET', path: '/rest/v1/devices?size=10&name=a%20b', headers: { Date: headers.Date } }
  const five = ['(request-target)', 'host', 'date', 'content-type', 'content-length']
  const plugin = ['@method', '@authority', '@target-uri', 'date']
  return {
    'http-signature: five headers': (key) => sendJoyent(post, key, { headers: five }),
    'http-signature: five headers and a digest': (key) => sendJoyent(post, key, { headers: [...five, 'digest'] }),
    'http-signature: three headers, GET': (key) => sendJoyent(get, key, { headers: five.slice(0, 3) }),
    'http-signature: in a Signature header': (key) =>
      sendJoyent(get, key, { headers: five.slice(0, 3), authorizationHeaderName: 'Signature' }),
    'http-message-signatures: as the plugin does': (key) =>
      sendDhensby('httpbis', post, key, { at, fields: plugin, name: 'plugin' }),
    'http-message-signatures: with a digest': (key) =>
      sendDhensby('httpbis', post, key, { at, fields: [...plugin, 'content-digest', 'content-type'] }),
    'http-message-signatures: path and query': (key) =>
      sendDhensby('httpbis', get, key, { at, fields: ['@method', '@authority', '@path', '@query', '@scheme'] }),
    'http-message-signatures: request target': (key) =>
      sendDhensby('httpbis', get, key, {
        at,
        fields: ['@method', '@authority', '@request-target'],
        params: ['created', 'keyid'],
      }),
    'http-message-signatures: cavage': (key) =>
      sendDhensby('cavage', post, key, { at, fields: ['@request-target', 'host', 'date', 'content-type'] }),
    'http-message-signatures: cavage with a digest': (key) =>
      sendDhensby('cavage', post, key, {
        at,
        fields: ['@request-target', 'host', 'date', 'digest'],
        params: ['keyid', 'alg'],
      }),
  }
}
