import { Agent, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { AccessKey } from './population.ts'
import { type Operation, signOperation } from './requests.ts'

export interface Response {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: only the caller knows the shape of its response
  body: any
  headers: IncomingMessage['headers']
}

const RESPONSE_WITHIN_MS = 60_000
const REQUEST_EVERY_MS = 100
const SMALLEST: Operation = { query: '{ login { email } }' }

export function createUser(url: string, key: AccessKey, localAddress: string) {
  const agent = new Agent({ keepAlive: true, localAddress })
  return {
    async send(operation: Operation): Promise<Response> {
      const { path, headers, body } = signOperation(url, key, operation)
      const signal = AbortSignal.timeout(RESPONSE_WITHIN_MS)
      const response = await new Promise<IncomingMessage>((resolve, reject) => {
        httpRequest(`${url}${path}`, { method: 'POST', agent, headers, signal }, resolve).on('error', reject).end(body)
      })
      let text = ''
      for await (const part of response.setEncoding('utf8')) text += part
      return { status: response.statusCode!, body: JSON.parse(text), headers: response.headers }
    },
    close: () => agent.destroy(),
  }
}

export interface OtherUserResult {
  times: number[]
  rejections: Record<string, number>
}

/**
 * Sends the smallest query ten times per second, without waiting for responses, until `signal` is aborted. Returns the
 * sorted response times, in milliseconds, and the number of rejections of each kind.
 */
export async function measureOtherUser(
  url: string,
  key: AccessKey,
  localAddress: string,
  signal: AbortSignal,
): Promise<OtherUserResult> {
  const user = createUser(url, key, localAddress)
  const times: number[] = []
  const rejections: Record<string, number> = {}
  const inFlight = new Set<Promise<void>>()
  const sendQuery = async (): Promise<void> => {
    const started = performance.now()
    const failure = await user.send(SMALLEST).then(failureOf, failedBy)
    times.push(performance.now() - started)
    if (failure !== undefined) rejections[failure] = (rejections[failure] ?? 0) + 1
  }
  while (!signal.aborted) {
    const request = sendQuery().finally(() => inFlight.delete(request))
    inFlight.add(request)
    await sleep(REQUEST_EVERY_MS)
  }
  await Promise.all(inFlight)
  user.close()
  return { times: times.sort((a, b) => a - b), rejections }
}

const failureOf = ({ status, body }: Response): string | undefined =>
  status === 200 && body.errors === undefined
    ? undefined
    : `${status} ${body.errors?.[0]?.extensions?.code ?? ''}`.trim()

const failedBy = (error: NodeJS.ErrnoException): string => error.code ?? error.name

export const percentile = (sorted: readonly number[], part: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
