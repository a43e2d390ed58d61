import type { Context } from '../../../context.ts'
import { type KnownPerson, loadPerson } from './people.ts'

/**
 * Finds the person who made a change. Returns null if `id` is null. The viewer usually contains the founder's address,
 * so a change by the founder needs no query. If the database does not contain the person, returns the placeholder
 * address of an erased person.
 */
export const findActor = async (
  context: Context,
  id: string | null,
): Promise<Pick<KnownPerson, 'id' | 'email'> | null> => {
  if (id === null) return null
  const { accountId, founderEmail } = context.viewer
  // If the founder was removed, the account keeps the founder's ID, but the account's address no longer belongs to a
  // person.
  if (id === accountId && founderEmail !== undefined && !founderEmail.endsWith('@account.invalid'))
    return { id, email: founderEmail }
  return (await loadPerson(context, id)) ?? { id, email: `removed-${id}@invalid` }
}
