import { readdirSync, readFileSync } from 'node:fs'
import type { DefaultTheme } from 'vitepress'

const docs = new URL('../', import.meta.url)

/** The pages in the order of docs/README.md, and all decisions. */
export const sidebar: DefaultTheme.SidebarItem[] = [
  { text: 'Overview', link: '/' },
  { text: 'Guides', items: linksOf('guides/', 'console.md') },
  {
    text: 'Reference',
    items: [
      ...linksOf('reference/'),
      { text: 'Reliability', link: '/reliability' },
      { text: 'Changelog', link: '/CHANGELOG' },
    ],
  },
  {
    text: 'Development',
    items: [
      { text: 'Architecture', link: '/ARCHITECTURE' },
      { text: 'Contributing', link: '/CONTRIBUTING' },
      { text: 'Add a field, a mutation, or a page', link: '/extending' },
      { text: 'Client library', link: '/packages/client/' },
      { text: 'Examples', link: '/examples/' },
      { text: 'Decisions', link: '/decisions/', collapsed: true, items: decisions() },
    ],
  },
]

/** The links of docs/README.md to pages whose paths start with one of the prefixes. */
function linksOf(...prefixes: string[]): DefaultTheme.SidebarItem[] {
  const text = readFileSync(new URL('README.md', docs), 'utf8')
  const links = Array.from(text.matchAll(/\[([^\]]+)\]\(([\w/-]+\.md)\)/g), ([, name = '', path = '']) => ({
    name,
    path,
  }))
  return links
    .filter(({ path }) => prefixes.some((prefix) => path.startsWith(prefix)))
    .map(({ name, path }) => ({
      text: `${name[0]!.toUpperCase()}${name.slice(1)}`,
      link: `/${path.replace('.md', '')}`,
    }))
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
