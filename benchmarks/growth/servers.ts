import { join } from 'node:path'
import { readCredentials } from '../../packages/client/src/node.ts'
import { type ServerProcess, startServerProcess } from '../environment/server-process.ts'
import { systems } from '../environment/systems.ts'
import { graphql, toRequest } from '../run/operation.ts'
import { credentialsFile } from './fleets.ts'
import { createSender, type TimedResponse } from './timed-requests.ts'

export interface User {
  query(document: string, variables?: object): Promise<TimedResponse>
}

export interface Server {
  user(email?: string): Promise<User>
  stop(): Promise<void>
}

export async function startServer(folder: string): Promise<Server> {
  const env = {
    ...systems.server.env,
    MUSTER_DATA: folder,
    MUSTER_MQTT_PORT: '0',
    MUSTER_KEY_POINTS: '1000000000',
    MUSTER_KEY_POINTS_PER_SECOND: '1000000000',
  }
  const server: ServerProcess = await startServerProcess({
    args: systems.server.args,
    env,
    log: join(folder, 'server.log'),
  })
  const sender = createSender(server.url)
  return {
    async user(email) {
      const { keyId, secret = '' } = await readCredentials({ file: credentialsFile(folder, email), env: {} })
      const accessKey = { keyId, key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } } as const
      return {
        query: (document, variables) =>
          sender.send(toRequest(server.url, graphql('server', document, variables), accessKey)),
      }
    },
    async stop() {
      sender.close()
      await server.stop()
    },
  }
}
