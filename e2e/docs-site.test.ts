import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { findViolationsInBothSchemes } from './axe.ts'
import { describeConsole, type OpenOptions, startConsole } from './harness.ts'

const root = new URL('../', import.meta.url).pathname
const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } }

describeConsole('the documentation site', () => {
  // The build takes minutes on a slow machine.
  beforeAll(() => promisify(execFile)(process.execPath, ['scripts/build-docs.ts'], { cwd: root }), 600_000)
  const site = startConsole()

  /** Opens a page of the site. Errors in the browser's console and requests to other hosts fail the test. */
  const openDocs = async (path: string, options?: OpenOptions): Promise<Page> => {
    const page = await site.openSignedOut({ ...options, path: '/healthz' })
    const errors: string[] = []
    page.on('console', (message) => {
      if (message.type() === 'error' && page.url().includes('/docs/')) errors.push(message.text())
    })
    page.on('request', (request) => {
      if (!request.url().startsWith(`${site.app.url}/`)) errors.push(request.url())
    })
    onTestFinished(() => expect(errors).toEqual([]))
    await page.goto(`${site.app.url}/docs/${path}`)
    // The page is visible before its scripts run. Only the scripts set the title of the switch for the color scheme.
    await page.locator('.VPSwitchAppearance[title^=Switch]').first().waitFor({ state: 'attached' })
    return page
  }

  it.each([
    ['rotate master key', /^\/docs\/(guides\/command-line|guides\/operations|reference\/cli)\.html#.*master/],
    ['webhook signature python', /^\/docs\/guides\/receiving-webhooks\.html#/],
    ['offline devices', /^\/docs\/guides\/lists\.html#/],
    ['createWebhook', /^\/docs\/reference\/schema\/operations\.html#createwebhook$/],
  ])('finds "%s"', async (words, address) => {
    const page = await openDocs('')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill(words)
    const first = page.locator('.result').first()
    await expect.poll(() => first.getAttribute('href', { timeout: 1_000 }).catch(() => null)).toMatch(address)
    await first.click()
    await page.waitForURL((url) => address.test(url.pathname + url.hash))
    await page.getByRole('heading', { level: 1 }).waitFor()
  })

  it('keeps the color scheme that the reader chose', async () => {
    const page = await openDocs('', { colorScheme: 'light' })
    await page.getByRole('switch', { name: 'Switch to dark theme' }).click()
    await page.locator('html.dark').waitFor({ state: 'attached' })
    await page.reload()
    await page.getByRole('switch', { name: 'Switch to light theme' }).click()
    await page.locator('html:not(.dark)').waitFor({ state: 'attached' })
  })

  it('links to other pages, to copies of source files, and to the console', async () => {
    const page = await openDocs('')
    const schema = page.getByRole('main').getByRole('link', { name: 'schema.graphql' })
    const copy = await page.request.get(`${site.app.url}${await schema.getAttribute('href')}`)
    expect(await copy.text()).toContain('type Query')
    await page.getByRole('main').getByRole('link', { name: 'Attributes and contexts' }).click()
    await page.getByRole('heading', { name: 'Attributes and contexts', level: 1 }).waitFor()
    await page.getByRole('link', { name: 'Console', exact: true }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('opens from a link in the console', async () => {
    const page = await site.open(await site.newPerson())
    const opened = page.waitForEvent('popup')
    await page.getByRole('link', { name: 'Documentation' }).click()
    await (await opened).getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
  })

  it('shows the navigation on the page for unknown URLs', async () => {
    const page = await site.openSignedOut({ path: '/docs/nothing' })
    await page.getByText('PAGE NOT FOUND').waitFor()
    await page.getByRole('link', { name: 'Guides' }).first().waitFor()
  })

  it.each(['desktop', 'phone'] as const)(
    'has no accessibility violations in either color scheme, and fits the width of the window: %s',
    async (size) => {
      const viewport = sizes[size]
      const page = await openDocs('', { viewport, colorScheme: 'light' })
      const violations: string[] = []
      for (const path of ['', 'guides/first-hour.html', 'reference/schema/objects.html']) {
        await page.goto(`${site.app.url}/docs/${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(viewport.width)
        violations.push(...(await findViolationsInBothSchemes(page, { light: 'html:not(.dark)', dark: 'html.dark' })))
      }
      expect(violations).toEqual([])
    },
  )
})
