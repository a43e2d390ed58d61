export type EmbeddedErrorCode =
  | 'locked'
  | 'no-privilege-drop'
  | 'unsupported-platform'
  | 'wrong-major-version'
  | 'wrong-owner'
  | 'init-failed'
  | 'other-archive'
  | 'not-empty'
  | 'start-failed'

/** Explains to the operator why the embedded database cannot run or cannot be restored. */
export class EmbeddedError extends Error {
  readonly code: EmbeddedErrorCode

  constructor(code: EmbeddedErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbeddedError'
    this.code = code
  }
}

/** Many errors of the embedded database contain this advice, because an external server avoids the problem. */
export const useDatabaseUrl =
  'To use an external PostgreSQL server (version 15 to 18) instead, set DATABASE_URL to its URL.'

export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}
