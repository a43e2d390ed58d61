import { randomUUID } from 'node:crypto'
import { authenticationReasons } from '../../src/auth/authentication-reasons.ts'
import { generatePassword, hashPassword } from '../../src/auth/sessions/passwords/password.ts'
import { requestReasons } from '../../src/errors.ts'
import { insertAccount } from '../factories/account.ts'
import type { TestApp } from '../harness/app.ts'

export interface BrowserResponse {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of responses
  body: any
  setCookies: string[]
}

export interface BrowserRequest {
  method?: string
  headers?: Record<string, string | undefined>
  /** A value to send as JSON, or a string to send unchanged. */
  body?: unknown
  server?: Pick<TestApp, 'url'>
}

export interface Browser {
  cookies: Map<string, string>
  /**
   * Sends a request with the browser's cookies, and stores the cookies of the response. The default method is POST if
   * the request has a body, or else GET. Omits headers with the value undefined.
   */
  send(path: string, request?: BrowserRequest): Promise<BrowserResponse>
  /** Sends a request to a path below /auth, with POST if the request has a body. */
  auth(path: string, body?: object): Promise<BrowserResponse>
  query(document: string, variables?: Record<string, unknown>, request?: BrowserRequest): Promise<BrowserResponse>
  cookieHeader(): string
}

export function openBrowser(app: Pick<TestApp, 'url'>): Browser {
  const cookies = new Map<string, string>()
  const cookieHeader = (): string => Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')

  const storeCookies = (setCookies: readonly string[]): void => {
    for (const header of setCookies) {
      const [pair = '', ...attributes] = header.split(';').map((part) => part.trim())
      const [name, value] = pair.split(/=(.*)/s) as [string, string]
      const isExpired = attributes.some((attribute) => attribute.toLowerCase() === 'max-age=0')
      if (isExpired) cookies.delete(name)
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
    storeCookies(setCookies)
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

/** All users share one password, because hashing a password takes a tenth of a second of CPU time. */
const password = generatePassword()
let passwordHash: Promise<string> | undefined

export async function newPerson({ db }: Pick<TestApp, 'db'>): Promise<Person> {
  passwordHash ??= hashPassword(password)
  const account = { id: randomUUID(), email: `${randomUUID()}@example.com`, password_hash: await passwordHash }
  await insertAccount(db, account)
  return { id: account.id, email: account.email, password }
}

export async function signIn(app: Pick<TestApp, 'url'>, { email, password }: Person): Promise<Browser> {
  const browser = openBrowser(app)
  const { status, body } = await browser.auth('/sign-in/email', { email, password })
  if (status !== 200 || body.signedIn !== true)
    throw new Error(`Cannot sign in as ${email}: ${status} ${JSON.stringify(body)}`)
  return browser
}

const documentedReasons = { ...authenticationReasons, ...requestReasons }

/** Throws if docs/reference/errors.md, which is generated from `documentedReasons`, does not list the error's reason. */
export function errorOf({ status, body }: BrowserResponse): unknown[] {
  const { code, reason } = body.errors?.[0]?.extensions ?? {}
  if (reason !== undefined && !(reason in documentedReasons))
    throw new Error(`docs/reference/errors.md does not list the reason ${reason}`)
  return [status, code, reason]
}

/** Returns the sign-in methods that a browser's user has used, newest first. */
export async function signInMethods(browser: Browser): Promise<string[]> {
  const { body } = await browser.query('{ login { events(types: [AUTH_LOGIN]) { items { data } } } }')
  return body.data.login.events.items.map(({ data }: { data: { method: string } }) => data.method)
}
