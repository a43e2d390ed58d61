import { describe, expect, it } from 'vitest'
import { blocksOf } from './blocks.ts'
import { containsLines, describeDifference } from './compare-output.ts'

const block = (info: string, text = 'x'): string => `\`\`\`${info}\n${text}\n\`\`\`\n`

describe('blocksOf', () => {
  it.each([
    ['sh run', { kind: 'run', exit: 0 }],
    ['sh run exit=22', { kind: 'run', exit: 22 }],
    ['sh run again', { kind: 'run', exit: 0, again: true }],
    ['js file=loop.mjs', { kind: 'file', name: 'loop.mjs' }],
    ['sh server', { kind: 'server' }],
    ['sh background=receiver', { kind: 'background', name: 'receiver' }],
    ['json output', { kind: 'output', of: undefined }],
    ['text output=receiver', { kind: 'output', of: 'receiver' }],
    ['text errors', { kind: 'errors' }],
    ['sh norun: needs systemd', { kind: 'norun', reason: 'needs systemd' }],
    ['json', { kind: 'shown' }],
  ])('reads the tag of "%s"', (info, use) => {
    expect(blocksOf(`A page.\n\n${block(info)}`)).toEqual([{ line: 3, language: info.split(' ')[0], use, text: 'x' }])
  })

  it('removes list indentation from blocks', () => {
    expect(blocksOf('- a\n\n  ```sh run\n  if true; then\n    ls\n  ```')[0]?.text).toBe('if true; then\n  ls')
  })

  it.each([
    ['a command without a tag', block('sh')],
    ['a query without a tag', block('graphql')],
    ['a block without a language', block('')],
    ['an unknown tag', block('sh rnu')],
    ['a skipped block without a reason', block('sh norun:')],
    ['a command outside fences', 'Try:\n\n    muster export\n'],
    ['a block without a closing fence', '```sh run\nls\n'],
  ])('rejects %s', (_what, page) => {
    expect(() => blocksOf(page)).toThrow(/^line \d+: /)
  })
})

describe('describeDifference', () => {
  it.each([
    ['text', 'a\nb', 'a\nb\n'],
    ['text', 'id …, done', 'id 80:00, done'],
    ['text', 'a\n…\nz', 'a\nb\nc\nz'],
    ['text', 'a\n…', 'a'],
    ['json', '{"a": 1, "b": [2]}', '{"b":[2],"a":1}'],
    ['json', '{"id": "80:…", "x": "…"}', '{"id":"80:00","x":{"y":1}}'],
    ['json', '[1, "…"]', '[1,2,3]'],
    ['json', '{"a": 1}', '{"b":2}\n{"a":1}\n'],
    ['json', '{"a": 1, "…": "…"}', '{"a":1,"b":2}'],
  ])('accepts %s %j for the output %j', (language, shown, printed) => {
    expect(describeDifference(shown, printed, language)).toBeUndefined()
  })

  it.each([
    ['text', 'a', 'a\nb\n'],
    ['text', 'a.c', 'abc'],
    ['text', 'id …, done', 'id 80:00\n, done'],
    ['json', '{"a": 1}', '{"a":1,"b":2}'],
    ['json', '{"a": 1}', '{"a":"1"}'],
    ['json', '[1]', '[1,2]'],
    ['json', '{"b": 2}', '{"b":2}\n{"a":1}\n'],
    ['json', '{"id": "80:…"}', '{"id":"81:00"}'],
    ['json', '{"id": "…"}', '{}'],
    ['json', '{"a": 1}', 'nothing'],
  ])('reports a difference between %s %j and the output %j', (language, shown, printed) => {
    expect(describeDifference(shown, printed, language)).toContain('printed')
  })
})

describe('containsLines', () => {
  it('finds whole lines between other lines', () => {
    expect(containsLines('device.state …', 'listening\ndevice.state {}\nmore\n')).toBe(true)
    expect(containsLines('state …', 'listening\ndevice.state {}\n')).toBe(false)
  })
})
