import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { insertChanges } from './event-log.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'

describeConsole('the event log', () => {
  const site = startConsole({ worker: true })

  const register = async (person: Person, name: string): Promise<string> => {
    const document = 'mutation ($name: String!) { registerDevice(name: $name) { device { id } } }'
    return (await person.data(document, { name })).registerDevice.device.id
  }
  const set = (person: Person, id: string, value: string): Promise<unknown> =>
    person.data(
      'mutation ($id: String!, $value: String!) { setAttribute(serviceId: $id, name: "site", value: $value) }',
      {
        id,
        value,
      },
    )

  it('filters by type and device, stores the filters in the URL, and downloads matching events', async () => {
    const person = await site.newPerson()
    const [pump, lamp] = [await register(person, 'pump'), await register(person, 'lamp')]
    await set(person, pump, 'oslo')
    await set(person, lamp, 'riga')
    await set(person, pump, 'turku')
    const page = await site.open(person, { path: '/events' })
    await page
      .getByRole('row', { name: /Device registered/ })
      .first()
      .waitFor()
    await page.getByRole('combobox', { name: 'Event type' }).click()
    await page.getByRole('option', { name: 'Attributes changed' }).click()
    await page.keyboard.press('Escape')
    await page.getByText('3 in the last month').waitFor()
    await page.getByRole('combobox', { name: 'Device' }).fill('pu')
    await page.getByRole('option', { name: 'pump' }).click()
    await page.keyboard.press('Escape')
    await page.getByText('2 in the last month').waitFor()
    const shared = await site.open(person, { path: new URL(page.url()).pathname + new URL(page.url()).search })
    await shared.getByRole('row', { name: /oslo.*turku/ }).waitFor()
    expect(await shared.getByRole('row').count()).toBe(3)

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    const lines = (await readFile(await (await downloading).path(), 'utf8')).trim().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[1]).toContain('ATTRIBUTE_CHANGE')
    await page.goBack()
    await page.getByText('3 in the last month').waitFor()
  })

  it('reports a year with five digits', async () => {
    const page = await site.open(await site.newPerson(), { path: '/events' })
    const from = page.getByLabel('From')
    await from.fill('12026-01-01T00:00')
    await from.press('Enter')
    await page.getByText('Enter a year with four digits').waitFor()
    await from.fill('2026-01-01T00:00')
    await from.press('Enter')
    await page.waitForURL(/from=/)
    expect(await page.getByText('Enter a year with four digits').count()).toBe(0)
  })

  it('shows an event that happened between loading the page and the start of live updates', async () => {
    const person = await site.newPerson()
    const pump = await register(person, 'pump')
    const page = await site.open(person, { path: '/account' })
    const loaded = Promise.withResolvers<void>()
    const changed = loaded.promise.then(() => set(person, pump, 'turku'))
    await page.route('**/graphql/v1/stream', (route) => changed.then(() => route.continue()))
    const live = page.waitForResponse('**/graphql/v1/stream')
    await page.route('**/graphql/v1', async (route) => {
      if (!route.request().postData()?.includes('query EventPage')) return route.continue()
      const response = await route.fetch()
      loaded.resolve()
      await live
      await route.fulfill({ response })
    })
    await page.goto(new URL('/events', page.url()).href)
    await page.getByRole('row', { name: /Attributes changed.*turku/ }).waitFor()
  })

  it('shows new events first, and collects them while live updates are off', async () => {
    const person = await site.newPerson()
    const pump = await register(person, 'pump')
    const page = await site.open(person, { path: '/events' })
    // When the page shows the change to `turku`, it has loaded all earlier events, so the next event is new.
    await set(person, pump, 'turku')
    await page.getByRole('row', { name: /Attributes changed.*turku/ }).waitFor()
    await site.waitForResponses(page)
    await set(person, pump, 'oslo')
    await page.getByRole('row', { name: /Attributes changed new.*turku.*oslo/ }).waitFor()
    expect(await page.getByRole('row').nth(1).textContent()).toContain('oslo')

    await page.getByRole('switch', { name: 'Show new events as they happen' }).click()
    await set(person, pump, 'riga')
    await page.getByRole('button', { name: 'Show 1 new event' }).waitFor()
    expect(await page.getByText('riga').count()).toBe(0)
    await page.getByRole('button', { name: 'Show 1 new event' }).click()
    // On a slow machine, the changes may be too far apart for the page to group them in one row.
    await page
      .getByRole('row', { name: /3 × Attributes changed|riga/ })
      .first()
      .waitFor()
  })

  it('shows older events, and returns to newer events', async () => {
    const person = await site.newPerson()
    await insertChanges(site.app, person, 105, { secondsApart: 120 })
    const page = await site.open(person, { path: '/events?types=%5B%22ATTRIBUTE_CHANGE%22%5D' })
    await page.getByRole('row', { name: /place-105/ }).waitFor()
    await page.getByRole('button', { name: 'Older' }).first().click()
    await page.getByRole('row', { name: /place-1\b/ }).waitFor()
    expect(await page.getByRole('row').count()).toBe(1 + 5)
    await page.getByRole('button', { name: 'Newest' }).first().click()
    await page.getByRole('row', { name: /place-105/ }).waitFor()
  })
})
