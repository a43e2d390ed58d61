import type { Page } from 'playwright-core'

/** Runs a GraphQL operation as the person of a page, and answers its data. */
export type Ask = <Data>(query: string, variables?: object) => Promise<Data>

export function askThrough(page: Page): Ask {
  return async <Data>(query: string, variables: object = {}): Promise<Data> => {
    const answer = (await page.evaluate(send, { query, variables })) as { data?: Data; errors?: unknown }
    if (answer.errors !== undefined || answer.data === undefined) throw new Error(JSON.stringify(answer))
    return answer.data
  }
}

/** Runs in the page. */
async function send(body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json', 'muster-session': '1' }
  const response = await fetch('/graphql/v1', { method: 'POST', headers, body: JSON.stringify(body) })
  return response.json()
}
