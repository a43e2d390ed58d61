import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

const template = (name: string): Promise<string> =>
  readFile(new URL(`../../../systemd/${name}`, import.meta.url), 'utf8')

export interface Programs {
  node: string
  muster: string
}

export const thesePrograms = (): Programs => ({
  node: process.execPath,
  muster: fileURLToPath(new URL('../../../bin/muster.js', import.meta.url)),
})

export async function unitText({ node, muster }: Programs): Promise<string> {
  const text = await template('muster-agent.service')
  return text.replace('@NODE@', () => quoted(node)).replace('@MUSTER@', () => quoted(muster))
}

export const exampleConfig = (): Promise<string> => template('agent.ini')

/**
 * Quotes a path for a systemd command line: escapes double quotes, backslashes, specifiers, and variables
 * (systemd.service(5), "Command lines").
 */
function quoted(path: string): string {
  const escaped = path.replace(/["\\]/g, '\\$&').replace(/[%$]/g, '$&$&')
  return /[\s"'\\]/.test(path) ? `"${escaped}"` : escaped
}
