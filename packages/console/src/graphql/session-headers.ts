import { addressedAccount } from '../app/account-path.ts'

/** Without this header, which other sites cannot send, the server ignores the session cookie. */
export const sessionHeaders = { 'muster-session': '1' } as const

/** Headers of requests of the API, which work in the account in the address. */
export const apiHeaders: Readonly<Record<string, string>> = {
  ...sessionHeaders,
  ...(addressedAccount !== undefined && { 'muster-account': addressedAccount }),
}

/** Fetch options that send the session, with additional headers. */
export const fetchOptionsWith = (headers: Readonly<Record<string, string>>): RequestInit => ({
  credentials: 'same-origin',
  headers: { ...apiHeaders, ...headers },
})
