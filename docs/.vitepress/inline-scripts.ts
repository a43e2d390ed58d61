import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { BASE } from './markdown.ts'

/** Moves inline scripts of pages into files, because the server's Content-Security-Policy allows no inline scripts. */
export function writeInlineScripts() {
  const scripts = new Map<string, string>()
  return {
    move: (html: string): string =>
      html.replaceAll(/<script id="([\w-]+)">(.*?)<\/script>/gs, (_script, id: string, text: string) => {
        scripts.set(id, text)
        return `<script src="${BASE}assets/${id}.js"></script>`
      }),
    async write(outDir: string): Promise<void> {
      await mkdir(join(outDir, 'assets'), { recursive: true })
      for (const [id, text] of scripts) await writeFile(join(outDir, 'assets', `${id}.js`), text)
    },
  }
}
