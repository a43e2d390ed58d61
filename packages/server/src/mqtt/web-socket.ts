import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { createWebSocketStream, WebSocketServer } from 'ws'
import { releaseConnection } from '../http/connections/connection-limits.ts'
import type { AddressOf } from '../lib/client-address.ts'
import type { Broker } from './broker.ts'

const PATH = '/mqtt'
/** The subprotocol names for MQTT 3.1.1 (§6) and MQTT 3.1. */
const SUBPROTOCOLS = ['mqtt', 'mqttv3.1']
const MESSAGE_BYTES = 256 * 1024
/** The maximum number of bytes before authentication: the broker's limit plus the overhead of WebSocket frames. */
const UNAUTHENTICATED_BYTES = 20 * 1024

/**
 * Serves MQTT over WebSocket. Returns a function that stops accepting connections. The broker closes the open
 * connections.
 */
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
    const rejection = rejectionStatus(request)
    if (rejection !== undefined) {
      // The connection is closed, because Node has no timeout for connections that request an upgrade.
      socket.end(`HTTP/1.1 ${rejection}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy())
      return
    }
    const address = addressOf(request)
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      releaseConnection(socket as Socket)
      const stopCounting = limitBytes(socket)
      const stream = createWebSocketStream(webSocket)
      // The stream also emits the errors of the WebSocket, and the broker handles them there. Without this listener, an
      // error of the WebSocket would end the process.
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

function rejectionStatus({ url, headers }: IncomingMessage): string | undefined {
  if (url?.split('?', 1)[0] !== PATH) return '404 Not Found'
  const offered = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim()) ?? []
  return offered.some((name) => SUBPROTOCOLS.includes(name)) ? undefined : '400 Bad Request'
}

/**
 * Closes the connection if the client sends too many bytes before authentication, because the broker sees only whole
 * messages. Returns a function that stops counting.
 */
function limitBytes(socket: Duplex): () => void {
  let received = 0
  const count = (chunk: Buffer): void => {
    received += chunk.length
    if (received > UNAUTHENTICATED_BYTES) socket.destroy()
  }
  socket.on('data', count)
  return () => void socket.off('data', count)
}
