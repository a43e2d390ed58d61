import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { releaseConnection } from '../http/connections/connection-limits.ts'
import type { AddressOf } from '../lib/client-address.ts'
import type { Broker } from './broker.ts'

const PATH = '/mqtt'
/** Names of the subprotocol (MQTT 3.1.1 §6) for this version and the one before. */
const SUBPROTOCOLS = ['mqtt', 'mqttv3.1']
const MESSAGE_BYTES = 256 * 1024
/** What may come before sign-on: the broker's bound and the frames around it. */
const BYTES_BEFORE_SIGN_ON = 20 * 1024

/** Serves MQTT over WebSocket at /mqtt of an HTTP server. Returns what ends it; open connections are the broker's. */
export function serveWebSocket(server: Server, broker: Broker, addressOf: AddressOf): () => void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: MESSAGE_BYTES,
    handleProtocols: (offered) => SUBPROTOCOLS.find((name) => offered.has(name)) ?? false,
  })

  const upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    socket.on('error', () => {})
    const refusal = refusalOf(request)
    if (refusal !== undefined) {
      // Node has no time limit for a connection that asks for an upgrade.
      socket.end(`HTTP/1.1 ${refusal}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
      return
    }
    const address = addressOf(request)
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      releaseConnection(socket as Socket)
      const stopCounting = limitBytes(socket)
      const stream = createWebSocketStream(webSocket)
      // What the other end does to the WebSocket is told here as well as by the stream.
      webSocket.on('error', () => {})
      broker.accept(stream, address, stopCounting)
    })
  }
  server.on('upgrade', upgrade)
  return () => {
    server.off('upgrade', upgrade)
    sockets.close()
  }
}

function refusalOf({ url, headers }: IncomingMessage): string | undefined {
  if (url?.split('?', 1)[0] !== PATH) return '404 Not Found'
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? []
  return offered.some((name) => SUBPROTOCOLS.includes(name)) ? undefined : '400 Bad Request'
}

/** A message is put together before the broker sees any of it, so that bytes are counted here as well. */
function limitBytes(socket: Duplex): () => void {
  let received = 0
  const count = (chunk: Buffer): void => {
    received += chunk.length
    if (received > BYTES_BEFORE_SIGN_ON) socket.destroy()
  }
  socket.on('data', count)
  return () => void socket.off('data', count)
}
