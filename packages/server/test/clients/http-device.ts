import type { TestApp } from '../harness/app.ts'

export interface DeviceResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its responses
  body: any
}

export const basic = (deviceId: string, secret: string): string =>
  `Basic ${Buffer.from(`${deviceId.replaceAll(':', '')}:${secret}`).toString('base64')}`

/** Posts a device's request. Sends a string body unchanged, and any other body as JSON. */
export async function post(
  { url }: Pick<TestApp, 'url'>,
  path: 'register' | 'report' | `register?${string}`,
  body: unknown,
  authorization?: string,
): Promise<DeviceResponse> {
  const response = await fetch(`${url}/devices/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(authorization === undefined ? {} : { authorization }) },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

export const errorOf = ({ status, body }: DeviceResponse): [status: number, code: string, message: string] => [
  status,
  body.errors?.[0]?.extensions.code,
  body.errors?.[0]?.message,
]
