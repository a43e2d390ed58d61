const BUFFERED_BYTES = 2_048

/**
 * Returns a function that receives the bytes of responses and passes the outcome of each response to `onResponse`. The
 * outcome consists of the status and the first error code in the body, if any.
 */
export function createResponseReader(onResponse: (outcome: string) => void): (part: Buffer) => void {
  let head = ''
  let start = ''
  let left = -1
  let isChunked = false
  let tail = ''

  const finish = (): void => {
    const code = /"code":"(\w+)"/.exec(start)?.[1]
    const status = head.slice('HTTP/1.1 '.length, 'HTTP/1.1 200'.length)
    head = ''
    start = ''
    tail = ''
    left = -1
    onResponse(code === undefined ? status : `${status} ${code}`)
  }

  const readHead = (part: Buffer): Buffer | undefined => {
    const text = head + part.toString('latin1')
    const end = text.indexOf('\r\n\r\n')
    if (end === -1) {
      head = text
      return undefined
    }
    const body = part.subarray(end + 4 - head.length)
    head = text.slice(0, end)
    isChunked = /\r\ntransfer-encoding: *chunked/i.test(head)
    left = isChunked ? Number.POSITIVE_INFINITY : Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0)
    return body
  }

  return (part) => {
    const body = left === -1 ? readHead(part) : part
    if (body === undefined) return
    if (start.length < BUFFERED_BYTES) start += body.toString('latin1', 0, BUFFERED_BYTES)
    left -= body.length
    if (isChunked) {
      tail = (tail + body.toString('latin1', Math.max(0, body.length - 5))).slice(-5)
      if (tail === '0\r\n\r\n') finish()
    } else if (left <= 0) finish()
  }
}
