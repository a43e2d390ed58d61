import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  to: string[]
  source: string
}

export interface MailServer {
  url: string
  received: ReceivedMail[]
  /** If true, the server rejects every recipient. */
  isRejecting: boolean
  close(): Promise<void>
}

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const state = { isRejecting: false }
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ username, password }, _session, done) =>
      username === 'muster' && password === 'a-mail-password'
        ? done(null, { user: username })
        : done(new Error('wrong password')),
    onRcptTo: (_address, _session, done) => done(state.isRejecting ? new Error('no such mailbox') : null),
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        received.push({
          to: envelope.rcptTo.map(({ address }) => address),
          source: Buffer.concat(chunks).toString(),
        })
        done()
      })
    },
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const { port } = listening.address() as AddressInfo
  return {
    url: `smtp://muster:a-mail-password@127.0.0.1:${port}`,
    received,
    get isRejecting() {
      return state.isRejecting
    },
    set isRejecting(value) {
      state.isRejecting = value
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
