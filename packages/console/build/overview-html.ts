import type { Plugin } from 'vite'
import { filesOf } from './files-of.ts'

/** The overview's modules, in the order in which the page needs them. */
const modules = ['/overview/overview-page.tsx', '/overview/presence-chart.tsx']

/**
 * Writes `overview.html`, a copy of `index.html` that also preloads the code of the overview, the first page of
 * signed-in users. The browser would otherwise load this code only after it has run the main script.
 */
export function overviewHtml(): Plugin {
  return {
    name: 'muster:overview-html',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('the build has no index.html: add it to the input in vite.config.ts')
      const html = String(page.source)
      const files = new Set(modules.flatMap((module) => filesOf(bundle, module)))
      const links = [...files].filter((file) => !html.includes(file)).map(preloadLink)
      const source = html.replace('  </head>', `${links.join('')}  </head>`)
      this.emitFile({ type: 'asset', fileName: 'overview.html', source })
    },
  }
}

const preloadLink = (file: string): string =>
  `    <link ${file.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"'} crossorigin href="${file}">\n`
