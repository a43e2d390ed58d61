import { it } from 'vitest'
import { sharedTestApp } from '../../harness/app.ts'
import { killNode, nodeNames, startNode } from '../nodes.ts'
import { collectErrors, startLoad } from './load.ts'

const KILLS = 20
/** The minimum number of changes that each writer makes between two kills. */
const CHANGES = 3

const { log, errors } = collectErrors()
const app = sharedTestApp({ log })

it(`loses no change and misses no event during ${KILLS} kills of nodes`, async () => {
  const load = await startLoad(app, errors)
  for (let time = 0; time < KILLS; time++) {
    const node = nodeNames[time % nodeNames.length]!
    await load.progress(CHANGES)
    await killNode(node)
    await startNode(node)
  }
  await load.progress(CHANGES)
  console.log(`${KILLS} kills of nodes: ${await load.finish()}`)
})
