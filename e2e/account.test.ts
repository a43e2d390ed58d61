import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { expect, it } from 'vitest'
import { hasProgram } from '../examples/test/programs.ts'
import { asMember, keyOf, sendAsUser } from '../packages/server/test/factories/keys.ts'
import { newMember } from '../packages/server/test/factories/member.ts'
import { seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { describeConsole, startConsole } from './harness.ts'

const run = promisify(execFile)
const script = fileURLToPath(new URL('../examples/curl.sh', import.meta.url))
const next = (dialog: Locator): Promise<void> => dialog.getByRole('button', { name: 'Next' }).click()

const hasCurl = hasProgram('curl') && hasProgram('openssl')

describeConsole('the account', () => {
  const site = startConsole()

  it.skipIf(!hasCurl)(
    'creates a read-only key whose credentials file works with the curl example (requires curl, openssl)',
    async () => {
      const person = await site.newPerson()
      const page = await site.open(person, { path: '/account/keys' })
      await page.getByRole('button', { name: 'New access key' }).first().click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Name').fill('Nightly export')
      await next(dialog)
      await next(dialog)
      await dialog.getByRole('button', { name: 'Create key' }).click()
      const downloading = page.waitForEvent('download')
      await dialog.getByRole('button', { name: 'Download credentials' }).click()
      const folder = await mkdtemp(join(tmpdir(), 'muster-credentials-'))
      try {
        const file = join(folder, 'credentials')
        await copyFile(await (await downloading).path(), file)
        await chmod(file, 0o600)
        const env = { PATH: process.env.PATH, HOME: folder, MUSTER_CREDENTIALS: file }
        const { stdout } = await run('bash', [script, '{ login { email } }'], { env })
        expect(JSON.parse(stdout)).toEqual({ data: { login: { email: person.email } } })
        const change = run('bash', [script, 'mutation { registerDevice(name: "pump") { device { id } } }'], { env })
        await expect(change).rejects.toMatchObject({ stdout: expect.stringContaining('FORBIDDEN') })
      } finally {
        await rm(folder, { recursive: true })
      }
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page
        .getByRole('row', { name: /Nightly export/ })
        .getByText('read-only', { exact: true })
        .waitFor()
    },
  )

  it('creates a key for a document, and limits it to devices, attributes, and networks', async () => {
    const person = await site.newPerson()
    await seedDevices(site.app.db, person.accountId, [{ attributes: { site: 'oslo' } }])
    const page = await site.open(person, { path: '/account/keys' })
    await page.getByRole('button', { name: 'New access key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Checks')
    await dialog.getByRole('radio', { name: 'Run a GraphQL document' }).check()
    const document = dialog.getByRole('textbox', { name: 'GraphQL document' })
    await document.fill('{ login { device')
    await next(dialog)
    await dialog.getByText(/Syntax Error/).waitFor()
    await document.fill('mutation { setAttribute(serviceId: "a", name: "status.disk", value: "ok") }')
    await next(dialog)
    await dialog.getByText('The key will have these permissions: change attributes.').waitFor()
    await dialog.getByRole('searchbox', { name: 'Devices' }).fill('sit = oslo')
    await dialog.getByRole('checkbox', { name: 'Only some attributes' }).check()
    await dialog.getByLabel('Attributes to set').fill('status.*')
    await dialog.getByLabel('Networks').fill('127.0.0.0/8')
    await dialog.getByLabel('Share of the rate limit').fill('10')
    await next(dialog)
    await dialog.getByRole('button', { name: 'Create key' }).click()
    // The dialog returns to the step with the invalid field.
    await dialog.getByText(/^Devices, column 1: .* "sit"/).waitFor()
    await dialog.getByRole('searchbox', { name: 'Devices' }).fill('site = oslo')
    await next(dialog)
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page
      .getByRole('row', { name: /Checks/ })
      .getByText('restricted')
      .waitFor()
    const fields = 'name permissions where attributes { read write } networks rateShare readOnly'
    const { login } = await person.data(`{ login { accessKeys { ${fields} } } }`)
    expect(login.accessKeys).toContainEqual({
      name: 'Checks',
      permissions: ['ATTRIBUTE_WRITE'],
      where: 'attributes.site = oslo',
      attributes: { read: [], write: ['status.*'] },
      networks: ['127.0.0.0/8'],
      rateShare: 10,
      readOnly: false,
    })
  })

  it('applies the key policy to new keys, and lists existing keys that break it', async () => {
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/account/keys' })
    await page.getByText('No valid key breaks the policy').waitFor()
    await page.getByRole('button', { name: 'Change policy' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Maximum key lifetime').fill('30')
    await dialog.getByRole('checkbox', { name: 'Keys must be limited to networks' }).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('These keys break a rule').waitFor()

    await page.getByRole('button', { name: 'New access key' }).click()
    await next(dialog)
    await dialog.getByText('The key policy allows a lifetime of at most 30 days').waitFor()
    await next(dialog)
    await dialog.getByText('The key policy requires at least one network').waitFor()
    await dialog.getByLabel('Networks').fill('127.0.0.1')
    await next(dialog)
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /limited networks/ }).waitFor()
    const { login } = await person.data('{ login { keyPolicy { maxDays requireNetworks violations { key } } } }')
    expect(login.keyPolicy).toEqual({ maxDays: 30, requireNetworks: true, violations: [{ key: person.keyId }] })
  })

  it('distinguishes keys that the key policy rejects from keys that it requires to send a digest', async () => {
    const person = await site.newPerson()
    await keyOf(site.app, sendAsUser(person), 'name: "Export", networks: ["127.0.0.0/8"]')
    const member = await newMember(site.app, person.accountId, 'operator')
    await keyOf(site.app, asMember(site.app, member), 'name: "Laptop", personal: true')
    await site.app.db.updateTable('person').set({ disabled: new Date() }).where('id', '=', member.id).execute()
    await person.data(
      'mutation ($now: DateTime) { setKeyPolicy(requireDigest: true, requireNetworks: true, enforcedFrom: $now) { maxDays } }',
      { now: new Date().toISOString() },
    )
    const page = await site.open(person, { path: '/account/keys' })
    const rejected = page.getByText('The server rejects these keys')
    await rejected.waitFor()
    expect(await rejected.getByRole('link').count()).toBe(1)
    expect(await rejected.getByRole('link', { name: 'Export' }).count()).toBe(0)
    await page.getByText('the server requires one').getByRole('link', { name: 'Export' }).waitFor()
    await page.getByText('for another reason').getByRole('link', { name: 'Laptop' }).waitFor()
  })

  it('shows what a key was used for, removes the permissions that it did not use, and rotates it', async () => {
    const person = await site.newPerson()
    const permissions = 'permissions: [DEVICE_READ, DEVICE_DELETE]'
    const key = await keyOf(site.app, sendAsUser(person), `name: "Export", access: { ${permissions} }`)
    const server = await site.app.startAnother()
    await server.as(key).data('{ login { devices { total } } }')
    // The server writes the usage counts of keys when it stops.
    await server.close()
    const page = await site.open(person, { path: '/account/keys' })
    await page.getByRole('link', { name: 'Export' }).click()
    await page.getByRole('row', { name: /User\.devices/ }).waitFor()
    await page.getByText('did not use these permissions: delete devices').waitFor()
    await page.getByRole('button', { name: 'Remove these permissions' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Remove permissions' }).click()
    await page.getByText('The key used all its permissions').waitFor()

    await page.getByRole('button', { name: 'Change Export' }).click()
    await page.getByRole('menuitem', { name: 'Rotate' }).click()
    await dialog.getByRole('combobox', { name: 'The old key remains valid' }).click()
    await page.getByRole('option', { name: 'for an hour' }).click()
    await dialog.getByRole('button', { name: 'Rotate key' }).click()
    await dialog.getByRole('button', { name: 'Download credentials' }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByText('rotated').waitFor()
    const { login } = await person.data(
      `{ login { accessKeys(key: ["${key.keyId}"]) { permissions expires replacedBy } } }`,
    )
    const [{ permissions: kept, expires, replacedBy }] = login.accessKeys
    expect(kept).toEqual(['DEVICE_READ'])
    expect(new Date(expires).getTime()).toBeLessThanOrEqual(Date.now() + 3_600_000)
    await page.getByRole('link', { name: replacedBy }).click()
    await page.waitForURL(`**/account/keys/${replacedBy}`)
    const pages = page.getByRole('navigation', { name: 'Account' })
    expect(await pages.locator('[aria-current=page][data-active]').allTextContents()).toEqual(['Access keys'])
    await page.getByText('No uses in the last 90 days').waitFor()
  })

  it('lists the limits, but not the setting firstRecord', async () => {
    const page = await site.open(await site.newPerson(), { path: '/account/limits' })
    const limits = page.getByRole('table', { name: 'Limits' })
    await limits.getByRole('row', { name: /pageSize/ }).waitFor()
    expect(await limits.getByRole('row', { name: /firstRecord/ }).count()).toBe(0)
  })

  it('shows a custom label for Status A in lists and on pages until the label is cleared', async () => {
    const person = await site.newPerson()
    const [id] = await seedDevices(site.app.db, person.accountId, [{ statusA: 'all well' }])
    const page = await site.open(person, { path: '/account/labels' })
    const field = page.getByRole('textbox', { name: 'Status A' })
    const save = page.getByRole('button', { name: 'Save' })
    await field.fill('Health')
    await save.click()
    await save.waitFor({ state: 'detached' })
    await field.press('Enter')
    await site.waitForResponses(page)
    await page.reload()
    await expect.poll(() => field.inputValue()).toBe('Health')
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByRole('columnheader', { name: 'Health' }).waitFor()
    await page.getByRole('gridcell', { name: 'all well' }).waitFor()
    await page.goto(`${site.app.url}/devices/${id}`)
    await expect.poll(() => page.getByRole('textbox', { name: 'Health' }).inputValue()).toBe('all well')

    await page.getByRole('link', { name: 'Rename the labels' }).click()
    await field.fill('')
    await save.click()
    await save.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByRole('columnheader', { name: 'Status A' }).waitFor()
  })

  it('links an attribute name to the device list, with devices that have a value first', async () => {
    const person = await site.newPerson()
    await seedDevices(site.app.db, person.accountId, [
      { name: 'without values' },
      { name: 'with values', statusA: 'all well', attributes: { site: 'oslo' } },
    ])
    const page = await site.open(person, { path: '/account/attributes' })
    for (const [name, column, value] of [
      ['$svc.statusA', 'Status A', 'all well'],
      ['site', 'site', 'oslo'],
    ] as const) {
      await page.goto(`${site.app.url}/account/attributes`)
      await page.getByRole('row').filter({ hasText: name }).getByRole('link', { name: '1' }).click()
      await page.getByRole('columnheader', { name: column }).waitFor()
      const first = page
        .getByRole('row')
        .filter({ has: page.getByRole('gridcell') })
        .first()
      await first.getByRole('link', { name: 'with values', exact: true }).waitFor()
      await first.getByText(value).waitFor()
    }
  })

  it('creates a registration code and shows the command for registering a device', async () => {
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/account/codes' })
    await page.getByRole('button', { name: 'New registration code' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Create code' }).click()
    const command = (await dialog.getByText('muster agent install').textContent()) ?? ''
    expect(command).toContain(`--url ${site.app.url} `)
    const code = /--code (\S+)$/.exec(command)?.[1]
    await dialog.getByRole('button', { name: 'Done' }).click()
    const registered = await fetch(`${site.app.url}/devices/v1/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, hardwareId: 'gate-1', name: 'gate' }),
    })
    expect(registered.ok).toBe(true)
    await page.getByRole('link', { name: 'Devices' }).click()
    await page.getByRole('row').getByRole('link', { name: 'gate' }).waitFor()
  })
})

describeConsole('creating an access key more than an hour after sign-in', () => {
  let now = Date.now()
  const site = startConsole({ clock: () => new Date(now) })

  it('asks for the password again, accepts it from the keyboard, and creates the key', async () => {
    now = Date.now()
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/account/keys' })
    now += 2 * 3_600_000
    await page.getByRole('button', { name: 'New access key' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Nightly export')
    await page.keyboard.press('Enter')
    await dialog.getByText('Step 2 of 3').waitFor()
    await next(dialog)
    await page.route('**/sign-in-options', (route) => route.abort(), { times: 1 })
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter')
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    await dialog.getByRole('button', { name: 'Create key' }).press('Enter')
    const password = dialog.getByLabel('Your password')
    await dialog.locator('input[type=password]:focus').waitFor()
    await page.keyboard.type('not it')
    await page.keyboard.press('Enter')
    await dialog.getByText('Wrong password').waitFor()
    await password.fill(person.password)
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Download credentials' }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /Nightly export/ }).waitFor()
  })
})
