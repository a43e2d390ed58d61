import { expect, it } from 'vitest'
import { describeConsole, startConsole } from './harness.ts'

describeConsole('dialogs', () => {
  const site = startConsole()

  it('keeps concurrent changes to other fields of a role', async () => {
    const owner = await site.newPerson()
    const { createRole } = await owner.data(
      'mutation { createRole(name: "Oslo", access: { permissions: [DEVICE_READ], where: "platform = linux" }) { id } }',
    )
    const page = await site.open(owner, { path: '/account/members' })
    await page.getByRole('button', { name: 'Change Oslo' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Night shift')
    await dialog.getByRole('checkbox', { name: 'Only some attributes' }).check()
    const access = '{ permissions: [DEVICE_READ, EVENT_READ], where: "platform = qnx" }'
    await owner.data(`mutation ($id: ID!) { updateRole(id: $id, access: ${access}, groups: ["night"]) { id } }`, {
      id: createRole.id,
    })
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { login } = await owner.data(
      '{ login { roles { name builtIn permissions where attributes { read write } groups } } }',
    )
    expect(login.roles.filter(({ builtIn }: { builtIn: boolean }) => !builtIn)).toEqual([
      {
        name: 'Night shift',
        builtIn: false,
        permissions: ['DEVICE_READ', 'EVENT_READ'],
        where: 'platform = qnx',
        attributes: { read: [], write: [] },
        groups: ['night'],
      },
    ])
  })

  it('keeps concurrent changes to other fields of a webhook', async () => {
    const person = await site.newPerson()
    const { createWebhook } = await person.data(
      'mutation { createWebhook(url: "https://example.com/hook", name: "Alerts", events: [DEVICE_UPDATE]) { id } }',
    )
    const page = await site.open(person, { path: `/webhooks/${createWebhook.id}` })
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit the webhook' })
    await dialog.getByLabel('Context').fill('night')
    await person.data(
      'mutation ($id: ID!) { updateWebhook(id: $id, url: "https://example.com/new", name: "Calls", events: [DEVICE_STATE], where: "platform = qnx") { id } }',
      { id: createWebhook.id },
    )
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { login } = await person.data('{ login { webhooks { url name events where context } } }')
    expect(login.webhooks).toEqual([
      {
        url: 'https://example.com/new',
        name: 'Calls',
        events: ['DEVICE_STATE'],
        where: 'platform = qnx',
        context: 'night',
      },
    ])
  })

  it('keeps concurrent changes to other rules of the key policy', async () => {
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/account/keys' })
    await page.getByRole('button', { name: 'Change policy' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Maximum key lifetime').fill('30')
    await person.data(
      'mutation { setKeyPolicy(personalKeys: false, requireNetworks: true, enforcedFrom: "2099-01-01T00:00:30.000Z") { maxDays } }',
    )
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'hidden' })
    const { login } = await person.data('{ login { keyPolicy { maxDays personalKeys requireNetworks enforcedFrom } } }')
    expect(login.keyPolicy).toEqual({
      maxDays: 30,
      personalKeys: false,
      requireNetworks: true,
      enforcedFrom: '2099-01-01T00:00:30.000Z',
    })
  })

  it('does not describe a key as limited if its permissions cannot be restricted', async () => {
    const page = await site.open(await site.newPerson(), { path: '/account/keys' })
    await page.getByRole('button', { name: 'New access key' }).click()
    const dialog = page.getByRole('dialog')
    const goTo = async (step: number, button: string): Promise<void> => {
      await dialog.getByRole('button', { name: button }).click()
      await dialog.getByText(`Step ${step} of 3`).waitFor()
    }
    const limited = dialog.getByText('It is limited to some devices or attributes.')
    await goTo(2, 'Next')
    await dialog.getByRole('checkbox', { name: 'Only some attributes' }).check()
    await goTo(3, 'Next')
    await limited.waitFor()
    await goTo(2, 'Back')
    await goTo(1, 'Back')
    await dialog.getByRole('radio', { name: 'Something else' }).check()
    await dialog.getByRole('checkbox', { name: 'manage webhooks' }).check()
    await goTo(2, 'Next')
    await dialog.getByText('This key applies to all devices and attributes.').waitFor()
    await goTo(3, 'Next')
    expect(await limited.count()).toBe(0)
  })
})
