import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { describe, expect, onTestFinished } from 'vitest'
import { newPerson } from '../packages/server/test/clients/browser.ts'
import { sharedTestApp, type TestApp, type TestAppOptions, type TestUser } from '../packages/server/test/harness/app.ts'
import { hasChromium, shellOptions } from './chromium.ts'

/** The time limit of a test. A step that never completes fails after `WAIT_MS`, with an error that names the step. */
const TEST_MS = 600_000
const WAIT_MS = 100_000
/** The maximum number of characters that a failed test prints of a page's text. */
const SHOWN = 4_000

export function describeConsole(name: string, tests: () => void): void {
  if (!hasChromium && process.env.CI)
    throw new Error('The console tests require Chromium. Install it, or set MUSTER_CHROMIUM to its path.')
  const title = hasChromium ? name : `${name} (requires chromium)`
  describe.skipIf(!hasChromium)(title, { timeout: TEST_MS }, tests)
}

export interface Person extends TestUser {
  password: string
}

export interface Console {
  app: TestApp
  newPerson(): Promise<Person>
  /**
   * Opens a separate signed-in browser window with a live connection. Uncaught errors on the page and violations of the
   * Content-Security-Policy fail the test.
   */
  open(person: Person, options?: OpenOptions): Promise<Page>
  openSignedOut(options?: OpenOptions): Promise<Page>
  waitForResponses(page: Page): Promise<void>
}

export interface OpenOptions {
  path?: string
  colorScheme?: 'light' | 'dark'
  viewport?: { width: number; height: number }
  /** Whether the page can install service workers. By default, it cannot. */
  serviceWorkers?: 'allow' | 'block'
}

let started: Promise<Browser> | undefined

/** Returns the browser that all test files of a worker process share. Windows share no state. */
async function getBrowser(): Promise<Browser> {
  started ??= chromium.launch(shellOptions)
  const browser = await started
  if (browser.isConnected()) return browser
  started = undefined
  return getBrowser()
}

export function startConsole(options: TestAppOptions = {}): Console {
  const app = sharedTestApp(options)
  const pendingRequests = new WeakMap<Page, Set<unknown>>()

  const newWindow = async (options: Omit<OpenOptions, 'path'>): Promise<Page> => {
    const browser = await getBrowser()
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      // Animations would make the results of checks depend on timing.
      reducedMotion: 'reduce',
      // Each window would install the service worker again, which takes seconds of CPU time.
      serviceWorkers: 'block',
      ...options,
    })
    context.setDefaultTimeout(WAIT_MS)
    const errors = collectErrors(context)
    onTestFinished(async ({ task }) => {
      if (task.result?.state === 'fail') for (const page of context.pages()) await describePage(page)
      await context.close()
      if (errors.length > 0) throw new Error(`The page caused errors: ${errors.join('; ')}`)
    })
    const page = await context.newPage()
    pendingRequests.set(page, trackPendingRequests(page))
    return page
  }

  return {
    app,
    newPerson: () => newPersonOf(app),
    async openSignedOut({ path = '/', ...options } = {}) {
      const page = await newWindow(options)
      await page.goto(`${app.url}${path}`)
      return page
    },
    async open(person, { path = '/devices', ...options } = {}) {
      const page = await newWindow(options)
      await startSession(page.context(), app.url, person)
      const live = page.waitForResponse('**/graphql/v1/stream')
      await page.goto(`${app.url}${path}`)
      await page.getByRole('navigation').first().waitFor({ state: 'attached' })
      await live
      return page
    },
    waitForResponses: (page) => expect.poll(() => pendingRequests.get(page)?.size).toBe(0),
  }
}

export async function newPersonOf(app: TestApp): Promise<Person> {
  const user = await app.createUser()
  return { ...user, password: await givePassword(app, user) }
}

/** Signs in with a request instead of the sign-in page. */
async function startSession(context: BrowserContext, url: string, { email, password }: Person): Promise<void> {
  const response = await context.request.post(`${url}/auth/sign-in/email`, {
    headers: { 'muster-session': '1', origin: url },
    data: { email, password },
  })
  if (!response.ok())
    throw new Error(`Cannot sign in as ${email}: status ${response.status()}, body ${await response.text()}`)
}

export async function signIn(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByRole('textbox', { name: 'Email' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

export async function signOut(page: Page, { email }: Pick<Person, 'email'>): Promise<void> {
  await page.getByRole('button', { name: email }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

/** Prints the text of a page, because the error of a failed step names only the expected content. */
async function describePage(page: Page): Promise<void> {
  const text = await page.innerText('body', { timeout: 5_000 }).catch(String)
  console.error(`${page.url()} shows:\n${text.slice(0, SHOWN)}`)
}

function collectErrors(context: BrowserContext): string[] {
  const errors: string[] = []
  context.on('weberror', (error) => errors.push(error.error().message))
  context.on('console', (message) => {
    if (message.type() === 'error' && /Content.Security.Policy/i.test(message.text())) errors.push(message.text())
  })
  return errors
}

/** Tracks the page's GraphQL requests in flight, except subscriptions, which stay open. */
function trackPendingRequests(page: Page): Set<unknown> {
  const requests = new Set<unknown>()
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql/v1')) requests.add(request)
  })
  page.on('requestfinished', (request) => requests.delete(request))
  page.on('requestfailed', (request) => requests.delete(request))
  return requests
}

/** Gives a test user a known password by copying a new user's password hash. */
async function givePassword(app: TestApp, { accountId }: TestUser): Promise<string> {
  const { id, password } = await newPerson(app)
  const { password_hash } = await app.db
    .selectFrom('account')
    .select('password_hash')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await app.db.updateTable('account').set({ password_hash }).where('id', '=', accountId).execute()
  return password
}
