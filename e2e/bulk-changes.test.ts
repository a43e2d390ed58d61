import { expect, it } from 'vitest'
import { describeConsole, startConsole } from './harness.ts'
import { numbered, personWith } from './seeded.ts'

describeConsole('changes to selected devices', () => {
  const site = startConsole({ worker: true })

  it('sets Status A on 500 selected devices, and updates another window', async () => {
    const person = await personWith(
      site,
      numbered(520, (index) => ({
        name: index < 500 ? `rack-${index}` : `other-${index}`,
        statusA: index < 40 ? 'old' : null,
      })),
    )
    const [page, other] = [await site.open(person), await site.open(person, { path: '/devices?name=rack' })]
    await other.getByText('500 match').waitFor()
    await page.getByLabel('Search devices').fill('rack')
    await page.getByText('500 match').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByText('500 selected').waitFor()
    await page.getByRole('button', { name: 'Set an attribute' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set an attribute on 500 devices' })
    await dialog.getByRole('combobox', { name: 'Attribute' }).fill('Status A')
    await page.keyboard.press('Tab')
    await dialog.getByLabel('Value').fill('inspected')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    await dialog.getByText('460 currently have no value').waitFor()
    await dialog.getByText('40 currently have “old”').waitFor()
    await dialog.getByRole('button', { name: 'Change 500 devices' }).click()
    await dialog.getByText('500 of 500 changed.').waitFor()
    await other.getByRole('gridcell', { name: 'inspected' }).first().waitFor()
    const { login } = await person.data('query ($a: Object) { login { devices(size: 1, attributes: $a) { total } } }', {
      a: { '$svc.statusA': 'inspected' },
    })
    expect(login.devices.total).toBe(500)
  })

  it('stops a bulk change when asked, and shows the number of changed devices', async () => {
    const person = await personWith(site, numbered(400))
    const page = await site.open(person)
    await page.getByText('400 in total').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByRole('button', { name: 'Set an attribute' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set an attribute on 400 devices' })
    await dialog.getByRole('combobox', { name: 'Attribute' }).fill('owner')
    await page.keyboard.press('Tab')
    await dialog.getByLabel('Value').fill('night shift')
    await dialog.getByRole('button', { name: 'Preview' }).click()
    // The second batch waits until the test presses Stop.
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    let batches = 0
    await page.route('**/graphql/v1', async (route) => {
      if (route.request().postData()?.includes('SetAttributeOnMany') && ++batches === 2) await held
      await route.continue()
    })
    await dialog.getByRole('button', { name: 'Change 400 devices' }).click()
    await dialog.getByText('50 of 400 changed …').waitFor()
    await dialog.getByRole('button', { name: 'Stop' }).click()
    release()
    await dialog.getByText('Stopped: 100 of 400 changed, 300 unchanged.').waitFor()
    const { login } = await person.data('query ($a: Object) { login { devices(size: 1, attributes: $a) { total } } }', {
      a: { owner: 'night shift' },
    })
    expect(login.devices.total).toBe(100)
  })

  it('deletes the selected devices, and deletes active devices only after confirmation', async () => {
    const person = await personWith(
      site,
      numbered(6, (index) => ({ state: index === 0 ? 'active' : 'inactive' })),
    )
    const page = await site.open(person)
    await page.getByLabel('Select node-1', { exact: true }).click()
    await page.getByLabel('Select node-4', { exact: true }).click({ modifiers: ['Shift'] })
    await page.getByText('4 selected').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete devices' })
    await dialog.getByRole('button', { name: 'Delete 3 devices' }).waitFor()
    await dialog.getByLabel('Also delete the 1 active device').check()
    await dialog.getByRole('button', { name: 'Delete 4 devices' }).click()
    await dialog.getByText('4 of 4 deleted.').waitFor()
    await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('2 in total').waitFor()
  })

  it('deletes more than 20 devices only after the user types their number', async () => {
    const page = await site.open(await personWith(site, numbered(21)))
    await page.getByText('21 in total').waitFor()
    await page.getByLabel('Select all matching devices').check()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete devices' })
    const confirm = dialog.getByRole('button', { name: 'Delete 21 devices' })
    await confirm.waitFor()
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('To delete 21 devices, type their number').fill('20')
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('To delete 21 devices, type their number').fill('21')
    await confirm.click()
    await dialog.getByText('21 of 21 deleted.').waitFor()
  })
})
