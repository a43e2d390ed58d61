import { it } from 'vitest'
import { describeConsole, startConsole } from './harness.ts'

describeConsole('a page that does not exist', () => {
  const site = startConsole()

  it.each(['/nowhere', '/devices/1/2/3', '/account/nowhere'])('keeps the navigation at %s', async (path) => {
    const page = await site.open(await site.newPerson(), { path })
    await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Webhooks' }).click()
    await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
  })
})
