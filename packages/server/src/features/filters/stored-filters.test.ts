import { expect, test } from 'vitest'
import { sharedTestApp } from '../../../test/harness/app.ts'

const app = sharedTestApp()

test('rejects a filter to store whose canonical form is too long, so that clients can send each stored filter again', async () => {
  const user = await app.createUser()
  await user.data('mutation { registerDevice(name: "a", attributes: { site: "oslo" }) { secret } }')
  const where = JSON.stringify(
    Array(50)
      .fill(`site="${'x'.repeat(70)}"`)
      .join(' OR '),
  )
  for (const mutation of [
    `createView(name: "x", where: ${where})`,
    `createWebhook(url: "https://example.com", where: ${where})`,
    `createRole(name: "x", access: { where: ${where} })`,
    `createBulk(target: { where: ${where} }, operations: [{ setAttributes: { attributes: { a: "b" } } }])`,
  ]) {
    const { errors } = await user.query(`mutation { ${mutation} { id } }`)
    expect(errors?.[0]?.extensions, mutation).toMatchObject({ code: 'LIMIT_EXCEEDED', limit: 4096 })
    expect(errors?.[0]?.message, mutation).toContain('where: the canonical form, which the server stores,')
  }
  const { login } = await user.data(`{ login { devices(where: ${where}) { total } } }`)
  expect(login.devices.total).toBe(0)
})
