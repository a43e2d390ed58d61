import { type ErrorCode, errorCodes } from '../errors.ts'

/** The error codes of REST responses. These are all codes except the one for persisted queries. */
export const restCodes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => code !== 'PERSISTED_QUERY_NOT_FOUND')

/**
 * Returns the status of a response whose execution failed with this code. LIMIT_EXCEEDED has status 413 only if the
 * whole body is too large, and 422 if a value in the body is too large (RFC 9110 §15.5.14, §15.5.21).
 */
export const statusOfCode = (code: ErrorCode): number => (code === 'LIMIT_EXCEEDED' ? 422 : errorCodes[code].status)
