import pg from 'pg'

/** Whether a statement failed because of the named unique index (SQLSTATE 23505). */
export function isUniqueViolation(error: unknown, index: string): boolean {
  return error instanceof pg.DatabaseError && error.code === '23505' && error.constraint === index
}
