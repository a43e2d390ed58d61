import { spawn, spawnSync } from 'node:child_process'
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Browser, chromium, type Page } from 'playwright-core'
import { chromiumOptions } from '../e2e/chromium.ts'
import { startReceivers } from './screenshots/receivers.ts'
import { prepareFleet } from './screenshots/sample-data-and-screens.ts'

// This script takes the screenshots in docs/screenshots. It starts a server with a sample fleet and opens the console's
// main pages. `npm run screenshots` builds the console and runs the script. If Chromium is not in one of the usual
// paths, set MUSTER_CHROMIUM to its path.

const root = fileURLToPath(new URL('..', import.meta.url))
const screenshots = join(root, 'docs/screenshots')

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
  let output = ''
  for await (const chunk of server.stdout) {
    output += chunk
    const url = /ready at (http:\S+)/.exec(output)?.[1]
    if (url !== undefined) return url
  }
  throw new Error(`The server did not start: ${output}`)
}

function seed(): void {
  const args = [join(root, 'packages/cli/bin/muster.js'), 'seed', '--devices', '320', '--services', '3']
  const { status, signal } = spawnSync(process.execPath, args, {
    env: { PATH: process.env.PATH, HOME: folder, MUSTER_DATA: folder },
    stdio: 'inherit',
  })
  if (status !== 0) throw new Error(`"muster seed" ended with ${signal ? `signal ${signal}` : `exit code ${status}`}.`)
}

async function takeAll(browser: Browser, url: string): Promise<void> {
  await mkdir(screenshots, { recursive: true })
  const credentials = await readCredentials()
  const first = await browser.newPage({ viewport: sizes.desktop })
  await signIn(first, url, credentials)
  const screens = await prepareFleet(first, receivers)
  await first.close()
  for (const colorScheme of schemes) {
    for (const [size, viewport] of Object.entries(sizes)) {
      const page = await browser.newPage({ colorScheme, viewport })
      const take = async (name: string): Promise<void> => {
        await page.evaluate('Promise.allSettled(Array.from(document.images, (image) => image.decode()))')
        await page.screenshot({ path: join(screenshots, `${name}-${size}-${colorScheme}.png`), animations: 'disabled' })
      }
      await page.goto(url)
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      if (size === 'desktop') await take('sign-in')
      await signIn(page, url, credentials)
      for (const { name, path, text, scrollTo, click, onPhone } of screens) {
        if (size === 'phone' && !onPhone) continue
        await page.goto(`${url}${path}`)
        await page.getByText(text).first().waitFor()
        // Wait, because images load and columns are resized after the first text appears.
        await page.waitForTimeout(1500)
        if (scrollTo !== undefined) await page.getByText(scrollTo).evaluate((element) => element.scrollIntoView())
        if (click !== undefined) {
          await page.getByRole('button', { name: click }).click()
          await page.getByRole('dialog').getByRole('listitem').first().waitFor()
        }
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

async function readCredentials(): Promise<Credentials> {
  const text = await readFile(join(folder, 'credentials'), 'utf8')
  const setting = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(text)?.[1] ?? ''
  return { email: setting('MUSTER_EMAIL'), password: setting('MUSTER_PASSWORD') }
}

async function signIn(page: Page, url: string, { email, password }: Credentials): Promise<void> {
  await page.goto(url)
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}
