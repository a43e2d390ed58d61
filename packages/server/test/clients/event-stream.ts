import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { signRequest } from '@muster/http-signature'
import { onTestFinished } from 'vitest'
import type { TestApp, TestUser } from '../harness/app.ts'

export interface StreamMessage {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the shape of its responses
  data: any
}

export interface RawStream {
  status: number
  headers: IncomingMessage['headers']
  response: IncomingMessage
  messages: StreamMessage[]
  text(): string
  /** Resolves when the server ends the response or the connection closes. */
  ended: Promise<void>
  cut(): void
}

export interface StreamRequest {
  app: Pick<TestApp, 'url'>
  user: TestUser
  query: string
  variables?: Record<string, unknown>
  headers?: Record<string, string>
  /** The default is /graphql/v1/stream. */
  path?: string
}

export function signStream({ app, user, query, variables, headers: more, path }: StreamRequest): {
  url: string
  body: string
  headers: Record<string, string>
} {
  const url = `${app.url}${path ?? '/graphql/v1/stream'}`
  const body = JSON.stringify({ query, variables })
  const headers = { 'content-type': 'application/json', accept: 'text/event-stream', ...more }
  const signature = signRequest({
    keyId: user.keyId,
    key: { algorithm: 'hmac-sha256', secret: Buffer.from(user.secret, 'base64') },
    method: 'POST',
    url,
    headers,
    body,
    created: Math.floor(Date.now() / 1_000),
  })
  return { url, body, headers: { ...headers, ...signature } }
}

/** Opens an event stream. Resolves when the response starts. */
export async function openStream(streamRequest: StreamRequest): Promise<RawStream> {
  const { url, body, headers } = signStream(streamRequest)
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent: ClientRequest = httpRequest(url, { method: 'POST', headers: headers, agent: false }, resolve)
    sent.on('error', reject)
    sent.end(body)
  })
  const messages: StreamMessage[] = []
  const parts: string[] = []
  let rest = ''
  response.setEncoding('utf8')
  response.on('data', (text: string) => {
    parts.push(text)
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop()!
    for (const block of blocks) messages.push(...parse(block))
  })
  const ended = new Promise<void>((resolve) => {
    response.on('error', () => {})
    response.on('close', resolve)
  })
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    response,
    messages,
    text: () => parts.join(''),
    ended,
    cut: () => void response.destroy(),
  }
}

/** Opens an event stream, and closes the stream at the end of the test. */
export async function openTestStream(streamRequest: StreamRequest): Promise<RawStream> {
  const stream = await openStream(streamRequest)
  onTestFinished(() => stream.cut())
  return stream
}

/** Waits until the condition is true. The test timeout limits the wait. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5)
}

function parse(block: string): StreamMessage[] {
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
  if (lines.length === 0) return []
  const fields = new Map(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
  const data = fields.get('data') ?? ''
  return [{ event: fields.get('event') ?? 'message', data: data === '' ? undefined : JSON.parse(data) }]
}

/** A subscription to events, with the fields and filters that most tests need. */
export const EVENTS =
  'subscription ($types: [EventType!], $deviceId: [String!], $after: ID) { events(types: $types, deviceId: $deviceId, after: $after) { id type owner { id } actor { id } target { id name kind } data } }'

export const eventsOf = ({ messages }: RawStream): Record<string, unknown>[] =>
  messages.filter(({ event }) => event === 'next').map(({ data }) => data.data.events)

export const namesOf = (stream: RawStream): unknown[] =>
  eventsOf(stream).map(({ data }) => (data as { name?: unknown }).name)

/** Returns the error code of each `next` message (undefined if none), and the event name of each other message. */
export const codesOf = ({ messages }: RawStream): unknown[] =>
  messages.map(({ event, data }) => (event === 'next' ? data.errors?.[0].extensions.code : event))
