import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { beforeAll, expect, it } from 'vitest'
import { findViolations } from './axe.ts'
import { describeConsole, startConsole } from './harness.ts'

const root = new URL('../', import.meta.url).pathname

describeConsole('the documentation site', () => {
  // The build fails if a link leads nowhere.
  beforeAll(() => promisify(execFile)('npm', ['run', 'docs'], { cwd: root }), 300_000)
  const site = startConsole()

  it.each([
    ['rotate master key', 'The master key'],
    ['webhook signature python', 'Receiving webhooks'],
    ['offline devices', 'Offline devices'],
  ])('finds %s', async (words, heading) => {
    const page = await site.openSignedOut({ path: '/docs/' })
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('searchbox').fill(words)
    await expect
      .poll(() =>
        page
          .locator('.result')
          .allTextContents()
          .then((found) => found.slice(0, 5).join()),
      )
      .toContain(heading)
    await page.locator('.result').first().click()
    await page.waitForURL(/\/docs\/.+/)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  })

  it('follows links between pages and to source files, and shows the navigation for unknown pages', async () => {
    const page = await site.openSignedOut({ path: '/docs/' })
    await page.getByRole('main').getByRole('link', { name: 'Attributes and contexts' }).click()
    await page.getByRole('heading', { name: 'Attributes and contexts', level: 1 }).waitFor()
    const schema = await page.request.get(`${site.app.url}/docs/source/schema.graphql`)
    expect(await schema.text()).toContain('type Query')
    const unknown = await page.goto(`${site.app.url}/docs/nothing`)
    expect(unknown?.status()).toBe(404)
    await page.getByRole('link', { name: 'Guides' }).first().waitFor()
  })

  it.each(['light', 'dark'] as const)(
    'has no serious accessibility violations and fits on a phone: %s',
    async (colorScheme) => {
      const viewport = { width: 390, height: 800 }
      const page = await site.openSignedOut({ path: '/docs/', viewport, colorScheme })
      const violations = await findViolations(page)
      await page.goto(`${site.app.url}/docs/guides/first-hour.html`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      violations.push(...(await findViolations(page)))
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect(violations).toEqual([])
    },
  )
})
