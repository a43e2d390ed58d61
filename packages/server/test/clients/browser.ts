import { randomUUID } from 'node:crypto'
import { generatePassword, hashPassword } from '../../src/auth/sessions/password.ts'
import type { TestApp } from '../harness/app.ts'

export interface BrowserAnswer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: an answer's shape is what is tested
  body: any
  /** Set-Cookie headers as received. */
  setCookies: string[]
}

export interface BrowserRequest {
  method?: string
  headers?: Record<string, string | undefined>
  /** Sent as it is where it is a string. */
  body?: unknown
  server?: Pick<TestApp, 'url'>
}

/** A page of the console in a browser of its own, which keeps its cookies. */
export interface Browser {
  cookies: Map<string, string>
  /** A call of the console: POST where there is a body. Headers given undefined are left away. */
  send(path: string, request?: BrowserRequest): Promise<BrowserAnswer>
  /** `send` to /auth, with a body by POST. */
  auth(path: string, body?: object): Promise<BrowserAnswer>
  /** An operation with the session. */
  query(document: string, variables?: Record<string, unknown>, request?: BrowserRequest): Promise<BrowserAnswer>
  cookieHeader(): string
}

export function openBrowser(app: Pick<TestApp, 'url'>): Browser {
  const cookies = new Map<string, string>()
  const cookieHeader = (): string => Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')

  const keep = (setCookies: readonly string[]): void => {
    for (const header of setCookies) {
      const [pair = '', ...attributes] = header.split(';').map((part) => part.trim())
      const [name, value] = pair.split(/=(.*)/s) as [string, string]
      const isOver = attributes.some((attribute) => attribute.toLowerCase() === 'max-age=0')
      if (isOver) cookies.delete(name)
      else cookies.set(name, value)
    }
  }

  const send: Browser['send'] = async (path, { body, server = app, ...request } = {}) => {
    const method = request.method ?? (body === undefined ? 'GET' : 'POST')
    const headers: Record<string, string | undefined> = {
      ...(cookies.size > 0 && { cookie: cookieHeader() }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      'muster-session': '1',
      'user-agent': 'Test Browser',
      ...(method === 'POST' && { origin: server.url }),
      ...request.headers,
    }
    const response = await fetch(`${server.url}${path}`, {
      method,
      headers: Object.entries(headers).filter((pair): pair is [string, string] => pair[1] !== undefined),
      redirect: 'manual',
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const setCookies = response.headers.getSetCookie()
    keep(setCookies)
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parse(text), setCookies }
  }
  return {
    cookies,
    cookieHeader,
    send,
    auth: (path, body) => send(`/auth${path}`, body && { body }),
    query: (query, variables, request) => send('/graphql/v1', { body: { query, variables }, ...request }),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

export interface Person {
  id: string
  email: string
  password: string
}

/** One for all: to hash a password takes a tenth of a second of processor time, on purpose. */
const password = generatePassword()
let passwordHash: Promise<string> | undefined

export async function newPerson({ db }: Pick<TestApp, 'db'>): Promise<Person> {
  passwordHash ??= hashPassword(password)
  const account = { id: randomUUID(), email: `${randomUUID()}@example.com`, password_hash: await passwordHash }
  await db.insertInto('account').values(account).execute()
  return { id: account.id, email: account.email, password }
}

/** A browser of this person, signed in. */
export async function signIn(app: Pick<TestApp, 'url'>, { email, password }: Person): Promise<Browser> {
  const browser = openBrowser(app)
  const { status, body } = await browser.auth('/sign-in/email', { email, password })
  if (status !== 200 || body.signedIn !== true) throw new Error(`signing in failed: ${status} ${JSON.stringify(body)}`)
  return browser
}

/** Code and reason of what was refused. */
export const refusalOf = ({ status, body }: BrowserAnswer): unknown[] => [
  status,
  body.errors?.[0]?.extensions?.code,
  body.errors?.[0]?.extensions?.reason,
]

/** How the user of a browser has signed in, the last time first. */
export async function signInMethods(browser: Browser): Promise<string[]> {
  const { body } = await browser.query('{ login { events(types: [AUTH_LOGIN]) { items { data } } } }')
  return body.data.login.events.items.map(({ data }: { data: { method: string } }) => data.method)
}
