import { fileURLToPath } from 'node:url'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { compressBuild } from './build/compress-build.ts'
import { overviewHtml } from './build/overview-html.ts'
import { serviceWorker } from './build/service-worker.ts'

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** `vite dev` forwards requests for the paths in `proxy` to this server. Default: the address of `npm start`. */
const server = process.env.MUSTER_URL ?? 'http://127.0.0.1:4000'

const oneOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join('|'))

/**
 * Modules that the overview shares with the list of devices or with other pages. By default, the build writes a file
 * for each set of pages that share modules, so the overview would load twice as many files.
 */
const sharedGroups = [
  {
    name: 'mantine',
    test: oneOf(
      '@mantine/(hooks|store|core/(esm/(core|utils)|node_modules))/',
      '@floating-ui/',
      '@mantine/core/esm/components/(ActionIcon|Alert|Anchor|Badge|Button|Center|CloseButton|Code|Container)/',
      '@mantine/core/esm/components/(FocusTrap|Group|Image|Input|InputBase|Loader|Overlay|Paper|Popover|Portal)/',
      '@mantine/core/esm/components/(Stack|Text|TextInput|Title|Tooltip|Transition|UnstyledButton|VisuallyHidden)/',
      '@mantine/core/esm/components/(Checkbox/CheckIcon|Combobox/(?!OptionsDropdown|get-))',
    ),
  },
  {
    name: 'controls',
    test: oneOf(
      '@mantine/core/esm/components/(Combobox|FloatingIndicator|ScrollArea|SegmentedControl|Select|SimpleGrid|Table)/',
      'src/components/list-table',
    ),
  },
  { name: 'icons', test: /Icon(ArrowDown|ArrowUp|Dots|Lock|Pencil|Plus|Refresh|Search|Trash|X)\.mjs/ },
  {
    name: 'shared',
    test: oneOf(
      'src/(components/(hint|not-allowed|state-badge|time)|hooks/(use-last-value|use-url-state)|graphql/use-change)',
      'src/features/(attributes/(attributes.generated|use-attribute-names)|user-settings/labels)',
    ),
  },
  {
    name: 'events',
    test: /src\/(components\/events\/event-summary|features\/events\/(events.generated|log\/(burst\.|event-target|use-)))/,
  },
]

export default defineConfig({
  root: path('.'),
  plugins: [react(), serviceWorker(), overviewHtml(), compressBuild()],
  // Log only warnings and errors, because users build the console when they install Muster.
  logLevel: 'warn',
  build: {
    outDir: path('dist'),
    emptyOutDir: true,
    // Tests use the manifest to find the files that a page loads.
    manifest: true,
    target: 'es2022',
    // All supported browsers preload modules without the polyfill.
    modulePreload: { polyfill: false },
    // Embed no files as data: URLs, which the Content-Security-Policy allows only for images.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 4000,
    rolldownOptions: {
      // Omit warnings about directives such as "use no memo", which are for a compiler that this build does not use.
      onLog: (level, log, report) => {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') report(level, log)
      },
      input: { index: path('index.html'), overview: path('src/overview.ts'), doc: path('doc.html') },
      output: {
        // Leave out the modules' names, which would add 3 KB to the scripts of the first page.
        chunkFileNames: 'assets/[hash].js',
        // Put these libraries into separate files. They rarely change, so they stay cached across releases. The group
        // `graphql` also contains modules that overview.ts imports.
        codeSplitting: {
          groups: [
            { name: 'react', test: /node_modules\/(react|react-dom|scheduler)\// },
            {
              name: 'graphql',
              test: /node_modules\/(@urql|wonka|@0no-co)\/|src\/(graphql\/client|features\/overview\/request-overview)\.ts/,
            },
            { name: 'base', test: /node_modules\/(@tanstack\/(react-)?(router|history|store)|urql\/)/ },
            // By default, a group also contains what its modules import, such as the whole index of a library.
            ...sharedGroups.map((group) => ({ ...group, includeDependenciesRecursively: false })),
          ],
        },
      },
    },
  },
  // Build workers as modules, because the editor on the reference page uses workers with dynamic imports.
  worker: { format: 'es' },
  server: {
    port: 4220,
    proxy: Object.fromEntries(
      ['/graphql', '/auth', '/healthz', '^/[a-z-]+/v1\\.csv'].map((prefix) => [prefix, server]),
    ),
  },
})
