import { existsSync } from 'node:fs'
import { type Browser, type BrowserContext, chromium, type LaunchOptions, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, onTestFinished } from 'vitest'
import { createUser } from '../packages/server/src/features/users/users.ts'
import { startTestApp, type TestApp, type TestAppOptions, type TestUser } from '../packages/server/test/app.ts'

/** Where Debian and others put it; MUSTER_CHROMIUM names another. */
const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
const executablePath = process.env.MUSTER_CHROMIUM ?? places.find((place) => existsSync(place))

/** Pages of the console in a real browser. Without a Chromium they are named as not run, and fail where CI is set. */
export function describeConsole(name: string, tests: () => void): void {
  if (executablePath === undefined && process.env.CI) throw new Error('the tests of the console need chromium')
  describe.skipIf(executablePath === undefined)(executablePath === undefined ? `${name} (needs chromium)` : name, tests)
}

/** Somebody who can sign in with a password, and whose access key tests use beside the browser. */
export interface Person extends TestUser {
  password: string
}

export interface Console {
  app: TestApp
  newPerson(): Promise<Person>
  /** A browser window of its own, signed in. Errors that the page throws fail the test. */
  open(person: Person, options?: OpenOptions): Promise<Page>
  /** The same, not signed in. */
  openSignedOut(options?: OpenOptions): Promise<Page>
}

export interface OpenOptions {
  path?: string
  colorScheme?: 'light' | 'dark'
  viewport?: { width: number; height: number }
}

const WAIT_MS = 100_000

// Chromium's own requests to its maker end nowhere on a closed network; a container has no sandbox to give.
const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** How the browser is started. */
export const chromiumOptions: LaunchOptions = {
  args: chromiumArgs,
  ...(executablePath === undefined ? {} : { executablePath }),
}

/** A server with the built console and a browser, for the tests of a `describeConsole`. */
export function startConsole(options: TestAppOptions = {}): Console {
  const parts = {} as { app: TestApp; browser: Browser }
  beforeAll(async () => {
    parts.app = await startTestApp(options)
    parts.browser = await chromium.launch(chromiumOptions)
  })
  afterAll(async () => {
    await parts.browser?.close()
    await parts.app?.close()
  })

  const openSignedOut = async ({ path = '/', ...look }: OpenOptions = {}): Promise<Page> => {
    const context = await parts.browser.newContext({ viewport: { width: 1280, height: 800 }, ...look })
    // A slow machine is no failure; what never comes is named just before the test itself gives up.
    context.setDefaultTimeout(WAIT_MS)
    const faults = collectFaults(context)
    const page = await context.newPage()
    onTestFinished(async () => {
      await context.close()
      if (faults.length > 0) throw new Error(`the page threw: ${faults.join('; ')}`)
    })
    await page.goto(`${parts.app.url}${path}`)
    return page
  }

  return {
    get app() {
      return parts.app
    },
    newPerson: () => newPersonOf(parts.app),
    openSignedOut,
    async open(person, { path = '/devices', ...look } = {}) {
      const page = await openSignedOut({ path, ...look })
      await signIn(page, person)
      await page.getByRole('navigation').first().waitFor({ state: 'attached' })
      return page
    },
  }
}

export async function newPersonOf(app: TestApp): Promise<Person> {
  const user = await app.createUser()
  return { ...user, password: await givePassword(app, user) }
}

export async function signIn(page: Page, { email, password }: Pick<Person, 'email' | 'password'>): Promise<void> {
  await page.getByRole('textbox', { name: 'E-mail' }).fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
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

/** The users of tests come without a known password; a new user's is put on them. */
async function givePassword({ db }: TestApp, { accountId }: TestUser): Promise<string> {
  const { id, password } = await createUser(db, { email: `password-${accountId}@example.com` })
  const { password_hash } = await db
    .selectFrom('account')
    .select('password_hash')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await db.updateTable('account').set({ password_hash }).where('id', '=', accountId).execute()
  return password
}
