import type { Invitation } from '@muster/client'
import { localTime } from '../output/local-time.ts'
import { printJson, say } from '../output/print-result.ts'

/** Prints an invitation's link, which the API returns only once. */
export async function printInvitation(invitation: Invitation, { json }: { json?: boolean }): Promise<void> {
  if (json) return printJson(invitation)
  const { link, role, expires } = invitation
  if (link !== null) await say(link)
  console.error(
    `The link is shown only once. Until ${localTime(expires)}, one person can use it to join the account with the role ${role.name}.`,
  )
}
