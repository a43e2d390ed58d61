import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished } from 'vitest'
import { newPerson } from '../packages/server/test/clients/browser.ts'
import { startTestApp, type TestApp, type TestAppOptions, type TestUser } from '../packages/server/test/harness/app.ts'
import { chromiumOptions, hasChromium } from './chromium.ts'

/** A slow machine is no failure: a test has many steps, and one of them that never comes is named long before. */
const TEST_MS = 600_000
const WAIT_MS = 100_000

/** Pages of the console in a real browser. Without a Chromium they are named as not run, and fail where CI is set. */
export function describeConsole(name: string, tests: () => void): void {
  if (!hasChromium && process.env.CI) throw new Error('the tests of the console need chromium')
  const title = hasChromium ? name : `${name} (needs chromium)`
  describe.skipIf(!hasChromium)(title, { timeout: TEST_MS }, tests)
}

/** Somebody who can sign in with a password, and whose access key tests use beside the browser. */
export interface Person extends TestUser {
  password: string
}

export interface Console {
  app: TestApp
  newPerson(): Promise<Person>
  /** A browser window of its own, signed in, with its live connection. Errors that the page throws fail the test. */
  open(person: Person, options?: OpenOptions): Promise<Page>
  /** The same, not signed in. */
  openSignedOut(options?: OpenOptions): Promise<Page>
  /** Resolves once the page waits for no answer of the API: what it asks for by itself is shown. */
  answered(page: Page): Promise<void>
}

export interface OpenOptions {
  path?: string
  colorScheme?: 'light' | 'dark'
  viewport?: { width: number; height: number }
}

let started: Promise<Browser> | undefined

/** One for all files of a worker, with whose process it ends: a window has nothing of the others. */
async function theBrowser(): Promise<Browser> {
  started ??= chromium.launch(chromiumOptions)
  const browser = await started
  if (browser.isConnected()) return browser
  started = undefined
  return theBrowser()
}

/** A server with the built console, for the tests of a `describeConsole`. */
export function startConsole(options: TestAppOptions = {}): Console {
  const parts = {} as { app: TestApp }
  const unanswered = new WeakMap<Page, Set<unknown>>()
  beforeAll(async () => {
    parts.app = await startTestApp(options)
  })
  afterAll(() => parts.app?.close())

  const newWindow = async (look: Omit<OpenOptions, 'path'>): Promise<Page> => {
    const browser = await theBrowser()
    // A page that moves is another from moment to moment.
    const context = await browser.newContext({
      viewport: { width: 1280, height: 800 },
      reducedMotion: 'reduce',
      ...look,
    })
    context.setDefaultTimeout(WAIT_MS)
    const faults = collectFaults(context)
    onTestFinished(async () => {
      await context.close()
      if (faults.length > 0) throw new Error(`the page threw: ${faults.join('; ')}`)
    })
    const page = await context.newPage()
    unanswered.set(page, collectUnanswered(page))
    return page
  }

  return {
    get app() {
      return parts.app
    },
    newPerson: () => newPersonOf(parts.app),
    async openSignedOut({ path = '/', ...look } = {}) {
      const page = await newWindow(look)
      await page.goto(`${parts.app.url}${path}`)
      return page
    },
    async open(person, { path = '/devices', ...look } = {}) {
      const page = await newWindow(look)
      await startSession(page.context(), parts.app.url, person)
      const live = page.waitForResponse('**/graphql/v1/stream')
      await page.goto(`${parts.app.url}${path}`)
      await page.getByRole('navigation').first().waitFor({ state: 'attached' })
      await live
      return page
    },
    answered: (page) => expect.poll(() => unanswered.get(page)?.size).toBe(0),
  }
}

export async function newPersonOf(app: TestApp): Promise<Person> {
  const user = await app.createUser()
  return { ...user, password: await givePassword(app, user) }
}

/** Signs in as the page for that does, without it. */
async function startSession(context: BrowserContext, url: string, { email, password }: Person): Promise<void> {
  const answer = await context.request.post(`${url}/auth/sign-in/email`, {
    headers: { 'muster-session': '1', origin: url },
    data: { email, password },
  })
  if (!answer.ok()) throw new Error(`signing in failed: ${answer.status()} ${await answer.text()}`)
}

/** Signs in on the page for that. */
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

/** What the pages of a window throw, and what their policy keeps out. */
function collectFaults(context: BrowserContext): string[] {
  const faults: string[] = []
  context.on('weberror', (error) => faults.push(error.error().message))
  context.on('console', (message) => {
    if (message.type() === 'error' && /Content.Security.Policy/i.test(message.text())) faults.push(message.text())
  })
  return faults
}

/** Requests to the API that the page has made and that have no answer; subscriptions, which go on, are none of them. */
function collectUnanswered(page: Page): Set<unknown> {
  const requests = new Set<unknown>()
  page.on('request', (request) => {
    if (request.url().endsWith('/graphql/v1')) requests.add(request)
  })
  page.on('requestfinished', (request) => requests.delete(request))
  page.on('requestfailed', (request) => requests.delete(request))
  return requests
}

/** The users of tests come without a known password; a new person's is put on them. */
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
