import { post } from '../sign-in/auth-call.ts'

export type Named = { request: string } | { code: string }

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

export const describeRequest = (named: Named): Promise<CommandLineRequest> => post('/cli/request', named)

/**
 * Approves the request. `redirect`, which leads back to the machine, is present only if `muster login` opened a browser
 * on that machine.
 */
export const approveRequest = (named: Named, account: string): Promise<{ expires: string; redirect?: string }> =>
  post('/cli/approve', { ...named, account })

export const denyRequest = (named: Named): Promise<{ redirect?: string }> => post('/cli/deny', named)

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
