import type { TestApp } from '../harness/app.ts'

export interface DeviceAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: what a route answers is known to its test alone
  body: any
}

/** HTTP Basic as a device sends it: its id without colons, and its secret. */
export const basic = (deviceId: string, secret: string): string =>
  `Basic ${Buffer.from(`${deviceId.replaceAll(':', '')}:${secret}`).toString('base64')}`

/** Posts what a device posts; a string goes out as it is. */
export async function post(
  { url }: Pick<TestApp, 'url'>,
  path: 'register' | 'report' | `register?${string}`,
  body: unknown,
  authorization?: string,
): Promise<DeviceAnswer> {
  const response = await fetch(`${url}/devices/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** Status, code and message of a refusal. */
export const refusalOf = ({ status, body }: DeviceAnswer): [status: number, code: string, message: string] => [
  status,
  body.errors?.[0]?.extensions.code,
  body.errors?.[0]?.message,
]
