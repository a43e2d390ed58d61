import type { IncomingMessage } from 'node:http'

export interface Post {
  url: string
  body: unknown
  /** Credentials of the device, if this machine is already registered. */
  device?: { deviceId: string; secret: string } | undefined
  ca: string[] | undefined
}

export interface PostResponse {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: callers check the fields that they read
  body: any
}

const TIMEOUT_MS = 30_000
const MAX_BYTES = 1024 * 1024

/** Posts JSON and reads the response. Avoids `fetch`, which would use as much memory as the rest of the connection. */
export async function post({ url, body, device, ca }: Post): Promise<PostResponse> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(device === undefined ? {} : { authorization: basic(device) }),
  }
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers, signal, agent: false, ...(ca && { ca }) }, resolve)
    asked.on('error', reject)
    asked.end(text)
  })
  return { status: response.statusCode ?? 0, body: readJson(await readAll(response)) }
}

/** Removes the colons from the ID, because an HTTP Basic user name cannot contain a colon (RFC 7617 §2). */
const basic = ({ deviceId, secret }: { deviceId: string; secret: string }): string =>
  `Basic ${Buffer.from(`${deviceId.replaceAll(':', '')}:${secret}`).toString('base64')}`

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > MAX_BYTES) throw new Error('the response is too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
