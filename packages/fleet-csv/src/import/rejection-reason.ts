/**
 * Converts the server's message about a rejected row, so that the message refers to the file's columns instead of API
 * arguments.
 */
export const rejectionReason = (message: string): string =>
  message
    .replace(/^(?:items\[\d+\]\.)?attributes\./, '')
    .replace(/^services\[(\d+)\]\.(\w+)/, (_path, index, field) => `services, entry ${Number(index) + 1}: ${field}`)
