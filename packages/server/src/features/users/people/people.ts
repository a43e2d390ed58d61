import DataLoader from 'dataloader'
import type { Context } from '../../../context.ts'
import { perRequest } from '../../../graphql/per-request.ts'
import { type KnownPerson, selectPeople } from './people.queries.ts'

export { findPerson, insertMembership, insertPerson, isDisabled, type KnownPerson } from './people.queries.ts'

const loaderOf = perRequest(
  ({ db }: Context) =>
    new DataLoader<string, KnownPerson | null>(async (ids) => {
      const found = new Map((await selectPeople(db, ids)).map((person) => [person.id, person]))
      return ids.map((id) => found.get(id) ?? null)
    }),
)

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

/** Loads a person, even if the person was removed. */
export const loadPerson = (context: Context, id: string): Promise<KnownPerson | null> => loaderOf(context).load(id)
