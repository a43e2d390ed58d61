import { startEnvironment } from '../environment/start-environment.ts'
import { percentile, spreadOf } from '../report/statistics.ts'
import { type AccessKey, graphql, type Operation, send, toRequest } from '../run/operation.ts'

/**
 * This benchmark requests a page of devices in three ways, and compares the latency and the server's CPU time:
 *
 * - with a key that a filter restricts
 * - with an unrestricted key and the same filter in the argument `where`
 * - with an unrestricted key and no filter
 */
const [devices = 100_000, rounds = 400] = process.argv.slice(2).map(Number)

const filters: Readonly<Record<string, string>> = {
  'one value of an attribute': 'site = oslo',
  'NOT, without an index': 'NOT site = oslo',
}

const environment = await startEnvironment({ devices, services: 4, profile: undefined })
try {
  const server = await environment.processOf('server')
  const { url } = server
  const cpuTime = async (): Promise<number> => (await server.cpuTime()) ?? 0
  const owner = environment.accessKey

  const run = (operation: Operation, key: AccessKey): Promise<unknown> => send(url, toRequest(url, operation, key))

  const createKey = async (where: string): Promise<AccessKey> => {
    const document = 'mutation ($where: String) { createAccessKey(access: { where: $where }) { key secret } }'
    const { data } = (await run(graphql('server', document, { where }), owner)) as {
      data: { createAccessKey: { key: string; secret: string } }
    }
    const { key, secret } = data.createAccessKey
    return { keyId: key, key: { algorithm: 'hmac-sha256', secret: Buffer.from(secret, 'base64') } }
  }

  const page = 'devices(size: 50, sort: "name"'
  const items = '{ items { id name state attributes } }'
  const unfiltered = graphql('server', `{ login { ${page}) ${items} } }`)

  for (const [name, where] of Object.entries(filters)) {
    const restricted = await createKey(where)
    const filtered = graphql('server', `query ($where: String) { login { ${page}, where: $where) ${items} } }`, {
      where,
    })
    const cases: Record<string, () => Promise<unknown>> = {
      'restricted key': () => run(unfiltered, restricted),
      'unrestricted key with where': () => run(filtered, owner),
      'unrestricted key without where': () => run(unfiltered, owner),
    }
    const [one, other] = await Promise.all([cases['restricted key']!(), cases['unrestricted key with where']!()])
    if (JSON.stringify(one) !== JSON.stringify(other))
      throw new Error(`With the filter "${where}", the pages of the restricted key and of the unrestricted key differ.`)
    const times = new Map(Object.keys(cases).map((each) => [each, [] as number[]]))
    const processor = new Map(Object.keys(cases).map((each) => [each, 0]))
    for (let round = 0; round < rounds; round++) {
      for (const [each, act] of Object.entries(cases)) {
        const before = await cpuTime()
        const began = performance.now()
        await act()
        if (round >= rounds / 10) times.get(each)!.push(performance.now() - began)
        processor.set(each, processor.get(each)! + (await cpuTime()) - before)
      }
    }
    console.log(`${where} (${name}), ${devices} devices, ${rounds} requests of each kind:`)
    const round = (ms: number): number => Number(ms.toFixed(2))
    console.table(
      Object.fromEntries(
        [...times].map(([each, found]) => [
          each,
          {
            'median ms': round(spreadOf(found).median),
            '95% ms': round(percentile(found, 0.95)),
            "server's CPU ms": round(processor.get(each)! / rounds),
          },
        ]),
      ),
    )
  }
} finally {
  await environment.close()
}
