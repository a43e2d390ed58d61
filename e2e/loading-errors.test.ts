import { it } from 'vitest'
import { seedDevices } from '../packages/server/test/factories/seed-devices.ts'
import { describeConsole, startConsole } from './harness.ts'

describeConsole('errors of the first requests of a list', () => {
  const site = startConsole()

  it.each([
    ['devices', 'Views'],
    ['devices', 'DeviceListNames'],
    ['devices', 'AttributeNames'],
    ['services', 'Views'],
    ['events', 'Views'],
  ])('shows the list of %s after another attempt if %s failed', async (list, operation) => {
    const person = await site.newPerson()
    await seedDevices(site.app.db, person.accountId, [{ name: 'gate' }])
    const page = await site.open(person, { path: '/account' })
    await page.route('**/graphql/v1', (route) =>
      route.request().postDataJSON().operationName === operation ? route.abort() : route.continue(),
    )
    await page.goto(`${site.app.url}/${list}`)
    const alert = page.getByRole('alert').filter({ hasText: `The ${list} could not be loaded` })
    await alert.waitFor()
    await page.unrouteAll()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('navigation', { name: 'Views' }).waitFor()
  })

  it('keeps the list if the views cannot be loaded again', async () => {
    const page = await site.open(await site.newPerson(), { path: '/events' })
    const list = page.getByRole('region', { name: 'Events over time' })
    await list.waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    const failed = page.waitForEvent('requestfailed')
    await page.route('**/graphql/v1', (route) =>
      route.request().postDataJSON().operationName === 'Views' ? route.abort() : route.continue(),
    )
    await page.getByRole('navigation').getByRole('link', { name: 'Events' }).click()
    await failed
    await site.waitForResponses(page)
    await list.waitFor()
  })
})
