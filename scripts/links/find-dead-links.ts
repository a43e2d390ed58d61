import { posix } from 'node:path'
import { slugify } from '../../docs/.vitepress/slugs.ts'

/**
 * Returns a message for each relative link whose file or heading does not exist.
 * @param pages the content of each Markdown file, keyed by path
 * @param files the paths of all files that a link can lead to
 */
export function findDeadLinks(pages: ReadonlyMap<string, string>, files: Iterable<string>): string[] {
  const targets = new Set<string>()
  for (const file of files) {
    // Also add the folders of each file, because a link can lead to a folder.
    for (let path = file; path !== '.'; path = posix.dirname(path)) targets.add(path)
  }
  const anchors = new Map([...pages].map(([file, text]) => [file, anchorsOf(text)]))
  return [...pages].flatMap(([file, text]) =>
    linksOf(text).flatMap(({ line, target }) => {
      const [path = '', anchor] = target.split('#', 2)
      const found = path === '' ? file : posix.join(posix.dirname(file), path).replace(/\/$/, '')
      if (!targets.has(found)) return `${file}:${line}: ${target}: no such file`
      if (anchor !== undefined && anchors.get(found)?.has(anchor) === false) {
        return `${file}:${line}: ${target}: no such heading`
      }
      return []
    }),
  )
}

interface Link {
  line: number
  target: string
}

function linksOf(text: string): Link[] {
  const prose = withoutCode(text)
  return Array.from(prose.matchAll(/\]\(([^)\s]+)\)/g), ({ 1: target = '', index }) => ({
    line: prose.slice(0, index).split('\n').length,
    target,
  })).filter(({ target }) => !/^[a-z]+:/.test(target))
}

/** Returns the anchors of a page's headings. Numbers the anchors of repeated headings, as GitHub does. */
function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const { 1: heading = '' } of withoutBlocks(text).matchAll(/^#{1,6} (.+)$/gm)) {
    const slug = slugify(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** Replaces the lines of fenced blocks with empty lines, so that line numbers stay the same. */
const withoutBlocks = (text: string): string =>
  text.replaceAll(/^( *)(```+)[^`\n]*\n.*?^\1\2$/gms, (block) => block.replaceAll(/[^\n]/g, ''))

const withoutCode = (text: string): string =>
  withoutBlocks(text).replaceAll(/(`+)[^`].*?\1/gs, (code) => code.replaceAll(/[^\n]/g, ''))
