import { readText, sendRequest } from '../../server/http-fetch.ts'
import { parseJson } from '../state/json-file.ts'

export interface Post {
  url: string
  body: unknown
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

export async function post({ url, body, device, ca }: Post): Promise<PostResponse> {
  const response = await sendRequest(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(device === undefined ? {} : { authorization: basic(device) }),
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    agent: false,
    ...(ca && { ca }),
  })
  return { status: response.statusCode ?? 0, body: parseJson(await readText(response, MAX_BYTES)) }
}

/** Removes the colons from the ID, because an HTTP Basic user name cannot contain a colon (RFC 7617 §2). */
const basic = ({ deviceId, secret }: { deviceId: string; secret: string }): string =>
  `Basic ${Buffer.from(`${deviceId.replaceAll(':', '')}:${secret}`).toString('base64')}`
