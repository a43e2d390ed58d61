import type { Page } from 'playwright-core'

export type RunOperation = <Data>(query: string, variables?: object) => Promise<Data>

export function operationsOf(page: Page): RunOperation {
  return async <Data>(query: string, variables: object = {}): Promise<Data> => {
    const response = (await page.evaluate(send, { query, variables })) as { data?: Data; errors?: unknown }
    if (response.errors !== undefined || response.data === undefined) throw new Error(JSON.stringify(response))
    return response.data
  }
}

/** Sends a GraphQL operation. Playwright runs this function in the page, which has the session's cookie. */
async function send(body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'muster-session': '1' }
  const response = await fetch('/graphql/v1', { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json()
}
