import { join } from 'node:path'
import { root } from './copy-sources.ts'
import { run } from './run.ts'

const builders = ['buildah', 'podman', 'docker'] as const

export async function findImageBuilder(): Promise<string | undefined> {
  for (const program of builders) {
    // Try `info`, which fails if the program cannot connect to its daemon.
    if (await run(program, ['info'], root).then(Boolean, () => false)) return program
  }
}

export async function buildImage(builder: string, { server, file, tag, time }: ImageOptions): Promise<void> {
  const dockerfile = join(root, 'deploy/Dockerfile')
  const timestamp = builder === 'docker' ? [] : ['--timestamp', String(time.getTime() / 1000)]
  await run(
    builder,
    ['build', '--file', dockerfile, '--tag', tag, '--tag', 'muster:latest', ...timestamp, server],
    root,
  )
  if (builder === 'buildah') await run(builder, ['push', tag, `docker-archive:${file}:${tag}`], root)
  else await run(builder, ['save', '--output', file, tag], root)
}

interface ImageOptions {
  /** The server's folder, which becomes `/opt/muster`. */
  server: string
  file: string
  tag: string
  /** The image's timestamp. Builds with docker ignore this value. */
  time: Date
}
