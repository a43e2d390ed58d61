import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumOptions } from '../e2e/chromium.ts'
import { furnish } from './screenshots/furnish.ts'
import { startReceivers } from './screenshots/receivers.ts'

// Takes the pictures in docs/screenshots: a server of its own with a made-up fleet, and the main pages of the built console.
// `npm run build`, then `node scripts/screenshots.ts`; MUSTER_CHROMIUM names the browser.

const root = fileURLToPath(new URL('..', import.meta.url))
const pictures = join(root, 'docs/screenshots')

const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }
const schemes = ['light', 'dark'] as const

const folder = await mkdtemp(join(tmpdir(), 'muster-screenshots-'))
const receivers = await startReceivers()
const server = spawn(process.execPath, [join(root, 'packages/server/src/main.ts')], {
  env: {
    PATH: process.env.PATH,
    PORT: '0',
    MUSTER_MQTT_PORT: '0',
    MUSTER_DATA: folder,
    MUSTER_WEBHOOK_ALLOW: '127.0.0.0/8',
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
const ended = new Promise((resolve) => server.once('close', resolve))
try {
  const url = await readyUrl()
  seed()
  const browser = await chromium.launch(chromiumOptions)
  try {
    await takeAll(browser, url)
  } finally {
    await browser.close()
  }
} finally {
  server.kill()
  await ended
  await receivers.close()
  await rm(folder, { recursive: true, force: true })
}

async function readyUrl(): Promise<string> {
  let said = ''
  for await (const chunk of server.stdout) {
    said += chunk
    const url = /ready at (http:\S+)/.exec(said)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`the server did not start: ${said}`)
}

function seed(): void {
  const args = [join(root, 'packages/cli/bin/muster.js'), 'seed', '--devices', '320', '--services', '3']
  const { status } = spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: folder, MUSTER_DATA: folder },
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error('the fleet could not be made')
}

async function takeAll(browser: Browser, url: string): Promise<void> {
  await mkdir(pictures, { recursive: true })
  const person = await readPerson()
  const first = await browser.newPage({ viewport: sizes.desktop })
  await signIn(first, url, person)
  const places = await furnish(first, receivers)
  await first.close()
  for (const colorScheme of schemes) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const page = await browser.newPage({ colorScheme, viewport })
      const take = async (name: string): Promise<void> => {
        await page.waitForFunction('[...document.images].every((image) => image.complete)')
        await page.screenshot({ path: join(pictures, `${name}-${size}-${colorScheme}.png`), animations: 'disabled' })
      }
      await page.goto(url)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      if (size === 'desktop') await take('sign-in')
      await signIn(page, url, person)
      for (const { name, path, text, at, onPhone } of places) {
        if (size === 'phone' && !onPhone) continue
        await page.goto(`${url}${path}`)
        await page.getByText(text).first().waitFor()
        // Pictures and columns find their place after the first text is there.
        await page.waitForTimeout(1500)
        if (at !== undefined) await page.getByText(at).evaluate((element) => element.scrollIntoView())
        await take(name)
      }
      await page.context().close()
    }
  }
}

interface Credentials {
  email: string
  password: string
}

async function readPerson(): Promise<Credentials> {
  const text = await readFile(join(folder, 'credentials'), 'utf8')
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  return { email: setting('MUSTER_EMAIL'), password: setting('MUSTER_PASSWORD') }
}

async function signIn(page: Page, url: string, { email, password }: Credentials): Promise<void> {
  await page.goto(url)
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Devices' }).waitFor()
}
