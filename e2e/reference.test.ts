import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { findViolationsInBothSchemes } from './axe.ts'
import { describeConsole, type OpenOptions, type Person, startConsole } from './harness.ts'

const REFERENCE = '/graphql/v1/doc'

describeConsole('the API reference', () => {
  const site = startConsole({ worker: true })

  const openReference = async (
    hash = '',
    options: OpenOptions = {},
  ): Promise<{ page: Page; foreignRequests: string[] }> => {
    const page = await site.openSignedOut({ path: '/healthz', ...options })
    const foreignRequests = watchRequests(page, site.app.url)
    await page.goto(`${site.app.url}${REFERENCE}${hash}`)
    return { page, foreignRequests }
  }

  const openSignedIn = async (person: Person, hash: string): Promise<{ page: Page; foreignRequests: string[] }> => {
    const page = await site.open(person)
    const foreignRequests = watchRequests(page, site.app.url)
    await page.goto(`${site.app.url}${REFERENCE}${hash}`)
    return { page, foreignRequests }
  }

  it('finds a field with the keyboard, shows its arguments, and follows links to types and uses', async () => {
    const { page, foreignRequests } = await openReference()
    const results = page.getByRole('navigation', { name: 'Schema' })
    const search = results.getByLabel('Search the reference')
    await search.waitFor()
    // Press the key repeatedly, because the page may be visible shortly before it handles keys.
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
    expect(foreignRequests).toEqual([])
  })

  it('scrolls to a linked field, marks deprecated fields, and suggests corrections for a broken link', async () => {
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

  it('draws a diagram of types and their relationships', async () => {
    const { page, foreignRequests } = await openReference('#diagram')
    const typesOf = async (): Promise<string[]> =>
      (await page.locator('svg .type text[font-weight=bold]').allTextContents()).map((text) => text.trim())
    // The second visit checks that cached resources do not violate the Content-Security-Policy.
    for (const _ of ['first', 'second']) {
      await expect
        .poll(typesOf)
        .toEqual(expect.arrayContaining(['Query', 'User', 'Device', 'Service', 'Webhook', 'Event']))
      expect(await page.locator('svg .edge').count()).toBeGreaterThan(20)
      await page.reload()
    }
    await expect.poll(typesOf).toContain('Device')
    await page.getByRole('combobox', { name: 'Root type' }).click()
    await page.getByRole('option', { name: 'Subscription' }).click()
    await expect.poll(typesOf).toEqual(expect.arrayContaining(['Subscription', 'Event']))
    expect(await typesOf()).not.toContain('Query')
    const width = async (): Promise<number> => (await page.locator('section svg').boundingBox())!.width
    const before = await width()
    await page.getByRole('button', { name: 'Zoom in' }).click()
    await expect.poll(width).toBeGreaterThan(before)
    await page.locator('svg .type text').getByText('Event', { exact: true }).click()
    await page.getByRole('heading', { name: 'Event', exact: true }).waitFor()
    expect(foreignRequests).toEqual([])
  })

  it('runs Schema, but not FirstPage or Events, without a session, and shows that no user is signed in', async () => {
    const { page, foreignRequests } = await openReference('#try')
    await page.getByText('You are not signed in').waitFor()
    await run(page, 'Schema')
    await expectResult(page, '"__schema"')
    await run(page, 'FirstPage')
    await expectResult(page, 'UNAUTHENTICATED')
    await run(page, 'Events')
    await expectResult(page, 'UNAUTHENTICATED')
    expect(foreignRequests).toEqual([])
  })

  it('does not report a signed-in user as signed out if the session cannot be checked', async () => {
    const person = await site.newPerson()
    const page = await site.open(person)
    await page.route('**/auth/get-session', (route) => route.abort())
    await page.goto(`${site.app.url}${REFERENCE}#try`)
    await page.getByText('The server did not report whether you are signed in').waitFor()
    await page.unrouteAll()
    await page.reload()
    await page.getByText(`The editor sends requests as ${person.email}`).waitFor()
  })

  it('runs queries, mutations, and subscriptions with the session', async () => {
    const person = await site.newPerson()
    await seedDevices(site.app.db, person.accountId, [{ name: 'pump-7' }])
    const { page, foreignRequests } = await openSignedIn(person, '#try')
    await page.getByText(`The editor sends requests as ${person.email}`).waitFor()
    await run(page, 'FirstPage')
    await expectResult(page, 'pump-7')
    await run(page, 'SetAttribute')
    await expectResult(page, '"setAttribute": "oslo"')

    const opened = page.waitForResponse((response) => response.url().endsWith('/graphql/v1/stream'))
    await run(page, 'Events')
    expect((await opened).status()).toBe(200)
    const { login } = await person.data('{ login { devices { items { id } } } }')
    const change = 'mutation ($id: String!) { setAttribute(serviceId: $id, name: "net.site", value: "riga") }'
    await person.data(change, { id: login.devices.items[0].id })
    await expectResult(page, 'ATTRIBUTE_CHANGE')
    await page.getByRole('button', { name: /^Stop query/ }).click()
    await page.getByRole('button', { name: /^Execute query/ }).waitFor()
    expect(foreignRequests).toEqual([])
  })

  it('has no accessibility violations in either color scheme, and fits on a phone', async () => {
    const { page } = await openReference('', { viewport: { width: 390, height: 800 } })
    await page.getByRole('heading', { name: 'API reference' }).waitFor()
    const violations = await findViolationsInBothSchemes(page)
    await page.getByRole('button', { name: 'Types' }).click()
    await page.getByRole('navigation', { name: 'Schema' }).getByRole('link', { name: 'User', exact: true }).click()
    await page.getByRole('heading', { name: 'User', level: 1 }).waitFor()
    violations.push(...(await findViolationsInBothSchemes(page)))
    await page.getByLabel('Search the reference').fill('device')
    await page
      .getByRole('link', { name: /^Device\b/ })
      .first()
      .waitFor()
    violations.push(...(await findViolationsInBothSchemes(page)))
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)
    expect(violations).toEqual([])
  })
})

/** Collects the URLs that the page requests from other origins. The list grows as the page makes requests. */
function watchRequests(page: Page, ownUrl: string): string[] {
  const foreignRequests: string[] = []
  page.context().on('request', (request) => {
    const url = new URL(request.url())
    if (url.origin !== new URL(ownUrl).origin) foreignRequests.push(request.url())
  })
  return foreignRequests
}

async function run(page: Page, name: string): Promise<void> {
  const shown = page.getByRole('region', { name: 'Operation Editor' }).getByRole('code')
  await expect.poll(() => shown.textContent()).toMatch(/(query|mutation|subscription)\s/)
  await page.getByRole('tab', { name }).click()
  await expect.poll(() => shown.textContent()).toMatch(new RegExp(`(query|mutation|subscription)\\s${name}\\b`))
  await page.getByRole('button', { name: /^Execute query/ }).click()
}

/** Waits until the result contains the text. The editor renders spaces as non-breaking spaces. */
async function expectResult(page: Page, text: string): Promise<void> {
  const result = page.getByRole('region', { name: 'Result Window' })
  await expect.poll(async () => (await result.textContent())?.replaceAll('\u00a0', ' ')).toContain(text)
}

const isInView = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= element.ownerDocument.documentElement.clientHeight
  })
