import type { Context } from '../../context.ts'
import { perRequest } from '../../graphql/per-request.ts'
import { type AttributeNameRow, findLastChanges, listNames } from './attribute-names.queries.ts'

/** Every attribute name in use on the viewer's devices and services, in alphabetical order. */
export const listAttributeNames = ({ db, viewer }: Context): Promise<AttributeNameRow[]> =>
  listNames(db, viewer.accountId)

const lastChanges = perRequest(async ({ db, viewer }: Context) => {
  const rows = await findLastChanges(db, viewer.accountId)
  return new Map(rows.map(({ name, timestamp }) => [name, timestamp]))
})

/** When a name last changed; read once for all names, and only where a document asks. */
export async function lastChangeOf(context: Context, name: string): Promise<Date | null> {
  return (await lastChanges(context)).get(name) ?? null
}
