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

/** Loads a person, even if the person was removed. Resolves to null if the database does not contain the person. */
export const loadPerson = (context: Context, id: string): Promise<KnownPerson | null> => loaderOf(context).load(id)
