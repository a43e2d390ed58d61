import { copyFile, mkdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import type { MarkdownRenderer } from 'vitepress'

/** The path at which the server serves the site. */
export const BASE = '/docs/'

/**
 * Returns the path of a Markdown file's page: `docs/guides/lists.md` becomes `guides/lists.md`, and
 * `examples/README.md` becomes `examples/index.md`. The repository's README.md becomes `readme.md`, because
 * docs/README.md is the home page.
 */
export const routeOf = (file: string): string => {
  const path = file.replace(/^docs\//, '')
  if (path === 'README.md') return file === path ? 'readme.md' : 'index.md'
  return path.replace(/(^|\/)README\.md$/, '$1index.md')
}

/** Repository paths of linked files other than Markdown files. The site contains copies of these files. */
const sources = new Set<string>()

/** Shows tags in text unchanged, such as `<id>` in the help of a command. Pages use HTML only for comments. */
export function escapeTags(markdown: MarkdownRenderer): void {
  markdown.renderer.rules.html_inline = (tokens, index) => markdown.utils.escapeHtml(tokens[index]!.content)
}

/** Labels a code block that is tagged `output`, `errors`, or `file=NAME` with the tag or the name, not the language. */
export function labelBlocks(markdown: MarkdownRenderer): void {
  const render = markdown.renderer.rules.fence!
  markdown.renderer.rules.fence = (tokens, index, ...rest) =>
    render(tokens, index, ...rest).replace(
      /(?<=<span class="lang">)[^<]*/,
      (language) => labelOf(tokens[index]!.info) ?? language,
    )
}

function labelOf(info: string): string | undefined {
  const [, word, value] = /^\S+ (file=|output|errors)(.*)$/.exec(info) ?? []
  return word === 'file=' ? value : word
}

/** Rewrites relative links to files of the repository, so that they lead to the site's pages and copies of files. */
export function resolveLinks(markdown: MarkdownRenderer, root: string): void {
  markdown.core.ruler.push('resolve-links', ({ tokens, env }) => {
    const folder = dirname(relative(root, env.realPath ?? env.path))
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const target = token.type === 'link_open' ? token.attrGet('href') : null
      if (target === null || /^([a-z]+:|#|\/)/.test(target)) continue
      const [path = '', anchor] = target.split('#', 2)
      token.attrSet('href', siteUrl(join(folder, path)) + (anchor === undefined ? '' : `#${anchor}`))
      // The site's router loads only pages. It does not handle links that have a `target`.
      if (!isPage(path)) token.attrSet('target', '_self')
    }
  })
}

const isPage = (path: string): boolean => path.endsWith('.md') || path.endsWith('/')

/** Returns the URL of a file on the site. For a folder, returns the URL of its README. */
function siteUrl(file: string): string {
  if (isPage(file)) {
    const page = routeOf(file.endsWith('/') ? `${file}README.md` : file)
    return `/${page.replace(/(^|\/)index\.md$/, '$1').replace(/\.md$/, '')}`
  }
  sources.add(file)
  // VitePress adds `BASE` only to links to pages.
  return `${BASE}${copyOf(file)}`
}

/** Adds the extension .txt, because browsers would download some types of files instead of showing them. */
const copyOf = (file: string): string => `source/${file}.txt`

export async function copySources(root: string, outDir: string): Promise<void> {
  for (const file of sources) {
    const copy = join(outDir, copyOf(file))
    await mkdir(dirname(copy), { recursive: true })
    await copyFile(join(root, file), copy)
  }
}
