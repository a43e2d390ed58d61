import { type ErrorCode, errorCodes } from '../errors.ts'

/** The error codes of REST responses: those that do not concern GraphQL queries. */
export const restCodes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => code !== 'PERSISTED_QUERY_NOT_FOUND')

/**
 * The status of a response whose execution failed with this code. LIMIT_EXCEEDED is 413 if the whole body is too large, but not
 * if a value in it is (RFC 9110 §15.5.14, §15.5.21).
 */
export const statusOfCode = (code: ErrorCode): number => (code === 'LIMIT_EXCEEDED' ? 422 : errorCodes[code].status)
