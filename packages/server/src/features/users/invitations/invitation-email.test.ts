import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { ask, done, newTeam, type Team } from '../../../../test/factories/team.ts'
import { startTestApp, type TestApp } from '../../../../test/harness/app.ts'
import { type MailServer, startMailServer } from '../../../../test/harness/mail-server.ts'

const create =
  'mutation ($email: String) { createInvitation(roleId: "viewer", email: $email) { id link email emailStatus } }'

let mail: MailServer
let app: TestApp
let team: Team
beforeAll(async () => {
  mail = await startMailServer()
  const env = { MUSTER_SMTP_URL: mail.url, MUSTER_SMTP_FROM: 'Muster <muster@example.com>' }
  app = await startTestApp({ env })
})
beforeEach(async () => {
  mail.isRejecting = false
  mail.received.length = 0
  team = await newTeam(app)
})
afterAll(async () => {
  await app.close()
  await mail.close()
})

const invite = async (email: string | null) => (await done(team.admin, create, { email })).createInvitation

const statusOf = (id: string, expected: string) =>
  expect
    .poll(async () => {
      const { login } = await done(team.admin, '{ login { invitations { id emailStatus } } }')
      return login.invitations.find((each: { id: string }) => each.id === id).emailStatus
    })
    .toBe(expected)

it('sends the link of an invitation to the invited address', async () => {
  const invitation = await invite('lin@example.com')
  expect(invitation.emailStatus).toBe('pending')
  await statusOf(invitation.id, 'sent')
  expect(mail.received).toHaveLength(1)
  const [{ to, source } = { to: [], source: '' }] = mail.received
  expect(to).toEqual(['lin@example.com'])
  expect(source).toContain('From: Muster <muster@example.com>')
  expect(source).toContain('To: lin@example.com')
  // The quoted-printable encoding breaks long lines and escapes `=`.
  expect(source.replaceAll('=\r\n', '').replaceAll('=3D', '=')).toContain(invitation.link)

  const resend = 'mutation ($id: ID!) { resendInvitation(id: $id) { emailStatus link } }'
  const { resendInvitation } = await done(team.admin, resend, { id: invitation.id })
  expect(resendInvitation.emailStatus).toBe('pending')
  await expect.poll(() => mail.received.length).toBe(2)
})

it('sends no email without an address', async () => {
  expect((await invite(null)).emailStatus).toBe('none')
})

it('keeps the link valid if the mail server rejects the message', async () => {
  mail.isRejecting = true
  const { id, link, emailStatus } = await invite('unknown@example.com')
  expect(emailStatus).toBe('pending')
  await statusOf(id, 'failed')
  const token = link.split('#')[1]
  const accept = 'mutation ($token: String!) { acceptInvitation(token: $token) { id } }'
  expect((await ask(team.viewer, accept, { token })).error).toEqual(['CONFLICT', undefined])
})

it('treats an address with a comma as one recipient', async () => {
  const { id } = await invite('lin,bcc:eve@example.com')
  await expect
    .poll(async () => (await done(team.admin, '{ login { invitations { id emailStatus } } }')).login.invitations[0])
    .toMatchObject({ id, emailStatus: expect.stringMatching(/sent|failed/) })
  expect(mail.received.flatMap(({ to }) => to).filter((each) => each === 'eve@example.com')).toEqual([])
})

it('does not let the account name add headers or recipients', async () => {
  const name = 'Fleet <b>Bcc: eve@example.com</b> ‮'
  await done(team.admin, 'mutation ($name: String) { updateAccount(name: $name) { name } }', { name })
  const { id } = await invite('lin@example.com')
  await statusOf(id, 'sent')
  const [{ to, source } = { to: [], source: '' }] = mail.received
  const [headers = ''] = source.split('\r\n\r\n')
  expect(to).toEqual(['lin@example.com'])
  expect(headers).not.toContain('eve@example.com')
})

it('requires a sender and a valid URL for the mail server', async () => {
  await expect(app.startAnother({ env: { MUSTER_SMTP_URL: mail.url } })).rejects.toThrow('MUSTER_SMTP_FROM')
  for (const url of ['http://example.com', 'smtp://', 'smtp://host?attachment=/etc/passwd'])
    await expect(app.startAnother({ env: { MUSTER_SMTP_URL: url, MUSTER_SMTP_FROM: 'a@b' } })).rejects.toThrow(
      'MUSTER_SMTP_URL',
    )
})
