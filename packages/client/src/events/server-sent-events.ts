/** Timeout of a stream that sends no data. The server sends a comment every 12 seconds. */
const IDLE_TIMEOUT_MS = 45_000

/** A Server-Sent Events message. A comment is a message with the event `comment` and no data. */
export interface Message {
  event: string
  data: string
}

/**
 * Reads messages from a body as they arrive (the subset of HTML §9.2.6 that GraphQL over SSE uses). Throws if no bytes
 * arrive for 45 seconds.
 */
export async function* readMessages(body: ReadableStream<Uint8Array>): AsyncGenerator<Message, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read())
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) yield parseBlock(block)
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function withinTime<Value>(promise: Promise<Value>): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no data arrived for ${IDLE_TIMEOUT_MS / 1_000} s`)), IDLE_TIMEOUT_MS)
  })
  try {
    return await Promise.race([promise, expired])
  } finally {
    clearTimeout(timer)
  }
}

function parseBlock(block: string): Message {
  let event = 'comment'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([^:]+):? ?(.*)$/s.exec(line) ?? []
    if (name === 'event') event = value
    else if (name === 'data') data.push(value)
  }
  return { event, data: data.join('\n') }
}
