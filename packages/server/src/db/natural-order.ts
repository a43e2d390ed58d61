import { type RawBuilder, sql } from 'kysely'

/**
 * Sorts text in natural order, ignoring case, so `node-2` comes before `node-10`. The first migration creates the
 * collation.
 */
export const naturally = (text: RawBuilder<unknown>): RawBuilder<unknown> => sql`${text} collate natural_order`
