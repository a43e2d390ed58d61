// `npm run docs` builds the documentation site in docs/.vitepress/dist. The server serves it at /docs.
import { join } from 'node:path'
import { build } from 'vitepress'
import { compressFolder } from '../packages/console/build/compress-build.ts'

const docs = new URL('../docs', import.meta.url).pathname

await build(docs)
await compressFolder(join(docs, '.vitepress/dist'))
