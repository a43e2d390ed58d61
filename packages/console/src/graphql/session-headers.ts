import { addressedAccount } from '../app/account-path.ts'

/** Other sites cannot send this header. Without it, the server ignores the session cookie. */
export const sessionHeaders = { 'muster-session': '1' } as const

export const apiHeaders: Readonly<Record<string, string>> = {
  ...sessionHeaders,
  ...(addressedAccount !== undefined && { 'muster-account': addressedAccount }),
}

export const fetchOptionsWith = (headers: Readonly<Record<string, string>>): RequestInit => ({
  credentials: 'same-origin',
  headers: { ...apiHeaders, ...headers },
})
