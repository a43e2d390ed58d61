import type { Database } from '../../../db/database.ts'
import { hashToken, newToken } from '../tokens.ts'
import { insertLink, type Link } from './sign-in.queries.ts'

export interface OneTimeLink {
  token: string
  expires: Date
}

/** Creates a link that works once. The database contains only the hash of the link's token. */
export async function createLink(
  db: Database,
  { kind, personId, expires }: Pick<Link, 'kind'> & { personId: string; expires: Date },
): Promise<OneTimeLink> {
  const token = newToken()
  await insertLink(db, { ...linkOf(kind, token), personId, expires })
  return { token, expires }
}

export const linkOf = (kind: Link['kind'], token: string): Link => ({ id: hashToken(token).toString('hex'), kind })
