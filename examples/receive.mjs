// This program receives Muster's webhooks, verifies them (Standard Webhooks), and prints each message once. It needs
// only Node 18 or newer:
//
//   WEBHOOK_SECRET=whsec_… node examples/receive.mjs 8080
//
// It accepts only POST requests with a valid signature and a timestamp within 5 minutes of the current time. It
// responds to all other requests with status 401. In production, store the IDs of handled messages where they survive a
// restart.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer } from 'node:http'

const { WEBHOOK_SECRET: secret } = process.env
if (!secret?.startsWith('whsec_')) {
  console.error('WEBHOOK_SECRET must be the secret of the webhook, which begins with whsec_')
  process.exit(2)
}
const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
const toleranceSeconds = 300
const handled = new Map()

function isGenuine(headers, body) {
  const { 'webhook-id': id = '', 'webhook-timestamp': timestamp = '', 'webhook-signature': signatures = '' } = headers
  if (!/^\d+$/.test(timestamp) || Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false
  const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest()
  // During the rotation of a secret, the header contains two signatures.
  return signatures.split(' ').some((text) => {
    const given = Buffer.from(text.replace(/^v1,/, ''), 'base64')
    return text.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

/** Muster can send a message more than once. To detect repeats, the receiver keeps IDs for two days. */
function isNew(id) {
  for (const [old, when] of handled) if (Date.now() - when > 172_800_000) handled.delete(old)
  if (handled.has(id)) return false
  handled.set(id, Date.now())
  return true
}

const server = createServer(async (request, response) => {
  // Verify the bytes as received: JSON that is parsed and serialized again can have different bytes.
  const body = Buffer.concat(await request.toArray())
  const genuine = request.method === 'POST' && isGenuine(request.headers, body)
  if (genuine && isNew(request.headers['webhook-id'])) {
    const { type, data } = JSON.parse(body)
    console.log(type, JSON.stringify(data))
  }
  // After a 2xx status, Muster does not send the message again.
  response.writeHead(genuine ? 204 : 401).end()
})
server.listen(Number(process.argv[2] ?? 8080), '127.0.0.1', () => {
  console.log(`listening at http://127.0.0.1:${server.address().port}/`)
})
