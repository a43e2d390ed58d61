/** Gives the person a CSV file made in the browser, from its parts. The mark tells spreadsheets that it is UTF-8. */
export function saveCsv(name: string, parts: readonly string[]): void {
  const url = URL.createObjectURL(new Blob(['\uFEFF', ...parts], { type: 'text/csv;charset=utf-8' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has taken the content by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
