/** A header line with a lowercase name and a trimmed value. */
export interface Header {
  name: string
  value: string
}

export interface HttpRequest {
  method: string
  target: string
  headers: Header[]
  body: Buffer
}

/** Parses a request. Returns undefined if the request is invalid (RFC 9112) or has a Transfer-Encoding header. */
export function readRequest(bytes: Buffer): HttpRequest | undefined {
  const text = bytes.toString('latin1')
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return undefined
  const [requestLine = '', ...lines] = text.slice(0, end).split('\r\n')
  // Accept several spaces in place of one (RFC 9112 §3).
  const request = /^([A-Z-]+) +(\/[\x21\x22\x24-\x7e]*) +HTTP\/1\.[01]$/.exec(requestLine)
  if (request === null) return undefined
  const headers: Header[] = []
  for (const line of lines) {
    const header = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*(.*?)[ \t]*$/.exec(line)
    if (header === null) return undefined
    headers.push({ name: header[1]!.toLowerCase(), value: header[2]! })
  }
  if (headers.some(({ name }) => name === 'transfer-encoding')) return undefined
  const length = headers.find(({ name }) => name === 'content-length')?.value ?? '0'
  if (!/^\d+$/.test(length)) return undefined
  const body = bytes.subarray(end + 4, end + 4 + Number(length))
  return { method: request[1]!, target: request[2]!, headers, body }
}
