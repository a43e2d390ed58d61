/** A Server-Sent Events message. Comments are not messages. */
export interface Message {
  event: string
  data: string
}

/**
 * Reads messages from a body as they arrive (the subset of HTML §9.2.6 that GraphQL over SSE uses). Throws if no bytes
 * arrive for `timeout` milliseconds. The server sends comments even while no events occur.
 */
export async function* readMessages(
  body: ReadableStream<Uint8Array>,
  timeout: number,
): AsyncGenerator<Message, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await withinTime(reader.read(), timeout)
      if (done) return
      const blocks = (rest + decoder.decode(value, { stream: true })).replaceAll('\r\n', '\n').split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const message = parseBlock(block)
        if (message !== undefined) yield message
      }
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function withinTime<Value>(promise: Promise<Value>, milliseconds: number): Promise<Value> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no data arrived for ${milliseconds / 1_000} s`)), milliseconds)
  })
  try {
    return await Promise.race([promise, expired])
  } finally {
    clearTimeout(timer)
  }
}

function parseBlock(block: string): Message | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, name, value = ''] = /^([^:]+):? ?(.*)$/s.exec(line) ?? []
    if (name === 'event') event = value
    else if (name === 'data') data.push(value)
  }
  return event === 'message' && data.length === 0 ? undefined : { event, data: data.join('\n') }
}
