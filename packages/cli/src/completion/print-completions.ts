import { write } from '../terminal/standard-output.ts'
import { type Candidate, findCandidates } from './find-completions.ts'
import type { Shell } from './scripts.ts'

const lineOf: Readonly<Record<Shell, (candidate: Candidate) => string>> = {
  bash: ({ text }) => text,
  zsh: ({ text, description }) =>
    `${text.replaceAll('\\', '\\\\').replaceAll(':', '\\:')}${description ? `:${description}` : ''}`,
  fish: ({ text, description }) => `${text}${description ? `\t${description}` : ''}`,
}

/**
 * Prints completions for a shell, or nothing on failure, because error messages would interfere with typing. Returns
 * the exit code, which is 2 for an unknown shell.
 */
export async function complete([shell, ...words]: readonly string[]): Promise<number> {
  const format = lineOf[shell as Shell]
  if (format === undefined) return 2
  const candidates = await findCandidates(words).catch(() => [])
  const lines = candidates.map(format).filter((line) => !/[\r\n]/.test(line))
  await write(lines.map((line) => `${line}\n`).join(''))
  return 0
}
