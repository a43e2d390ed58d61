/** How the test uses a code block. */
export type Use =
  | { kind: 'run'; exit: number; again?: true }
  | { kind: 'file'; name: string }
  | { kind: 'server' }
  | { kind: 'background'; name: string }
  | { kind: 'output'; of: string | undefined }
  | { kind: 'errors' }
  | { kind: 'norun'; reason: string }
  | { kind: 'shown' }

export interface Block {
  /** Line number of the block's opening fence, counted from 1. */
  line: number
  language: string
  use: Use
  text: string
}

/** Languages of code that a reader types or runs. Blocks in these languages need a tag. */
const runnable = new Set(['sh', 'bash', 'shell', 'console', 'js', 'ts', 'python', 'go', 'graphql'])

/**
 * Returns the fenced blocks of a Markdown page in order. If a block is invalid, throws an error with the line number.
 * For example, a runnable block without a tag is invalid, and so is a command in an indented block.
 */
export function blocksOf(page: string): Block[] {
  const blocks: Block[] = []
  let open: { line: number; indent: string; info: string; text: string[] } | undefined
  for (const [index, line] of page.split('\n').entries()) {
    const fence = /^( *)```(.*)$/.exec(line)
    if (open !== undefined && fence !== null && fence[2] === '') {
      blocks.push(toBlock(open))
      open = undefined
    } else if (open !== undefined) {
      open.text.push(line.startsWith(open.indent) ? line.slice(open.indent.length) : line)
    } else if (fence !== null) {
      open = { line: index + 1, indent: fence[1] ?? '', info: fence[2] ?? '', text: [] }
    } else if (/^ {4}(?:muster|bash|curl|npm|npx|node|python3|mosquitto_\w+) /.test(line)) {
      throw new Error(`line ${index + 1}: put commands in a fenced block, so that the test runs them`)
    }
  }
  if (open !== undefined) throw new Error(`line ${open.line}: the block has no closing fence`)
  return blocks
}

function toBlock({ line, info, text }: { line: number; info: string; text: string[] }): Block {
  const [, language = '', tag = ''] = /^(\S*) *(.*)$/.exec(info) ?? []
  if (language === '')
    throw new Error(`line ${line}: the block must name its language after the fence, such as \`\`\`text`)
  const use = readUse(tag)
  if (use === undefined || (use.kind === 'shown' && runnable.has(language))) {
    throw new Error(
      `line ${line}: "${info}" does not specify what the test does with the block. Use ` +
        'run, run exit=N, run again, file=NAME, server, background=NAME, or "norun: reason"; for output use output, output=NAME, or errors',
    )
  }
  return { line, language, use, text: text.join('\n') }
}

function readUse(tag: string): Use | undefined {
  const [, word = '', value = ''] = /^(norun: |[a-z]*=?)(.*)$/.exec(tag) ?? []
  if (tag === '') return { kind: 'shown' }
  if (tag === 'run') return { kind: 'run', exit: 0 }
  if (tag === 'run again') return { kind: 'run', exit: 0, again: true }
  if (/^run exit=\d+$/.test(tag)) return { kind: 'run', exit: Number(tag.slice('run exit='.length)) }
  if (tag === 'server') return { kind: 'server' }
  if (tag === 'errors') return { kind: 'errors' }
  if (tag === 'output') return { kind: 'output', of: undefined }
  if (value === '') return undefined
  if (word === 'file=') return { kind: 'file', name: value }
  if (word === 'background=') return { kind: 'background', name: value }
  if (word === 'output=') return { kind: 'output', of: value }
  if (word === 'norun: ') return { kind: 'norun', reason: value }
  return undefined
}
