import type { JWTPayload } from 'jose'
import { type Browser, type BrowserResponse, openBrowser } from '../clients/browser.ts'
import type { TestApp } from '../harness/app.ts'
import { CLIENT, type Forgery, type ForgingProvider } from './forging-provider.ts'

/** No server listens at this URL. The tests send the provider's redirects to the server themselves. */
export const PUBLIC_URL = 'http://muster.example'

export const ssoSettings = (issuer: string): Record<string, string> => ({
  MUSTER_OIDC_ISSUER: issuer,
  MUSTER_OIDC_CLIENT_ID: CLIENT.id,
  MUSTER_OIDC_CLIENT_SECRET: CLIENT.secret,
  MUSTER_OIDC_ALLOW: '127.0.0.1',
  MUSTER_PUBLIC_URL: PUBLIC_URL,
})

export interface SignOn {
  browser: Browser
  authorizationUrl: string
  /** The correct parameters of the provider's redirect to the server. */
  response: Record<string, string>
  finish(response?: Record<string, string | undefined>, from?: Browser): Promise<BrowserResponse>
}

export interface SignOnOptions {
  claims: JWTPayload
  forgery?: Forgery
  query?: string
  browser?: Browser
}

export async function startSignOn(
  app: Pick<TestApp, 'url'>,
  provider: ForgingProvider,
  options: SignOnOptions,
): Promise<SignOn> {
  const { claims, forgery, query = '', browser = openBrowser(app) } = options
  const start = await navigate(browser, `/auth/sso/start?${query}`)
  const authorizationUrl = start.headers.get('location') ?? ''
  if (start.status !== 302) throw new Error(`The sign-in did not start: ${start.status} ${authorizationUrl}`)
  const code = provider.issueCode(authorizationUrl, claims, forgery)
  const response = { code, state: new URL(authorizationUrl).searchParams.get('state')!, iss: provider.issuer }
  return {
    browser,
    authorizationUrl,
    response,
    finish(given = response, from = browser) {
      const known = Object.entries(given).filter((pair): pair is [string, string] => pair[1] !== undefined)
      return navigate(from, `/auth/sso/callback?${new URLSearchParams(known)}`)
    },
  }
}

/** Opens a page as a redirect from another site does. */
export const navigate = (browser: Browser, path: string): Promise<BrowserResponse> =>
  browser.send(path, { headers: { 'muster-session': undefined, 'sec-fetch-site': 'cross-site' } })

/** Signs in through the provider. Throws if the sign-in fails. */
export async function signOn(
  app: Pick<TestApp, 'url'>,
  provider: ForgingProvider,
  options: SignOnOptions,
): Promise<Browser> {
  const attempt = await startSignOn(app, provider, options)
  const { status, headers } = await attempt.finish()
  const location = headers.get('location') ?? ''
  if (status !== 303 || location.startsWith('/sign-in')) throw new Error(`Cannot sign in: ${status} ${location}`)
  return attempt.browser
}

/** Returns a function that opens the provider's redirect, which completes the link. */
export async function startLink(
  browser: Browser,
  provider: ForgingProvider,
  claims: JWTPayload,
  forgery?: Forgery,
): Promise<() => Promise<BrowserResponse>> {
  const { redirect } = (await browser.auth('/sso/link', {})).body
  const query = new URLSearchParams({
    code: provider.issueCode(redirect, claims, forgery),
    state: new URL(redirect).searchParams.get('state')!,
    iss: provider.issuer,
  })
  return () => browser.send(`/auth/sso/callback?${query}`)
}

/** Signs in with these options. Returns the reason code if the sign-in fails, otherwise undefined. */
export async function failureOf(
  app: Pick<TestApp, 'url'>,
  provider: ForgingProvider,
  options: SignOnOptions,
): Promise<string | undefined> {
  const attempt = await startSignOn(app, provider, options)
  return reasonIn(await attempt.finish())
}

export const reasonIn = ({ headers }: BrowserResponse): string | undefined =>
  /^\/sign-in\?error=(.*)$/.exec(headers.get('location') ?? '')?.[1]

export async function personIn(browser: Browser): Promise<{ id: string; email: string } | null> {
  const { body } = await browser.auth('/get-session')
  return body.user
}
