import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { startTestApp } from '../packages/server/test/harness/app.ts'
import { claimPorts } from '../packages/server/test/harness/ports.ts'
import { chromiumOptions } from './chromium.ts'
import { describeConsole, newPersonOf, signIn } from './harness.ts'

async function openProfile(url: string): Promise<Page> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-profile-'))
  const context = await chromium.launchPersistentContext(folder, chromiumOptions)
  onTestFinished(async () => {
    await context.close()
    // Retry, because browser processes may still be writing to the profile.
    await rm(folder, { recursive: true, force: true, maxRetries: 10 })
  })
  context.setDefaultTimeout(100_000)
  const page = context.pages()[0] ?? (await context.newPage())
  await page.goto(url)
  return page
}

describeConsole('the console as an installed app', () => {
  it('offers to install itself, and shows an offline page while the server is down', async () => {
    const app = await startTestApp()
    onTestFinished(() => app.close())
    const person = await newPersonOf(app)
    const [port] = await claimPorts(1)
    const env = { PORT: String(port) }
    let server = await app.startAnother({ env })
    const { url } = server
    try {
      const page = await openProfile(`${url}/webhooks`)
      await signIn(page, person)
      await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
      await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)')

      const devtools = await page.context().newCDPSession(page)
      const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
      expect(installabilityErrors).toEqual([])
      const { errors, data } = await devtools.send('Page.getAppManifest')
      expect(errors).toEqual([])
      expect(JSON.parse(data ?? '')).toMatchObject({ name: 'Muster', display: 'standalone', start_url: '/overview' })

      // The button appears only if the browser can install the console.
      await page.getByRole('button', { name: 'Install as an app' }).waitFor()

      await server.close()
      await page.reload()
      await page.getByRole('heading', { name: 'The server is not responding' }).waitFor()
      await page.getByRole('button', { name: 'Try now' }).click()
      await page.getByText('No response yet').waitFor()
      // Wait instead of pressing "Try now", because the page also retries every few seconds, and the button may have
      // disappeared.
      server = await app.startAnother({ env })
      await page.getByRole('heading', { name: 'No webhooks yet' }).waitFor()
    } finally {
      await server.close()
    }
  })
})
