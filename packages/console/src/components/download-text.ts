/** Downloads a string as a file. */
export function downloadText(name: string, content: string, type = 'text/plain;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // By then, the browser has read the content.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
