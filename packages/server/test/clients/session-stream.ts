import type { TestApp } from '../harness/app.ts'
import type { Browser } from './browser.ts'

export interface SessionStream {
  status: number
  /** Resolves with the received text when the server ends the response. */
  ended: Promise<string>
  cut(): void
}

/** Subscribes to events with a browser's session. Resolves when the response starts. */
export const openSessionStream = (app: Pick<TestApp, 'url'>, browser: Browser): Promise<SessionStream> =>
  openStreamOf(app, { 'muster-session': '1', cookie: browser.cookieHeader() })

/** Subscribes to events with the headers of a session. Resolves when the response starts. */
export async function openStreamOf(
  app: Pick<TestApp, 'url'>,
  headers: Readonly<Record<string, string>>,
): Promise<SessionStream> {
  const controller = new AbortController()
  const response = await fetch(`${app.url}/graphql/v1/stream`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify({ query: 'subscription { events { id type } }' }),
    signal: controller.signal,
  })
  const ended = response.text()
  ended.catch(() => {})
  return { status: response.status, ended, cut: () => controller.abort() }
}
