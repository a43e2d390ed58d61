import { type RawBuilder, sql } from 'kysely'

/** Sorts `node-2` before `node-10`, and ignores case. The first migration creates the collation. */
export const naturally = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`${text} collate natural_order`
