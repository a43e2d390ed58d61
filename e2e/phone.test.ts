import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { passTime } from '../packages/server/test/api/value-times.ts'
import { describeConsole, startConsole } from './harness.ts'

const findCutOffTexts = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(`(() => {
    const elements = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    const isCut = (text, { left, right }) => {
      if (left < 0 || right > innerWidth) return true
      for (let part = text.parentElement; part !== document.body; part = part.parentElement) {
        // Ignore the headings of tables that look like lists on phones. These headings are only for screen readers.
        if (getComputedStyle(part).clipPath === 'inset(50%)') return false
        const box = part.getBoundingClientRect()
        const isClipped = getComputedStyle(part).overflowX !== 'visible'
        if (isClipped && (left < box.left - 1 || right > box.right + 1)) return true
      }
      return false
    }
    const found = []
    for (let text = elements.nextNode(); text !== null; text = elements.nextNode()) {
      const range = document.createRange()
      range.selectNodeContents(text)
      const box = range.getBoundingClientRect()
      // Ignore the closed navigation, which is to the left of the window.
      const isShown = box.width > 0 && box.right > 0 && text.parentElement.checkVisibility({ visibilityProperty: true })
      if (isShown && isCut(text, box)) found.push(text.textContent)
    }
    return found
  })()`)

describeConsole('the console on a phone', () => {
  const site = startConsole()

  it('shows access keys and the form for a new key without cut-off text', async () => {
    const person = await site.newPerson()
    const name = 'Nightly export of the inventory of the warehouse'
    const options = 'readOnly: true, requireDigest: true, expires: "2099-01-01T00:00:00Z"'
    await person.data(`mutation { createAccessKey(name: "${name}", ${options}) { key } }`)
    const page = await site.open(person, { path: '/account/keys', viewport: { width: 390, height: 844 } })
    const key = page.getByRole('list', { name: 'Access keys' }).getByRole('listitem').filter({ hasText: name })
    await key.getByText('digest required').waitFor()
    expect(await findCutOffTexts(page)).toEqual([])

    await page.getByRole('button', { name: 'New access key' }).click()
    const dialog = page.getByRole('dialog')
    const next = dialog.getByRole('button', { name: 'Next' })
    await dialog.getByRole('radio', { name: 'Something else' }).check()
    expect(await findCutOffTexts(page)).toEqual([])
    await dialog.getByRole('radio', { name: 'Report device states' }).check()
    await next.click()
    await dialog.getByRole('checkbox', { name: 'Only some attributes' }).check()
    await dialog.getByLabel('Attributes to read').waitFor()
    expect(await findCutOffTexts(page)).toEqual([])
    await dialog.getByRole('checkbox', { name: 'Only some attributes' }).uncheck()
    await next.click()
    await dialog.getByRole('radio', { name: 'my Ed25519 key' }).check()
    await dialog.getByLabel('Public key').waitFor()
    expect(await findCutOffTexts(page)).toEqual([])

    await dialog.getByRole('radio', { name: 'a secret from the server' }).check()
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByRole('button', { name: 'Download credentials' }).waitFor()
    expect(await findCutOffTexts(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Done' }).click()

    await key.getByRole('button', { name: `Change ${name}` }).click()
    await page.getByRole('menuitem', { name: 'Disable' }).click()
    await key.getByText('disabled').waitFor()
    expect(await findCutOffTexts(page)).toEqual([])
  })

  it('shows the role without covering the time when the member joined', async () => {
    const person = await site.newPerson()
    const page = await site.open(person, { path: '/account/members', viewport: { width: 360, height: 800 } })
    const role = await page.getByRole('combobox', { name: `Role of ${person.email}` }).boundingBox()
    const joined = await page.locator('tbody td').nth(2).boundingBox()
    expect(joined?.y).toBeLessThan(role!.y)
    expect(role!.x + role!.width).toBeLessThanOrEqual(joined!.x)
  })

  it('shows what a key may do, and stale values, without cut-off text', async () => {
    const person = await site.newPerson()
    const { registerDevice } = await person.data(
      'mutation ($attributes: Object) { registerDevice(name: "hall", attributes: $attributes) { device { id } } }',
      { attributes: { temperature: '20', $svc: { statusA: 'ok' } } },
    )
    await person.data(`mutation {
      temperature: setExpectedInterval(name: "temperature", seconds: 60) { name }
      status: setExpectedInterval(name: "$svc.statusA", seconds: 90) { name }
    }`)
    await passTime(site.app, person, 3_600)
    const path = `/account/keys/${person.keyId}`
    const page = await site.open(person, { path, viewport: { width: 390, height: 844 } })
    await page.getByRole('button', { name: 'What may this key do?' }).click()
    await page.getByText('Can read 1 device.').waitFor()
    await page.getByRole('button', { name: 'Check', exact: true }).waitFor()
    expect(await findCutOffTexts(page)).toEqual([])
    await page.goto(`${site.app.url}/devices/${registerDevice.device.id}`)
    await expect.poll(() => page.getByText('Stale: last written 1 h ago').count()).toBe(2)
    expect(await findCutOffTexts(page)).toEqual([])
  })
})
