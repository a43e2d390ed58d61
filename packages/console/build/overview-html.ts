import type { Plugin } from 'vite'
import { filesOf } from './files-of.ts'

const script = '/src/overview.ts'
/** The overview's modules, in the order in which the page needs them. */
const modules = ['/overview/overview-page.tsx', '/overview/presence-chart.tsx']

/**
 * Writes `overview.html`, a copy of `index.html` for the overview, the first page of signed-in users. The copy has an
 * additional script that requests the page's data, and it preloads the page's code. The browser would otherwise load
 * this code only after it has run the main script. Except for the imports of the additional script, preloaded code has
 * a low priority, so that the requests for data come first.
 */
export function overviewHtml(): Plugin {
  return {
    name: 'muster:overview-html',
    apply: 'build',
    enforce: 'post',
    generateBundle(_options, bundle) {
      const page = bundle['index.html']
      if (page?.type !== 'asset') throw new Error('the build has no index.html: add it to the input in vite.config.ts')
      const [first, ...imports] = filesOf(bundle, script)
      const begin = [
        `<script type="module" async crossorigin src="${first}"></script>`,
        ...imports.map((file) => preload(file, 'auto')),
      ]
      const html = String(page.source)
        .replaceAll('rel="modulepreload"', '$& fetchpriority="low"')
        .replace('<script type="module"', `${begin.join('\n    ')}\n    $&`)
      const files = new Set(modules.flatMap((module) => filesOf(bundle, module)))
      const links = [...files].filter((file) => !html.includes(file)).map((file) => `    ${preload(file, 'low')}\n`)
      const source = html.replace('  </head>', `${links.join('')}  </head>`)
      this.emitFile({ type: 'asset', fileName: 'overview.html', source })
    },
  }
}

const preload = (file: string, priority: 'auto' | 'low'): string =>
  `<link ${file.endsWith('.css') ? 'rel="preload" as="style"' : 'rel="modulepreload"'} fetchpriority="${priority}" crossorigin href="${file}">`
