import { join } from 'node:path'
import { readCredentials } from '../../packages/client/src/node.ts'
import { contestants } from '../environment/systems.ts'
import { graphql, toRequest } from '../run/operation.ts'
import { type Program, startProgram } from '../environment/server-process.ts'
import { credentialsFile } from './fleets.ts'
import { type Answer, createSender } from './sender.ts'

/** A user of a server: asks, and is told how long it took. */
export interface User {
  ask(document: string, variables?: object): Promise<Answer>
}

export interface Server {
  user(email?: string): Promise<User>
  stop(): Promise<void>
}

/** As it is by default but for the rate budget and the port of MQTT, on the database in its folder. */
export async function startServer(folder: string): Promise<Server> {
  const env = {
    ...contestants.server.env,
    MUSTER_DATA: folder,
    MUSTER_MQTT_PORT: '0',
    MUSTER_KEY_POINTS: '1000000000',
    MUSTER_KEY_POINTS_PER_SECOND: '1000000000',
  }
  const program: Program = await startProgram({ args: contestants.server.args, env, log: join(folder, 'server.log') })
  const sender = createSender(program.url)
  return {
    async user(email) {
      const { keyId, secret = '' } = await readCredentials({ file: credentialsFile(folder, email), env: {} })
      const accessKey = { keyId, key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } } as const
      return {
        ask: (document, variables) =>
          sender.send(toRequest(program.url, graphql('server', document, variables), accessKey)),
      }
    },
    async stop() {
      sender.close()
      await program.stop()
    },
  }
}
