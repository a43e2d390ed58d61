import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { signRequest } from '@muster/http-signature'
import { onTestFinished } from 'vitest'
import type { TestApp, TestUser } from '../harness/app.ts'

export interface StreamMessage {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: what a document answers is known to its test alone
  data: any
}

/** An answer of Server-Sent Events, read by hand. */
export interface RawStream {
  status: number
  headers: IncomingMessage['headers']
  response: IncomingMessage
  /** The messages so far, comments apart. */
  messages: StreamMessage[]
  /** Everything as received. */
  text(): string
  /** Resolves when the server has ended the answer, or the connection has gone. */
  ended: Promise<void>
  /** Cuts the connection. */
  cut(): void
}

export interface StreamRequest {
  app: Pick<TestApp, 'url'>
  user: TestUser
  query: string
  variables?: Record<string, unknown>
  headers?: Record<string, string>
  /** Another way to write the stream's. */
  path?: string
}

/** The headers that sign a request to the stream of a server. */
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

/** Resolves once the answer has begun. */
export async function openStream(given: StreamRequest): Promise<RawStream> {
  const { url, body, headers } = signStream(given)
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

/** The same, and it is cut when the test is over. */
export async function openStreamOfTest(given: StreamRequest): Promise<RawStream> {
  const stream = await openStream(given)
  onTestFinished(() => stream.cut())
  return stream
}

/** Until it holds; a test that waits in vain ends by its own time limit. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await sleep(5)
}

function parse(block: string): StreamMessage[] {
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'))
  if (lines.length === 0) return []
  const fields = new Map(lines.map((line) => line.split(/: ?(.*)/s, 2) as [string, string]))
  const data = fields.get('data') ?? ''
  return [{ event: fields.get('event') ?? 'message', data: data === '' ? undefined : JSON.parse(data) }]
}

/** Everything that an event of a subscription has, and its filters. */
export const EVENTS =
  'subscription ($types: [EventType!], $deviceId: [String!], $after: ID) { events(types: $types, deviceId: $deviceId, after: $after) { id type owner { id } actor { id } target { id name kind } data } }'

export const eventsOf = ({ messages }: RawStream): Record<string, unknown>[] =>
  messages.filter(({ event }) => event === 'next').map(({ data }) => data.data.events)

/** The names that events tell in their data. */
export const namesOf = (stream: RawStream): unknown[] =>
  eventsOf(stream).map(({ data }) => (data as { name?: unknown }).name)

/** The codes of errors, and the names of what else came. */
export const codesOf = ({ messages }: RawStream): unknown[] =>
  messages.map(({ event, data }) => (event === 'next' ? data.errors?.[0].extensions.code : event))
