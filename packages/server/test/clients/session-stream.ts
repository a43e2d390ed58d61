import type { TestApp } from '../harness/app.ts'
import type { Browser } from './browser.ts'

/** A subscription that a page of the console has open. */
export interface SessionStream {
  status: number
  /** What came until the server ended it. */
  ended: Promise<string>
  cut(): void
}

/** Subscribes to events with the browser's session; resolves once the answer has begun. */
export async function openSessionStream(app: Pick<TestApp, 'url'>, browser: Browser): Promise<SessionStream> {
  const cutting = new AbortController()
  const response = await fetch(`${app.url}/graphql/v1/stream`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'muster-session': '1',
      cookie: browser.cookieHeader(),
    },
    body: JSON.stringify({ query: 'subscription { events { id type } }' }),
    signal: cutting.signal,
  })
  const ended = response.text()
  ended.catch(() => {})
  return { status: response.status, ended, cut: () => cutting.abort() }
}
