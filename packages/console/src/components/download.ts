export const downloadText = (name: string, content: string): void =>
  downloadFile(name, [content], 'text/plain;charset=utf-8')

function downloadFile(name: string, parts: BlobPart[], type: string): void {
  const url = URL.createObjectURL(new Blob(parts, { type }))
  downloadUrl(name, url)
  // Free the URL after a minute. By then, the browser has read the content.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

export function downloadUrl(name: string, url: string): void {
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
}

/** Downloads a CSV file. Adds a byte order mark, because spreadsheet programs need it to recognize UTF-8. */
export const downloadCsv = (name: string, parts: readonly string[]): void =>
  downloadFile(name, ['\uFEFF', ...parts], 'text/csv;charset=utf-8')
