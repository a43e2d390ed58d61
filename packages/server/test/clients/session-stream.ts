import type { TestApp } from '../harness/app.ts'
import type { Browser } from './browser.ts'

/** An open subscription of a page of the console. */
export interface SessionStream {
  status: number
  /** The received text, when the server has ended the response. */
  ended: Promise<string>
  cut(): void
}

/** Subscribes to events with the browser's session. Resolves when the response starts. */
export async function openSessionStream(app: Pick<TestApp, 'url'>, browser: Browser): Promise<SessionStream> {
  const controller = new AbortController()
  const response = await fetch(`${app.url}/graphql/v1/stream`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'muster-session': '1',
      cookie: browser.cookieHeader(),
    },
    body: JSON.stringify({ query: 'subscription { events { id type } }' }),
    signal: controller.signal,
  })
  const ended = response.text()
  ended.catch(() => {})
  return { status: response.status, ended, cut: () => controller.abort() }
}
