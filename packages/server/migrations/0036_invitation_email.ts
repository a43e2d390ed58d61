import type { Step } from '../src/db/migration.ts'

/** A sign-in through the identity provider may search the invitations of all accounts for the email address. */
export const steps: readonly Step[] = [
  { index: 'invitation_email', on: 'invitation', as: '(lower(email)) where email is not null' },
]
