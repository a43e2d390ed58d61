import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { findingsInBothColours } from './axe.ts'
import { describeConsole, type OpenOptions, type Person, startConsole } from './harness.ts'

const REFERENCE = '/graphql/v1/doc'

describeConsole('the API reference', () => {
  const site = startConsole({ worker: true })

  /** A signed-out window at a place of the reference; the hosts that it asks for anything, and what it loads. */
  const openReference = async (hash = '', look: OpenOptions = {}): Promise<{ page: Page; elsewhere: string[] }> => {
    const page = await site.openSignedOut({ path: '/healthz', ...look })
    const elsewhere = watchRequests(page, site.app.url)
    await page.goto(`${site.app.url}${REFERENCE}${hash}`)
    return { page, elsewhere }
  }

  const openSignedIn = async (person: Person, hash: string): Promise<{ page: Page; elsewhere: string[] }> => {
    const page = await site.open(person)
    const elsewhere = watchRequests(page, site.app.url)
    await page.goto(`${site.app.url}${REFERENCE}${hash}`)
    return { page, elsewhere }
  }

  it('finds a field by keyboard, shows what it takes, and follows links to types and to where they are used', async () => {
    const { page, elsewhere } = await openReference()
    const results = page.getByRole('navigation', { name: 'Schema' })
    const search = results.getByLabel('Search the schema')
    await search.waitFor()
    // The page may be drawn a moment before it listens.
    await expect
      .poll(async () => {
        await page.keyboard.press('/')
        return search.evaluate((element) => element === element.ownerDocument.activeElement)
      })
      .toBe(true)
    await search.fill('')
    await page.keyboard.type('start after this device')
    await results.getByRole('link', { name: 'User.devices(after:)' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.type('devices')
    // Marked, when it is this that was found.
    await results.locator('mark').getByText('devices', { exact: true }).first().waitFor()
    await results.getByRole('link', { name: /^User\.devices\b(?!\()/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('End')
    await page.keyboard.type('(sort')
    await results.getByRole('link', { name: 'User.devices(sort:)' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/#User\.devices\.sort$/)
    await page.getByRole('heading', { name: 'User', level: 1 }).waitFor()
    const sort = page
      .getByRole('list', { name: 'Arguments of devices' })
      .getByRole('listitem')
      .filter({ hasText: /^sort:/ })
    await sort.getByText('= "name asc"').waitFor()
    await expect.poll(() => isInView(sort)).toBe(true)

    await page.getByRole('heading', { name: 'devices', exact: false }).getByRole('link', { name: 'DeviceList' }).click()
    await page.getByRole('heading', { name: 'DeviceList', level: 1 }).waitFor()
    await page.getByRole('listitem').getByRole('link', { name: 'User.devices', exact: true }).click()
    await page.waitForURL(/#User\.devices$/)
    await page.goBack()
    await page.getByRole('heading', { name: 'DeviceList', level: 1 }).waitFor()
    expect(elsewhere).toEqual([])
  })

  it('opens at a link; says what is deprecated, and what to look at when a link leads nowhere', async () => {
    const { page } = await openReference('#Device.attributes')
    const field = page.getByRole('heading', { name: /^attributes/ })
    await field.waitFor()
    await expect.poll(() => isInView(field)).toBe(true)
    await page.goto(`${site.app.url}${REFERENCE}#Devices`)
    await page.getByRole('heading', { name: 'No type “Devices”' }).waitFor()
    await page
      .getByRole('main')
      .getByRole('listitem')
      .getByRole('link', { name: 'User.devices', exact: true })
      .waitFor()

    await page.route('**/schema.graphql', (route) =>
      route.fulfill({ body: 'type Query { old: Int @deprecated(reason: "Use fresh."), fresh(least: Int = 3): Int }' }),
    )
    await page.goto(`${site.app.url}${REFERENCE}#Query`)
    await page.reload()
    await page.getByText('deprecated').waitFor()
    await page.getByText('Use fresh.').waitFor()
  })

  it('draws the types and how they connect', async () => {
    const { page, elsewhere } = await openReference('#diagram')
    const typesOf = async (): Promise<string[]> =>
      (await page.locator('svg .type-title').allTextContents()).map((text) => text.trim())
    // Drawn a second time, nothing kept of the first is fetched in ways that the page's policy forbids.
    for (const _ of ['first', 'second']) {
      await expect
        .poll(typesOf)
        .toEqual(expect.arrayContaining(['Query', 'User', 'Device', 'Service', 'Webhook', 'Event']))
      expect(await page.locator('svg .edge').count()).toBeGreaterThan(20)
      await page.reload()
    }
    await expect.poll(typesOf).toContain('Device')
    expect(elsewhere).toEqual([])
  })

  it('answers what asks for the schema alone while nobody is signed in, and says so', async () => {
    const { page, elsewhere } = await openReference('#try')
    await page.getByText('You are not signed in').waitFor()
    await run(page, 'Schema')
    await answers(page, '"__schema"')
    await run(page, 'FirstPage')
    await answers(page, 'UNAUTHENTICATED')
    await run(page, 'Events')
    await answers(page, 'UNAUTHENTICATED')
    expect(elsewhere).toEqual([])
  })

  it('runs queries, changes and subscriptions with the session', async () => {
    const person = await site.newPerson()
    await seedDevices(site.app.db, person.accountId, [{ name: 'pump-7' }])
    const { page, elsewhere } = await openSignedIn(person, '#try')
    await page.getByText(`Requests are sent as ${person.email}`).waitFor()
    await run(page, 'FirstPage')
    await answers(page, 'pump-7')
    await run(page, 'SetAttribute')
    await answers(page, '"setAttribute": "oslo"')

    const opened = page.waitForResponse((response) => response.url().endsWith('/graphql/v1/stream'))
    await run(page, 'Events')
    expect((await opened).status()).toBe(200)
    const { login } = await person.data('{ login { devices { items { id } } } }')
    const change = 'mutation ($id: String!) { setAttribute(serviceId: $id, name: "net.site", value: "riga") }'
    await person.data(change, { id: login.devices.items[0].id })
    await answers(page, 'ATTRIBUTE_CHANGE')
    await page.getByRole('button', { name: /^Stop query/ }).click()
    await page.getByRole('button', { name: /^Execute query/ }).waitFor()
    expect(elsewhere).toEqual([])
  })

  it('has no serious finding, in light and in dark, and fits a phone', async () => {
    const { page } = await openReference('', { viewport: { width: 390, height: 800 } })
    await page.getByRole('heading', { name: 'API reference' }).waitFor()
    const findings = await findingsInBothColours(page)
    await page.getByRole('button', { name: 'Types' }).click()
    await page.getByRole('navigation', { name: 'Schema' }).getByRole('link', { name: 'User', exact: true }).click()
    await page.getByRole('heading', { name: 'User', level: 1 }).waitFor()
    findings.push(...(await findingsInBothColours(page)))
    await page.getByLabel('Search the schema').fill('device')
    await page
      .getByRole('link', { name: /^Device\b/ })
      .first()
      .waitFor()
    findings.push(...(await findingsInBothColours(page)))
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(findings).toEqual([])
  })
})

/** Addresses on other hosts that the page asks for; kept as the page goes on. */
function watchRequests(page: Page, own: string): string[] {
  const elsewhere: string[] = []
  page.context().on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== new URL(own).origin) elsewhere.push(request.url())
  })
  return elsewhere
}

/** Runs the example of that name, once the editor is there and shows it. */
async function run(page: Page, name: string): Promise<void> {
  const shown = page.getByRole('region', { name: 'Operation Editor' }).getByRole('code')
  await expect.poll(() => shown.textContent()).toMatch(/(query|mutation|subscription)\s/)
  await page.getByRole('tab', { name }).click()
  await expect.poll(() => shown.textContent()).toMatch(new RegExp(`(query|mutation|subscription)\\s${name}\\b`))
  await page.getByRole('button', { name: /^Execute query/ }).click()
}

/** The editor draws blanks of its own kind. */
async function answers(page: Page, text: string): Promise<void> {
  const answer = page.getByRole('region', { name: 'Result Window' })
  await expect.poll(async () => (await answer.textContent())?.replaceAll('\u00a0', ' ')).toContain(text)
}

const isInView = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= element.ownerDocument.documentElement.clientHeight
  })
