import type { Context } from '../../../context.ts'
import { loaderById } from '../../../graphql/loaders.ts'
import { type KnownPerson, selectPeople } from './people.queries.ts'

export { findPerson, insertMembership, insertPerson, isDisabled, type KnownPerson } from './people.queries.ts'

const loaderOf = loaderById(
  { missing: null },
  async ({ db }: Context, ids) => new Map((await selectPeople(db, ids)).map((person) => [person.id, person])),
)

/** Loads a person, even if the person was removed. Resolves to null if the database does not contain the person. */
export const loadPerson = (context: Context, id: string): Promise<KnownPerson | null> => loaderOf(context).load(id)
