import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addMember } from '../packages/server/test/factories/member.ts'
import { findViolationsInBothSchemes } from './axe.ts'
import { describeConsole, type Person, startConsole } from './harness.ts'
import { numbered, personWith } from './seeded.ts'

describeConsole('bulk jobs', () => {
  const site = startConsole({ worker: true })

  const job = 'id token counts { change }'
  const create = `mutation ($where: String!, $operations: [BulkOperationInput!]!, $name: String, $rate: Int) {
    createBulk(target: { where: $where }, operations: $operations, name: $name, rate: $rate) { ${job} }
  }`
  const start = 'mutation ($id: ID!, $token: String!) { startBulk(id: $id, token: $token) { id } }'

  async function createJob(
    person: Person,
    { where = 'id:*', operations, ...options }: { where?: string; operations: object[]; name: string; rate?: number },
  ): Promise<{ id: string; token: string }> {
    const { createBulk } = await person.data(create, { where, operations, ...options })
    return createBulk
  }

  const setSite = (value: string): object[] => [{ setAttributes: { attributes: { site: value } } }]

  const sites = async (person: Person): Promise<(string | null)[]> => {
    const { login } = await person.data(
      '{ login { devices(size: 100, sort: "name asc") { items { attribute(name: "site") } } } }',
    )
    return login.devices.items.map(({ attribute }: { attribute: string | null }) => attribute)
  }

  const stateOf = (page: Page, state: string) =>
    page.getByRole('main').getByText(state, { exact: true }).first().waitFor()

  it('starts a previewed job, and undoes it after a preview', async () => {
    const person = await personWith(site, numbered(3))
    const { id } = await createJob(person, { operations: setSite('rome'), name: 'Move to Rome' })
    const page = await site.open(person, { path: '/changes' })
    await page.getByRole('table', { name: 'Bulk jobs' }).getByText('3 would change').waitFor()
    expect(await findViolationsInBothSchemes(page)).toEqual([])
    await page.getByRole('link', { name: 'Move to Rome' }).press('Enter')
    await page.waitForURL(`**/changes/${id}`)
    const devices = page.getByRole('table', { name: 'Devices' })
    await devices.getByRole('row', { name: /node-2 will change site no value .* rome/ }).waitFor()
    await page.getByRole('status').filter({ hasText: 'ready to start: 3 would change' }).waitFor({ state: 'attached' })
    expect(await findViolationsInBothSchemes(page)).toEqual([])
    expect(await sites(person)).toEqual([null, null, null])

    await page.getByRole('button', { name: 'Change 3 devices' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Change 3 devices' }).press('Enter')
    await stateOf(page, 'done')
    await page.getByRole('status').filter({ hasText: 'done, 100%: 3 done' }).waitFor({ state: 'attached' })
    await devices.getByRole('row', { name: /node-2 done site no value .* rome/ }).waitFor()
    expect(await sites(person)).toEqual(['rome', 'rome', 'rome'])

    await person.data('mutation ($id: String!) { setAttribute(serviceId: $id, name: "site", value: "oslo") }', {
      id: (await person.data('{ login { devices(where: "name = node-3") { items { id } } } }')).login.devices.items[0]
        .id,
    })
    await page.getByRole('button', { name: 'Undo' }).press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Preview' }).press('Enter')
    await page.getByRole('heading', { name: 'Undo of Move to Rome' }).waitFor()
    await page.getByText('2 would change, 1 skipped').first().waitFor()
    expect(await sites(person)).toEqual(['rome', 'rome', 'oslo'])
    await page.getByRole('button', { name: 'Change 2 devices' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Change 2 devices' }).click()
    await stateOf(page, 'done')
    expect(await sites(person)).toEqual([null, null, 'oslo'])
  })

  /**
   * Records the page's announcements. Returns a function that returns them and the seconds since the recording began.
   */
  async function recordAnnouncements(page: Page): Promise<() => Promise<{ spoken: string[]; seconds: number }>> {
    await page.evaluate(`{
      const region = document.querySelector('main [role=status]')
      globalThis.announced = { spoken: [], since: performance.now() }
      const options = { childList: true, characterData: true, subtree: true }
      new MutationObserver(() => announced.spoken.push(region.textContent)).observe(region, options)
    }`)
    return () => page.evaluate('({ spoken: announced.spoken, seconds: (performance.now() - announced.since) / 1000 })')
  }

  it('pauses, resumes, and cancels a running job, and announces each state but not each step', async () => {
    // At 1 or 2 devices per second, a job of 900 devices is still running when the test cancels it, even on a slow
    // machine.
    const person = await personWith(site, numbered(900))
    const { id, token } = await createJob(person, { operations: setSite('rome'), name: 'Slow', rate: 1 })
    await person.data(start, { id, token })
    const page = await site.open(person, { path: `/changes/${id}` })
    await stateOf(page, 'running')
    await page.getByRole('progressbar', { name: 'Progress of Slow' }).waitFor()
    const announcements = await recordAnnouncements(page)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Pause job' }).click()
    await stateOf(page, 'paused')
    await page.getByText('The job is paused').waitFor()
    expect(await findViolationsInBothSchemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByRole('dialog').getByLabel('Devices per second').fill('2')
    await page.getByRole('dialog').getByRole('button', { name: 'Resume job' }).click()
    await stateOf(page, 'running')
    await page.getByText('at most 2 devices per second').waitFor()
    await page.getByRole('button', { name: 'Cancel job' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel job' }).click()
    await stateOf(page, 'canceled')
    const { login } = await person.data('{ login { devices(attributes: { site: "rome" }) { total } } }')
    expect(login.devices.total).toBeLessThan(900)
    // Wait for the announcement, because the page announces a state shortly after it shows the state.
    await page
      .getByRole('status')
      .filter({ hasText: /^canceled/ })
      .waitFor({ state: 'attached' })
    const { spoken, seconds } = await announcements()
    const states = spoken.map((text) => text.replace(/,.*$/, ''))
    expect(states.filter((state, index) => state !== states[index - 1]).join()).toMatch(
      /^(running,)?paused,running,canceled$/,
    )
    expect(spoken.length).toBeLessThanOrEqual(4 + Math.floor(seconds / 10))
  })

  it('filters the devices by result, and previews a retry of the failures', async () => {
    const person = await personWith(
      site,
      numbered(3, (index) => ({ state: index === 0 ? 'active' : 'inactive' })),
    )
    const { id, token } = await createJob(person, { operations: [{ delete: {} }], name: 'Clear out' })
    await person.data(start, { id, token })
    const page = await site.open(person, { path: `/changes/${id}` })
    await stateOf(page, 'done')
    await page.getByText('2 done, 1 failed').first().waitFor()
    // The page links only to the device that the job did not delete.
    const devices = page.getByRole('table', { name: 'Devices' })
    await devices.getByText('node-3').waitFor()
    expect(await devices.getByRole('link').allTextContents()).toEqual(['node-1'])
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await page.getByRole('combobox', { name: 'Result' }).click()
    await page.getByRole('option', { name: 'Failed or rejected' }).click()
    await devices.getByRole('row', { name: /node-1 rejected/ }).waitFor()
    await page.waitForURL('**?status=FAILED')
    await expect.poll(() => devices.getByRole('row').count()).toBe(2)
    expect(await findViolationsInBothSchemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Retry failures' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('heading', { name: 'Retry of Clear out' }).waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard preview' }).click()
    await stateOf(page, 'canceled')
  })

  it('undoes an import by deleting or reverting its devices, and says so beforehand', async () => {
    const person = await personWith(site, numbered(1))
    const { createBulk } = await person.data(
      `mutation { createBulk(
        target: { csv: "name,attributes.site\\nnode-1,rome\\nnode-2,rome", register: true }, operations: [], name: "Import"
      ) { ${job} } }`,
    )
    await person.data(start, createBulk)
    const page = await site.open(person, { path: `/changes/${createBulk.id}` })
    await stateOf(page, 'done')
    expect(await sites(person)).toEqual(['rome', 'rome'])
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Preview' }).click()
    await page.getByText('Revert changes, at most').waitFor()
    await page.getByRole('button', { name: 'Delete or change 2 devices' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete or change devices' })
    await dialog.getByText('deletes the devices that the undone job registered, and reverts changes to other').waitFor()
    await dialog.getByRole('button', { name: 'Delete or change 2 devices' }).click()
    await stateOf(page, 'done')
    expect(await sites(person)).toEqual([null])
  })

  it('explains why a viewer cannot control a job', async () => {
    const owner = await personWith(site, numbered(1))
    const { id } = await createJob(owner, { operations: setSite('rome'), name: 'Move to Rome' })
    const viewer = await site.newPerson()
    await addMember(site.app, { accountId: owner.accountId, personId: viewer.accountId, roleId: 'viewer' })
    const page = await site.open(viewer, { path: `/accounts/${owner.accountId}/changes/${id}` })
    await page.getByText('Your role does not allow you to control this job').waitFor()
    expect(await page.getByRole('button', { name: 'Change 1 device' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0)
  })

  it('names the permissions that a member lacks to control a job with a CSV file', async () => {
    const owner = await personWith(site, numbered(1))
    const { createBulk } = await owner.data(
      `mutation ($operations: [BulkOperationInput!]!) {
        createBulk(target: { csv: "name,platform\\nnode-1,linux", register: true }, operations: $operations) { id } }`,
      { operations: setSite('rome') },
    )
    const { createRole } = await owner.data(
      'mutation { createRole(name: "Sites", access: { permissions: [DEVICE_READ, EVENT_READ, ATTRIBUTE_WRITE] }) { id } }',
    )
    const member = await site.newPerson()
    await addMember(site.app, { accountId: owner.accountId, personId: member.accountId, roleId: createRole.id })
    const page = await site.open(member, { path: `/accounts/${owner.accountId}/changes/${createBulk.id}` })
    await page.getByText('You need the permissions DEVICE_WRITE and DEVICE_CREATE').waitFor()
    await page.getByText('Apply the rows of a CSV file, set attributes').waitFor()
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0)
  })
})
