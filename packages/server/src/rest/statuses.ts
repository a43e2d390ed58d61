import { type ErrorCode, errorCodes } from '../errors.ts'

/** The codes that a response of the REST API may have: a request there holds no GraphQL query. */
export const restCodes = (Object.keys(errorCodes) as ErrorCode[]).filter((code) => code !== 'PERSISTED_QUERY_NOT_FOUND')

/**
 * The status of an answer whose execution ended in an error of this code. LIMIT_EXCEEDED has 413 where it is the body that is too
 * large, and is no matter of HTTP where it is a value in it (RFC 9110 §15.5.14, §15.5.21).
 */
export const statusOfCode = (code: ErrorCode): number => (code === 'LIMIT_EXCEEDED' ? 422 : errorCodes[code].status)
