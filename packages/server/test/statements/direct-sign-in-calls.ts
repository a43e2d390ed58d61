import * as attemptedUser from '../../src/auth/sessions/audit/attempted-user.queries.ts'
import * as commandLine from '../../src/auth/sessions/command-line/command-line.queries.ts'
import * as passkeys from '../../src/auth/sessions/passkeys.queries.ts'
import * as sessions from '../../src/auth/sessions/sessions.queries.ts'
import * as signIn from '../../src/auth/sessions/sign-in/sign-in.queries.ts'
import * as sso from '../../src/auth/sessions/single-sign-on/single-sign-on.queries.ts'
import * as ssoAttempts from '../../src/auth/sessions/single-sign-on/sso-attempts.queries.ts'
import * as totp from '../../src/auth/sessions/totp.queries.ts'
import * as settings from '../../src/features/attributes/settings/own-settings.queries.ts'
import { serverSource } from '../../src/features/events/event-source.ts'
import * as accounts from '../../src/features/users/accounts.queries.ts'
import * as invitations from '../../src/features/users/invitations/invitations.queries.ts'
import * as identities from '../../src/features/users/single-sign-on/identities.queries.ts'
import type { Send } from './direct-webhook-calls.ts'

export function directSignInCalls(personId: string): Send[] {
  const now = new Date()
  const bytes = Buffer.from('x')
  const key = { issuer: 'https://login.example.com', subject: 'x' }
  const attempt = { id: 'x', browserHash: bytes, verifier: 'x', nonce: 'x', returnTo: '/', expires: now }
  const session = {
    personId,
    id: 'sso',
    token: 'sso',
    address: '::1',
    agent: '',
    created: now,
    expires: now,
    ends: now,
  }
  const passkey = {
    ...{ credentialId: 'x', publicKey: 'x', counter: 0, deviceType: 'singleDevice', backedUp: false },
    ...{ transports: null, aaguid: null },
  }
  const invitation = {
    ...{ id: 'in_x', email: null, roleId: 'viewer', created: now, expires: now, inviterId: null, emailStatus: 'none' },
    source: serverSource,
  }
  return [
    (db) => passkeys.listPasskeys(db, personId),
    (db) => passkeys.renamePasskey(db, personId, { id: 'none', name: 'phone' }),
    (db) => passkeys.deletePasskey(db, personId, 'none'),
    (db) => passkeys.deletePasskeys(db, personId),
    (db) => passkeys.hasPasskey(db, personId, 'none'),
    async (db) => {
      await passkeys.insertPasskey(db, personId, passkey)
    },
    (db) => sessions.selectSessions(db, ['token'], now),
    (db) => sessions.findSessionRole(db, { accountId: personId, personId, session: 'none' }, now),
    (db) => sessions.writeAccountUse(db, { accountId: personId, personId: 'unknown' }, now),
    (db) => sessions.readConfirmed(db, personId, 'none'),
    (db) => sessions.confirmSession(db, { personId, id: 'none' }, now),
    (db) => sessions.renewSession(db, { personId, id: 'none' }, { usedBefore: now, now, expires: now }),
    (db) => sessions.listSessions(db, personId, now),
    (db) => sessions.deleteSessions(db, personId, { id: 'none' }),
    (db) => sessions.deleteSessions(db, personId, { butId: 'none' }),
    (db) => sessions.deleteSessions(db, personId, 'all'),
    (db) => signIn.findPassword(db, 'unknown@example.com'),
    (db) => attemptedUser.findUserOfEmail(db, 'unknown@example.com'),
    (db) => attemptedUser.findUserOfStep(db, 'none'),
    (db) => attemptedUser.findUserOfPasskey(db, 'none'),
    (db) => signIn.lockPerson(db, 'unknown@example.com'),
    (db) => signIn.findSignedInUser(db, personId),
    (db) => signIn.updateName(db, personId, 'name'),
    (db) => signIn.updatePassword(db, personId, 'x'),
    (db) => signIn.deleteSteps(db, personId),
    (db) => signIn.countAttempt(db, 'subject', { now, ends: now }),
    (db) => signIn.forgiveAttempts(db, ['subject']),
    (db) => signIn.deleteExpiredSignIns(db, now),
    (db) => totp.lockTotp(db),
    (db) => totp.findTotpLock(db, personId),
    (db) => totp.deleteTotp(db, personId),
    (db) => totp.writeTotp(db, { personId, secret: 'x', backupCodes: 'x' }),
    async (db) => {
      await ssoAttempts.insertAttempt(db, { ...attempt, invitationHash: null, personId: null })
    },
    (db) => ssoAttempts.findAttempt(db, { id: 'x', browserHash: bytes }, now),
    (db) => ssoAttempts.takeAttempt(db, { id: 'x', browserHash: bytes }, now),
    (db) => ssoAttempts.deleteLinkAttempts(db, personId),
    async (db) => {
      await sessions.insertSession(db, { ...session, method: 'single sign-on' })
      await sso.insertSsoSession(db, { personId, sessionId: 'sso', ...key, sid: null, encryptedIdToken: bytes })
    },
    (db) => sso.findIdToken(db, { personId, id: 'sso' }),
    (db) => sso.isLinked(db, personId, key.issuer),
    (db) => sso.hasIdentity(db, personId, key),
    (db) => sso.deleteIdentities(db, personId),
    (db) => sso.findSessionsOf(db, { issuer: key.issuer, sid: 'x', subject: null }),
    async (db) => {
      const request = { id: 'x', userCode: 'x', publicKey: 'x', machine: 'x', address: '::1', port: null, expires: now }
      await commandLine.insertRequest(db, request)
    },
    (db) => signIn.insertLink(db, { id: 'x', kind: 'link', personId, expires: now }),
    (db) => signIn.findLink(db, { id: 'x', kind: 'link' }, now),
    (db) => signIn.takeLink(db, { id: 'x', kind: 'link' }, now),
    (db) => signIn.insertChallenge(db, { id: 'y', purpose: 'x', expires: now }),
    (db) => signIn.takeChallenge(db, { id: 'y', purpose: 'x' }, now),
    (db) => commandLine.findOpenRequest(db, { userCode: 'x' }, now),
    async (db) => {
      const approval = { accountId: personId, personId, sessionId: 'sso', codeHash: null }
      await commandLine.approveRequest(db, { userCode: 'x' }, now, approval)
    },
    (db) => commandLine.denyRequest(db, { userCode: 'x' }, now),
    (db) => commandLine.pollRequest(db, 'x', { now, before: now }),
    (db) => commandLine.isKnownRequest(db, 'x', now),
    (db) => commandLine.claimRequest(db, 'x', now),
    (db) => commandLine.writeKey(db, 'x', 'x'),
    (db) => commandLine.deleteRequest(db, 'x'),
    (db) => sessions.writeMethod(db, { personId, id: 'sso' }, 'passkey'),
    async (db) => {
      const account = { id: 'owned', email: 'owned@account.invalid', contactEmail: 'x', name: 'x', founderId: personId }
      await accounts.insertOwnedAccount(db, account)
    },
    (db) => accounts.writeSignInPolicy(db, personId, 'ANY'),
    (db) => accounts.findSignInPolicy(db, personId),
    (db) => identities.findByIdentity(db, key),
    (db) => identities.lockByIdentity(db, key),
    (db) => identities.findByEmail(db, 'unknown@example.com'),
    (db) => identities.lockByEmail(db, 'unknown@example.com'),
    (db) => identities.insertIdentity(db, key, { personId, email: null, now }),
    (db) => settings.findOwnSettings(db, personId),
    (db) => settings.lockOwnSettings(db, personId),
    (db) => settings.updateOwnSettings(db, personId, { label: 'Site' }),
    (db) => identities.touchIdentity(db, key, { email: null, now }),
    (db) => identities.writeEmail(db, 'unknown', 'unknown@example.com'),
    (db) => identities.hasRoleFor(db, ['staff']),
    (db) => identities.selectGroupAccounts(db, { personId, groups: ['staff'] }),
    (db) => invitations.writeEmailStatus(db, personId, { id: 'in_x', emailStatus: 'sent' }),
    (db) => invitations.selectInvitations(db, personId, { after: now, limit: 10 }),
    (db) => invitations.countInvitations(db, personId, now),
    (db) => invitations.lockInvitation(db, personId, 'in_x'),
    (db) => invitations.findInvitation(db, personId, 'in_x'),
    (db) => invitations.findByToken(db, bytes, now),
    (db) => invitations.existsForEmail(db, 'unknown@example.com', now),
    (db) => invitations.insertInvitation(db, personId, { ...invitation, tokenHash: bytes }),
    (db) => invitations.renewInvitation(db, personId, { ...invitation, tokenHash: bytes }),
    (db) => invitations.removeInvitation(db, personId, 'in_x'),
    (db) => invitations.deleteInvitationsBefore(db, new Date(0)),
  ]
}
