import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitepress'
import { writeInlineScripts } from './inline-scripts.ts'
import { BASE, copySources, escapeTags, labelBlocks, resolveLinks, routeOf } from './markdown.ts'
import { sidebar } from './sidebar.ts'
import { slugify } from './slugs.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const scripts = writeInlineScripts()

/**
 * Returns whether the search finds a page. Excludes the pages of most packages, because these pages describe code and
 * would hide guides on the same subject in search results.
 */
const isSearchable = (file: string): boolean => !/^packages\/(?!client\/|http-signature\/)/.test(file)

export default defineConfig({
  title: 'Muster',
  description: 'Self-hosted inventory of devices and their services, with a signed GraphQL API',
  lang: 'en-US',
  head: [['link', { rel: 'icon', href: '/icons/icon.svg' }]],
  base: BASE,
  // Build one page at a time, because the search index contains the pages in the order in which they are built. Every
  // build is then identical.
  buildConcurrency: 1,
  // Many Markdown files outside docs/ are also pages of the site.
  srcDir: root,
  srcExclude: [
    '**/node_modules/**',
    'release/**',
    'benchmarks/**',
    '.github/**',
    'e2e/**',
    'scripts/**',
    'packages/*/{src,test,build,bin}/**',
  ],
  rewrites: routeOf,
  outDir: fileURLToPath(new URL('dist', import.meta.url)),
  cacheDir: `${root}node_modules/.cache/vitepress`,
  cleanUrls: false,
  // Without this setting, each page would contain an inline script, which the Content-Security-Policy blocks.
  metaChunk: true,
  transformHtml: scripts.move,
  async buildEnd({ outDir }) {
    await scripts.write(outDir)
    await copySources(root, outDir)
  },
  vite: { build: { chunkSizeWarningLimit: 1_000 } },
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    anchor: { slugify },
    config(markdown) {
      escapeTags(markdown)
      labelBlocks(markdown)
      resolveLinks(markdown, root)
    },
  },
  themeConfig: {
    nav: [
      { text: 'Guides', link: '/guides/first-hour', activeMatch: '/guides/' },
      { text: 'Reference', link: '/reference/api', activeMatch: '/reference/' },
      { component: 'ConsoleLink' },
    ],
    sidebar,
    outline: [2, 3],
    search: {
      provider: 'local',
      options: {
        // Exclude pages with a function that runs in the build. A function that runs in the browser would require
        // 'unsafe-eval' in the Content-Security-Policy.
        _render: (text, env, markdown) => (isSearchable(env.relativePath) ? markdown.render(text, env) : ''),
        miniSearch: { searchOptions: { boost: { title: 2, titles: 2, text: 1 }, fuzzy: 0.1 } },
      },
    },
    docFooter: { prev: 'Previous page', next: 'Next page' },
  },
})
