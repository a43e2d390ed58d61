import type { SessionInfo } from '../sign-in/auth-api.ts'
import { get, post } from '../sign-in/auth-call.ts'
import { createPasskey, type PasskeyOptions } from '../sign-in/create-passkey.ts'

export interface Session extends SessionInfo {
  current: boolean
}

export interface Passkey {
  id: string
  name: string | null
  created: string
}

export interface TotpSetup {
  totpURI: string
  backupCodes: string[]
}

export const listSessions = async (): Promise<Session[]> =>
  (await get<{ sessions: Session[] }>('/list-sessions')).sessions

export const revokeSession = (id: string): Promise<unknown> => post('/revoke-session', { id })

export const revokeOtherSessions = (): Promise<unknown> => post('/revoke-other-sessions')

export const revokeAllSessions = (): Promise<unknown> => post('/revoke-sessions')

export const changePassword = (currentPassword: string, newPassword: string): Promise<unknown> =>
  post('/change-password', { currentPassword, newPassword })

export const changeName = (name: string | null): Promise<unknown> => post('/update-user', { name })

export const beginTotp = (password: string): Promise<TotpSetup> => post('/two-factor/enable', { password })

export const confirmTotp = (code: string): Promise<unknown> => post('/two-factor/verify-totp', { code })

export const disableTotp = (password: string): Promise<unknown> => post('/two-factor/disable', { password })

export const renewBackupCodes = async (password: string): Promise<string[]> =>
  (await post<{ backupCodes: string[] }>('/two-factor/generate-backup-codes', { password })).backupCodes

export const listPasskeys = async (): Promise<Passkey[]> =>
  (await get<{ passkeys: Passkey[] }>('/passkey/list-user-passkeys')).passkeys

export const renamePasskey = (id: string, name: string): Promise<unknown> =>
  post('/passkey/update-passkey', { id, name })

export const deletePasskey = (id: string): Promise<unknown> => post('/passkey/delete-passkey', { id })

export async function addPasskey(name: string): Promise<void> {
  const response = await createPasskey(await get<PasskeyOptions>('/passkey/generate-register-options'))
  await post('/passkey/verify-registration', { response, name })
}
