import { expect, it } from 'vitest'
import { findDeadLinks } from './find-dead-links.ts'

const check = (text: string): string[] =>
  findDeadLinks(
    new Map([
      ['docs/a.md', text],
      [
        'README.md',
        '# Muster\n\n## First steps\n\n## First steps\n\n## The `--json` option\n\n```sh\n# Not a heading\n```\n',
      ],
    ]),
    ['docs/a.md', 'README.md', 'examples/query.py'],
  )

it('accepts links to files, folders, and headings', () => {
  expect(check('# A\n[a](#a) [b](../README.md#first-steps-1) [c](../examples/query.py) [d](../examples/)')).toEqual([])
  expect(check('[a](../README.md#the---json-option) [b](https://example.com/x#y) [c](mailto:a@b.c)')).toEqual([])
})

it('ignores links in code', () => {
  expect(check('`[a](b.md)`\n\n```md\n[a](b.md)\n```\n')).toEqual([])
})

it('reports missing files and headings with their lines', () => {
  expect(
    check(
      '# A\n\n[a](b.md)\n\n![a\nb](c.png) and [d](../README.md#second-steps) [e](#b) [f](../README.md#not-a-heading)',
    ),
  ).toEqual([
    'docs/a.md:3: b.md: no such file',
    'docs/a.md:6: c.png: no such file',
    'docs/a.md:6: ../README.md#second-steps: no such heading',
    'docs/a.md:6: #b: no such heading',
    'docs/a.md:6: ../README.md#not-a-heading: no such heading',
  ])
})
