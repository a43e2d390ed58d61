import { readdirSync, readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'
import { routeOf } from './markdown.ts'

const docs = new URL('../', import.meta.url)
const home = readFileSync(new URL('README.md', docs), 'utf8')

assertAllListed()

/** Lists the overview, the sections of docs/README.md with their pages in the same order, and all decisions. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  { text: 'Overview', link: '/' },
  { text: 'Guides', items: pagesIn('Guides') },
  { text: 'Reference', items: pagesIn('Reference') },
  { text: 'Development', items: pagesIn('Development') },
  { text: 'Decisions', items: decisions() },
]

/** Returns the pages to which the first column of the table under a heading of docs/README.md links. */
function pagesIn(heading: string): DefaultTheme.SidebarItem[] {
  const section = home.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''
  const rows = section.split('\n').filter((line) => line.startsWith('| ['))
  return rows.flatMap((row) =>
    Array.from(row.split(' | ')[0]!.matchAll(/\[([^\]]+)\]\(([^)]+)\.md\)/g), ([, name = '', path = '']) => ({
      text: `${name[0]!.toUpperCase()}${name.slice(1)}`,
      link: linkTo(path),
    })),
  )
}

/** Returns the link to a page. `path` is relative to `docs/` and has no extension. */
function linkTo(path: string): string {
  return `/${routeOf(`${path}.md`.replace(/^\.\.\//, '')).replace(/(index)?\.md$/, '')}`
}

/** Throws if a guide is missing from docs/README.md, because the sidebar would then not contain the guide. */
function assertAllListed(): void {
  for (const file of readdirSync(new URL('guides/', docs))) {
    if (file.endsWith('.md') && !home.includes(`](guides/${file})`))
      throw new Error(`docs/README.md must contain a link to guides/${file}.`)
  }
}

function decisions(): DefaultTheme.SidebarItem[] {
  return readdirSync(new URL('decisions/', docs))
    .filter((file) => /^\d/.test(file))
    .sort()
    .map((file) => ({ text: titleOf(`decisions/${file}`), link: `/decisions/${file.replace('.md', '')}` }))
}

function titleOf(path: string): string {
  return /^# (.+)$/m.exec(readFileSync(new URL(path, docs), 'utf8'))?.[1] ?? path
}
