import { expect, it } from 'vitest'
import { blocksOf } from './blocks.ts'
import { runPage } from './run-page.ts'

const block = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\`\n`
const page = (...blocks: string[]): Promise<void> => runPage(blocksOf(blocks.join('\n')))

it("runs a page's blocks in order and keeps variables and files between blocks", async () => {
  await page(
    block('sh server', 'npm ci && MUSTER_FIRST_RECORD=0 npm start'),
    block('sh run', 'word=one\necho "$word" > kept.txt'),
    block(
      'js run',
      'import { readFileSync } from "node:fs"\nconsole.log(process.env.word, readFileSync("kept.txt", "utf8"))',
    ),
    block('text output', 'one one'),
    block('graphql run', '{ login { devices(from: 0) { total } } }'),
    block('json output', '{ "data": { "login": { "devices": { "total": 0 } } } }'),
    block('sh run again', 'echo . >> tries.txt\nwc -l < tries.txt'),
    block('text output', '3'),
    block('sh run exit=3', 'echo wrong >&2\nexit 3'),
    block('text errors', 'wrong'),
    block('sh background=clock', 'while sleep 0.1; do echo tick; done'),
    block('text output=clock', 'tick\ntick'),
  )
})

it.each([
  ['a command fails', [block('sh run', 'false\ntrue')]],
  ['a command in a pipe fails', [block('sh run', 'false | cat')]],
  ['a command that should fail succeeds', [block('sh run exit=1', 'true')]],
  ['the output differs', [block('sh run', 'echo a'), block('text output', 'b')]],
  ['the standard error differs', [block('sh run', 'echo a >&2'), block('text errors', 'b')]],
  ['a repeated command has no output block', [block('sh run again', 'echo a')]],
  ['an output block names a program that is not running', [block('text output=clock', 'tick')]],
  ['a server block does not end with npm start', [block('sh server', 'npm run begin')]],
])('fails if %s', async (_case, blocks) => {
  await expect(page(...blocks)).rejects.toThrow()
})
