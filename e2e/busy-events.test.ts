import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { newPerson } from '../packages/server/test/clients/browser.ts'
import { addMember } from '../packages/server/test/factories/member.ts'
import { findViolationsInBothSchemes } from './axe.ts'
import { insertChanges, moveEventsAhead } from './event-log.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'

describeConsole('the event log of a busy fleet', () => {
  const site = startConsole({ worker: true })

  const newPersonWithoutEvents = async (): Promise<Person> => {
    const person = await site.newPerson()
    await sql`delete from event where account_id = ${person.accountId}`.execute(site.app.db)
    return person
  }
  const register = async (person: Person, name: string): Promise<string> =>
    (await person.data('mutation ($name: String!) { registerDevice(name: $name) { device { id } } }', { name }))
      .registerDevice.device.id
  const setSite = (person: Person, id: string, value: string): Promise<unknown> =>
    person.data(
      'mutation ($id: String!, $value: String!) { setAttribute(serviceId: $id, name: "site", value: $value) }',
      { id, value },
    )

  it('shows a burst as one row, which expands to its events with the keyboard', async () => {
    const person = await newPersonWithoutEvents()
    await insertChanges(site.app, person, 2, { secondsApart: 300, secondsAgo: 7_200 })
    await insertChanges(site.app, person, 600, { secondsApart: 0.05, secondsAgo: 600, devices: 580 })
    const page = await site.open(person, { path: '/events' })
    const burst = page.getByRole('row', { name: /600 × Attributes changed.*580 devices.*site/ })
    await burst.waitFor()
    await expect.poll(() => page.getByRole('table', { name: 'Events' }).getByRole('row').count()).toBe(1 + 1 + 1 + 2)
    const expand = burst.getByRole('button', { name: 'Show 600 events: Attributes changed on 580 devices' })
    await expand.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('row', { name: /place-600\b/ }).waitFor()
    expect(await page.getByRole('table', { name: 'Events' }).getByRole('row').count()).toBe(1 + 1 + 1 + 50 + 1 + 2)
    await page.getByRole('button', { name: 'Show 50 more of 600' }).click()
    await page.getByRole('row', { name: /place-510\b/ }).waitFor()
    expect(await findViolationsInBothSchemes(page)).toEqual([])
    await burst.getByRole('button', { name: /Hide 600 events/ }).click()
    await expect.poll(() => page.getByRole('table', { name: 'Events' }).getByRole('row').count()).toBe(1 + 1 + 1 + 2)
  })

  it('continues a burst that is longer than a page on the next page', async () => {
    const person = await newPersonWithoutEvents()
    // The first page contains at most 1,000 events, including the sign-in event, so the burst continues on the second
    // page.
    await insertChanges(site.app, person, 1_100, { secondsApart: 0.01, secondsAgo: 600 })
    const page = await site.open(person, { path: '/events' })
    const burst = page.getByRole('row', { name: /999\+ × Attributes changed/ })
    await burst.getByRole('button', { name: /^Show at least 999 events/ }).waitFor()
    await page.getByRole('button', { name: 'Older' }).first().click()
    await page.getByRole('row', { name: /101 × Attributes changed.*101 devices/ }).waitFor()
    await page.getByRole('button', { name: 'Newest' }).first().click()
    await burst.waitFor()
  })

  it('adds new events to a burst, holds them back while live updates are off, and keeps the burst open', async () => {
    const person = await newPersonWithoutEvents()
    const [pump, lamp] = [await register(person, 'pump'), await register(person, 'lamp')]
    for (const [index, id] of [pump, lamp, pump].entries()) await setSite(person, id, `first-${index}`)
    await moveEventsAhead(site.app, person)
    const page = await site.open(person, { path: '/events' })
    await page
      .getByRole('row', { name: /3 × Attributes changed.*2 devices/ })
      .getByRole('button')
      .click()
    await page.getByRole('row', { name: /first-2/ }).waitFor()
    await site.waitForResponses(page)
    await setSite(person, lamp, 'second')
    await page.getByRole('row', { name: /4 × Attributes changed.*1 new/ }).waitFor()
    await page.getByRole('row', { name: /Attributes changed new.*second/ }).waitFor()
    await page.getByRole('switch', { name: 'Show new events as they happen' }).click()
    await setSite(person, lamp, 'third')
    await page.getByRole('button', { name: 'Show 1 new event' }).click()
    await page.getByRole('row', { name: /5 × Attributes changed.*2 new/ }).waitFor()
  })

  it('shows new events that match a filter, and counts them while live updates are off', async () => {
    const person = await newPersonWithoutEvents()
    const pump = await register(person, 'pump')
    await setSite(person, pump, 'oslo')
    await moveEventsAhead(site.app, person)
    const page = await site.open(person, { path: '/events?where=changed%20%3D%20site' })
    await page.getByRole('row', { name: /oslo/ }).waitFor()
    await register(person, 'lamp')
    await setSite(person, pump, 'riga')
    await page.getByRole('row', { name: /new.*oslo.*riga/ }).waitFor()
    await page.getByRole('switch', { name: 'Show new events as they happen' }).click()
    await setSite(person, pump, 'turku')
    await page.getByRole('button', { name: 'Show 1 new event' }).click()
    await page.getByRole('row', { name: /3 × Attributes changed.*2 new/ }).waitFor()
    expect(await page.getByText('lamp').count()).toBe(0)
  })

  it('filters by changed attribute, actor, and source, and shows the filters as conditions', async () => {
    const person = await newPersonWithoutEvents()
    const member = await newPerson(site.app)
    await addMember(site.app, { accountId: person.accountId, personId: member.id, roleId: 'viewer' })
    const pump = await register(person, 'pump')
    await setSite(person, pump, 'oslo')
    await insertChanges(site.app, person, 1, { secondsApart: 1, secondsAgo: 60 })
    const page = await site.open(person, { path: '/events' })
    const rows = page.getByRole('table', { name: 'Events' }).getByRole('row')
    await expect.poll(() => rows.count()).toBe(1 + 4)
    await page.getByRole('combobox', { name: 'Changed attribute' }).click()
    await page.getByRole('option', { name: 'site' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => rows.count()).toBe(1 + 2)
    expect(await page.getByLabel('Search events').inputValue()).toBe('changed = site')
    await page.getByRole('combobox', { name: 'Actor' }).click()
    await page.getByRole('option', { name: member.email }).waitFor()
    await page.getByRole('option', { name: person.email }).click()
    await expect.poll(() => rows.count()).toBe(1 + 1)
    await page.getByRole('combobox', { name: 'Source' }).click()
    await page.getByRole('option', { name: 'Console', exact: true }).click()
    await page.getByRole('heading', { name: 'No matching events' }).waitFor()
    await page.getByRole('combobox', { name: 'Source' }).click()
    await page.getByRole('option', { name: /^Key / }).click()
    await expect.poll(() => rows.count()).toBe(1 + 1)
    const conditions = page.getByRole('group', { name: 'Conditions' })
    expect(await conditions.getByText(/^source/).count()).toBe(0)
    await conditions.getByRole('button', { name: /Remove key is/ }).click()
    await expect.poll(() => rows.count()).toBe(1 + 1)
    await page.getByLabel('Search events').fill('NOT actor:*')
    await page.getByRole('row', { name: /pump 0/ }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Actor' }).inputValue()).toBe('No user')
  })

  it('saves filters as a view, and shows new events that match the view', async () => {
    const person = await newPersonWithoutEvents()
    const pump = await register(person, 'pump')
    await setSite(person, pump, 'oslo')
    const page = await site.open(person, { path: '/events?types=%5B%22ATTRIBUTE_CHANGE%22%5D&where=pump' })
    await page.getByRole('row', { name: /oslo/ }).waitFor()
    await page.getByRole('button', { name: 'Save as view' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save as view' })
    await dialog.getByLabel('Name').fill('Pump changes')
    await dialog.getByRole('checkbox').uncheck()
    await dialog.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('link', { name: 'Pump changes' }).and(page.locator('[aria-current=page]')).waitFor()
    await page.getByText('1 in the last month').waitFor()
    await register(person, 'lamp')
    await setSite(person, pump, 'riga')
    await page.getByRole('row', { name: /oslo.*riga/ }).waitFor()
    expect(await page.getByText('lamp').count()).toBe(0)
    const { login } = await person.data('{ login { views { kind where isShared } } }')
    expect(login.views).toEqual([{ kind: 'EVENTS', where: 'type = ATTRIBUTE_CHANGE AND pump', isShared: false }])
    await page.getByRole('link', { name: 'All events' }).click()
    await page.getByRole('row', { name: /lamp/ }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByPlaceholder('Open a page, view, or device').fill('pump ch')
    await page.getByRole('button', { name: /Pump changes/ }).click()
    await expect.poll(() => page.getByText('lamp').count()).toBe(0)
  })

  it('counts events over time, and narrows the time range by bars and by table rows', async () => {
    const person = await newPersonWithoutEvents()
    // Put six events into the middle of one bar of the histogram, whatever the width of the bars is.
    const newest = (Math.floor(Date.now() / 86_400_000) - 5) * 86_400 + 6 * 3_600
    await insertChanges(site.app, person, 6, { secondsApart: 120, secondsAgo: Date.now() / 1_000 - newest })
    await insertChanges(site.app, person, 1, { secondsApart: 1 })
    const page = await site.open(person, { path: '/events?types=%5B%22ATTRIBUTE_CHANGE%22%5D' })
    await page.getByText('7 in the last month').waitFor()
    const histogram = page.getByRole('region', { name: 'Events over time' }).first()
    const bar = histogram.getByRole('button', { name: /: 6 events$/ })
    await bar.click()
    await page.getByText(/^6$/).first().waitFor()
    await expect.poll(() => new URL(page.url()).searchParams.has('from')).toBe(true)
    await expect.poll(() => page.getByRole('row', { name: /place-6\b/ }).count()).toBe(1)
    await histogram.getByRole('button', { name: 'Show the last month' }).click()
    await page.getByText('7 in the last month').waitFor()

    await histogram.getByRole('button', { name: /: 1 event$/ }).focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('End')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).searchParams.has('to')).toBe(true)
    await page.goBack()
    await page.getByText('7 in the last month').waitFor()

    await histogram.getByText('Table').click()
    const table = histogram.getByRole('table', { name: 'Number of events' })
    await table.getByRole('row', { name: / 1$/ }).waitFor()
    expect(await findViolationsInBothSchemes(page)).toEqual([])
    await table.getByRole('row', { name: / 1$/ }).getByRole('button').click()
    await expect.poll(() => page.getByRole('row', { name: /place-1\b/ }).count()).toBe(1)
  })

  it('shows bursts as cards on phones', async () => {
    const person = await newPersonWithoutEvents()
    await insertChanges(site.app, person, 20, { secondsApart: 1, secondsAgo: 60, devices: 7 })
    const page = await site.open(person, { path: '/events', viewport: { width: 390, height: 844 } })
    await page.getByText('20 × Attributes changed').waitFor()
    await page.getByRole('button', { name: 'Show 20 events: Attributes changed on 7 devices' }).click()
    await page
      .getByRole('list', { name: /^20 events/ })
      .getByText('place-20')
      .waitFor()
    expect(await findViolationsInBothSchemes(page)).toEqual([])
  })
})
