/** Describes why the server rejected a row: in place of arguments of the API, the message names columns of the file. */
export const rejectionReason = (message: string): string =>
  message
    .replace(/^(?:items\[\d+\]\.)?attributes\./, '')
    .replace(/^services\[(\d+)\]\.(\w+)/, (_path, index, field) => `services, entry ${Number(index) + 1}: ${field}`)
