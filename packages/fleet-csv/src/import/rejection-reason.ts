/**
 * Converts the server's message about a rejected row, so that the message names columns of the file instead of
 * arguments of the API.
 */
export const rejectionReason = (message: string): string =>
  message
    .replace(/^(?:items\[\d+\]\.)?attributes\./, '')
    .replace(/^services\[(\d+)\]\.(\w+)/, (_path, index, field) => `services, entry ${Number(index) + 1}: ${field}`)
