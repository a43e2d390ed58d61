import { post } from '../sign-in/auth-call.ts'

/** How `muster login` identifies its request: an ID in the link, or a code that the user types. */
export type RequestIdentifier = { request: string } | { code: string }

export interface CommandLineRequest {
  request: { machine: string; address: string; expires: string }
  accounts: {
    id: string
    email: string
    roleName: string
    permissions: string[]
    isRestricted: boolean
    requiredSignIn: 'SECOND_FACTOR' | 'SSO' | null
  }[]
}

export const describeRequest = (identifier: RequestIdentifier): Promise<CommandLineRequest> =>
  post('/cli/request', identifier)

/** `redirect`, a URL on the user's machine, is present only if `muster login` opened a browser on that machine. */
export const approveRequest = (
  identifier: RequestIdentifier,
  account: string,
): Promise<{ expires: string; redirect?: string }> => post('/cli/approve', { ...identifier, account })

export const denyRequest = (identifier: RequestIdentifier): Promise<{ redirect?: string }> =>
  post('/cli/deny', identifier)

const STORED = 'muster.command-line'

/**
 * Returns the ID of the request in the link, and moves the ID from the address to the tab's storage. Without an ID in
 * the link, returns the stored ID, if any.
 */
export function takeRequest(): string | undefined {
  const id = window.location.hash.slice(1)
  if (id === '') return sessionStorage.getItem(STORED) ?? undefined
  sessionStorage.setItem(STORED, id)
  window.history.replaceState(window.history.state, '', window.location.pathname)
  return id
}

export const forgetRequest = (): void => sessionStorage.removeItem(STORED)
