/** Gives the person a file made in the browser. */
export function downloadText(name: string, content: string, type = 'text/plain;charset=utf-8'): void {
  const url = URL.createObjectURL(new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The download has taken the content by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
