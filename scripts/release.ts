// `npm run release -- [--out FOLDER] [--dirty]` builds the files of a release in release/ or FOLDER. `--dirty` allows
// uncommitted changes. The version is that of the root package.json. The same commit produces identical files, except
// for the image, which contains the Debian packages that are current at build time.
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { buildCli } from './release/build-cli.ts'
import { buildImage, findImageBuilder } from './release/build-image.ts'
import { buildLibrary } from './release/build-library.ts'
import { buildServer } from './release/build-server.ts'
import { root } from './release/copy-sources.ts'
import { readManifest } from './release/manifest.ts'
import { npm, run } from './release/run.ts'
import { writeSbom } from './release/sbom.ts'

const { values: options } = parseArgs({
  options: { dirty: { type: 'boolean', default: false }, out: { type: 'string' } },
})

const changes = await run('git', ['status', '--porcelain'], root)
if (changes !== '' && !options.dirty) {
  console.error(`The checkout has uncommitted changes. Commit them, or use --dirty for a trial release:\n${changes}`)
  process.exit(1)
}
const { version } = await readManifest('..')
const time = new Date(Number(await run('git', ['log', '-1', '--format=%ct'], root)) * 1000)
const release = options.out ?? join(root, 'release')
const build = join(release, 'build')
const platform = `${process.platform}-${process.arch}`
await rm(release, { recursive: true, force: true })
await mkdir(release, { recursive: true })

await npm(root, ['run', 'build'])
await npm(root, ['run', 'docs'])
await packPackages()
const server = join(release, `muster-${version}`)
await buildServer(server, { withPrograms: true })
await writeSbom(server, join(release, `muster-${version}-${platform}.cdx.json`), time)
await archive(`muster-${version}`, `muster-${version}-${platform}.tar.gz`)
await archiveChart()
const builder = await findImageBuilder()
if (builder === undefined)
  console.log('Skipped the image. To build it, install buildah or podman, or install docker and start its daemon.')
else
  await buildImage(builder, {
    server,
    file: join(release, `muster-${version}-image.tar`),
    tag: `muster:${version}`,
    time,
  })
await rm(server, { recursive: true })
await writeChecksums()

async function packPackages(): Promise<void> {
  const builds: Record<string, (target: string) => Promise<void>> = {
    client: (target) => buildLibrary('client', target),
    'http-signature': (target) => buildLibrary('http-signature', target),
    cli: buildCli,
    server: (target) => buildServer(target, { withPrograms: false }),
  }
  for (const [name, buildPackage] of Object.entries(builds)) {
    const target = join(build, name)
    await buildPackage(target)
    await npm(release, ['pack', target, '--ignore-scripts'])
  }
  await rm(build, { recursive: true })
}

/** Writes a reproducible archive of a folder: its files are sorted, have the commit's time, and belong to root. */
async function archive(folder: string, file: string, parent = release): Promise<void> {
  const stable = ['--sort=name', `--mtime=@${time.getTime() / 1000}`, '--owner=0', '--group=0', '--numeric-owner']
  const pax = '--pax-option=exthdr.name=%d/PaxHeaders/%f,delete=atime,delete=ctime'
  await run(
    'tar',
    ['--create', '--use-compress-program=gzip -n', ...stable, pax, `--file=${join(release, file)}`, folder],
    parent,
  )
}

/** Archives the Helm chart with the release's version in place of the two placeholders in `Chart.yaml`. */
async function archiveChart(): Promise<void> {
  const chart = join(build, 'muster')
  await cp(join(root, 'deploy/helm/muster'), chart, { recursive: true })
  const file = join(chart, 'Chart.yaml')
  const versions = /(?<=^(?:version|appVersion): )0\.0\.0$/gm
  await writeFile(file, (await readFile(file, 'utf8')).replace(versions, version))
  await archive('muster', `muster-chart-${version}.tgz`, build)
  await rm(build, { recursive: true })
}

async function writeChecksums(): Promise<void> {
  const lines: string[] = []
  for (const file of (await readdir(release)).sort()) {
    const hash = createHash('sha256')
    await pipeline(createReadStream(join(release, file)), hash)
    lines.push(`${hash.digest('hex')}  ${file}\n`)
  }
  await writeFile(join(release, 'SHA256SUMS'), lines.join(''))
  console.log(lines.join(''))
}
