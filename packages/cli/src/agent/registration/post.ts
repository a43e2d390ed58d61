import type { IncomingMessage } from 'node:http'

export interface Post {
  url: string
  body: unknown
  /** A device that shows who it is. */
  device?: { deviceId: string; secret: string } | undefined
  ca: string[] | undefined
}

export interface PostAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: whoever asks knows what is answered, and checks it
  body: any
}

const WITHIN_MS = 30_000
const MOST_BYTES = 1024 * 1024

/** Posts JSON and reads the answer. `fetch` would take as much memory as the rest of the agent's connection. */
export async function post({ url, body, device, ca }: Post): Promise<PostAnswer> {
  const { request } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  const text = JSON.stringify(body)
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(device === undefined ? {} : { authorization: basic(device) }),
  }
  const signal = AbortSignal.timeout(WITHIN_MS)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const asked = request(url, { method: 'POST', headers, signal, agent: false, ...(ca && { ca }) }, resolve)
    asked.on('error', reject)
    asked.end(text)
  })
  return { status: response.statusCode ?? 0, body: readJson(await readAll(response)) }
}

/** A user name of HTTP Basic holds no colon (RFC 7617 §2), so the id goes without. */
const basic = ({ deviceId, secret }: { deviceId: string; secret: string }): string =>
  `Basic ${Buffer.from(`${deviceId.replaceAll(':', '')}:${secret}`).toString('base64')}`

async function readAll(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of response) {
    length += chunk.length
    if (length > MOST_BYTES) throw new Error('the answer is too long')
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
