import { type ErrorCode, errorCodes } from '../errors.ts'

/** The error codes of REST responses. A REST request cannot use a persisted query. */
export const restCodes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => code !== 'PERSISTED_QUERY_NOT_FOUND')

/**
 * LIMIT_EXCEEDED has status 422 (RFC 9110 §15.5.21), because 413 means that the whole request body is too large
 * (§15.5.14).
 */
export const statusOfCode = (code: ErrorCode): number => (code === 'LIMIT_EXCEEDED' ? 422 : errorCodes[code].status)
