import { expect, it } from 'vitest'
import { describeConsole, startConsole } from './harness.ts'
import { personWith } from './seeded.ts'

describeConsole('addresses with invalid parameters', () => {
  const site = startConsole()

  it.each([
    ['/events?from=yesterday&to=2026-13-01', '/events', 'Events'],
    ['/events?types=AUTH_LOGIN&device=80:00', '/events?types=["AUTH_LOGIN"]&device=["80:00"]', 'Events'],
    ['/events?where=42', '/events?where="42"', 'Events'],
    ['/overview?span=year', '/overview', 'Overview'],
    ['/services?where=true', '/services?where="true"', 'Services'],
    ['/devices?widths=7&other=1&columns=name', '/devices?columns=["name"]', 'Devices'],
    ['/sign-in?next=5', '/overview', 'Overview'],
  ])('opens %s as %s', async (path, expected, title) => {
    const page = await site.open(await personWith(site, [{ name: 'gate-1' }]), { path })
    await page.getByRole('heading', { level: 1, name: title }).waitFor()
    await expect.poll(() => decodeURIComponent(page.url())).toBe(`${site.app.url}${expected}`)
  })
})
