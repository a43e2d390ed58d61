import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/** The page of a Markdown file: `docs/guides/lists.md` → `guides/lists.md`, `examples/README.md` → `examples/index.md`. */
export const routeOf = (file: string): string => {
  const path = file.replace(/^docs\//, '')
  if (path === 'README.md') return file === path ? 'readme.md' : 'index.md'
  return path.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** Paths of linked files that are not Markdown, relative to the repository. The site has copies of them in `source/`. */
const sources = new Set<string>()

/** Shows tags in text, such as `<id>` in the help of a command, as they are. No page uses HTML, except for comments. */
export function escapeTags(markdown: MarkdownRenderer): void {
  markdown.renderer.rules.html_inline = (tokens, index) => markdown.utils.escapeHtml(tokens[index]!.content)
}

/** Makes links and images, which are relative to the file in the repository, point to the pages and files of the site. */
export function resolveLinks(markdown: MarkdownRenderer, root: string): void {
  markdown.core.ruler.push('resolve-links', ({ tokens, env }) => {
    const folder = dirname(relative(root, env.realPath ?? env.path))
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const name = token.type === 'link_open' ? 'href' : undefined
      const target = name === undefined ? null : token.attrGet(name)
      if (name === undefined || target === null || /^([a-z]+:|#|\/)/.test(target)) continue
      const [path = '', anchor] = target.split('#', 2)
      token.attrSet(name, siteUrl(join(folder, path)) + (anchor === undefined ? '' : `#${anchor}`))
      if (!isPage(path)) token.attrSet('target', '_self')
    }
  })
}

const isPage = (path: string): boolean => path.endsWith('.md') || path.endsWith('/')

/** A folder means its README, or the list of its pages on the home page. */
function siteUrl(file: string): string {
  if (file.endsWith('.md'))
    return `/${routeOf(file)
      .replace(/\.md$/, '')
      .replace(/(^|\/)index$/, '$1')}`
  if (file.endsWith('/'))
    return ['docs/guides/', 'docs/reference/'].includes(file)
      ? '/'
      : `/${routeOf(`${file}README.md`).replace(/index\.md$/, '')}`
  sources.add(file)
  return `/source/${file}`
}

export async function copySources(root: string, outDir: string): Promise<void> {
  for (const file of sources) {
    const copy = join(outDir, 'source', file)
    await mkdir(dirname(copy), { recursive: true })
    await copyFile(join(root, file), copy)
  }
}
